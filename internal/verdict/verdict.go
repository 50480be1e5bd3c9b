// Package verdict turns a report into the texts on a pull request: one check run, and at most one
// comment for each cause. The possible kinds of comment form a ladder; a comment is on the highest
// rung that its patch allows.
//
// Everything here is a pure function of its inputs. Invariants: accepting a suggestion gives, byte
// for byte, the proved text. Suggestions are only on lines that the pull request shows. Every body
// begins with a marker, by which it is found later. Foreign text (names of tests, messages, paths)
// cannot leave its quotes. Nothing exceeds GitHub's limits.
package verdict

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suggest"
)

// Input is everything that a plan depends on.
type Input struct {
	Report *job.Report
	// Files are the pull request's files with their patches as GitHub lists them.
	Files []File
	// Head holds the texts, at the head commit, of the files that Touched names. Files that do not
	// exist there are left out.
	Head map[string]string
	// Tested holds the same texts at the tested commit, which is mostly the merge commit. Files
	// that are left out are as in Head.
	Tested map[string]string
	// Read are the files that were looked for at both commits; nil: all. Others may be there although
	// their texts are in neither Head nor Tested.
	Read map[string]bool
	// HeadSHA and TestedSHA name the two commits.
	HeadSHA, TestedSHA string
	// Of is what the tested commit belongs to, such as "your checkout", where there is no pull request.
	Of       string
	Config   config.Config
	CheckURL string   // the check run's page; empty: no links to it
	HelpURL  string   // the page that explains odfix; empty: the one in odfix's repository
	Notes    []string // what the check says besides the report
	Commands bool     // the App answers commands in comments on the pull request
	Number   int64    // of the pull request
	// Claimed: the patches were proved only by a run of the pull request's own code. So they are not
	// called proved.
	Claimed bool

	carried  int                       // bytes of files that patches were to change, of all causes so far
	carriers map[string]*patch.Carrier // by path
}

// maxCarried bounds the texts of files with patches, in bytes: at both commits, and for each cause
// before and after. A plan holds them and their differences.
const maxCarried = 32 << 20

// lineCost is the memory in bytes that a line takes, beside its text, while texts are compared.
const lineCost = 50

func cost(text string) int { return len(text) + lineCost*strings.Count(text, "\n") }

// File is a file of a pull request as GitHub lists it.
type File struct {
	Path   string
	Status string // added, modified, renamed, removed, …
	Patch  string // may be missing
	// Previous is the earlier path of a renamed file.
	Previous string
}

// Plan is what to post.
type Plan struct {
	HeadSHA  string
	Check    Check
	Comments []Comment // one for each cause, in the report's order
}

// Comment is the comment on one cause, on one rung. Rung says which of the fields are set:
//
//   - suggestion: Inline, one review (event COMMENT, no body of its own)
//   - file-comment: Path and Body, a review comment with subject_type "file"
//   - comment: Body, a comment on the pull request
//   - stacked-pull-request: Fix, a branch with a pull request into the head branch
//   - commit: Fix, a commit on the head branch
type Comment struct {
	Rung   config.Rung
	Marker Marker
	Inline []Inline
	Path   string
	Body   string
	Fix    *Fix
	// Plain is the body for an existing comment of this cause, at any position. It contains the
	// change as a patch and never as a suggestion. Call Rewrite first.
	Plain string
	// Below is the comment on the next lower rung, in case GitHub refuses this one; nil: there is
	// none.
	Below *Comment
}

// Inline is a comment on lines of the diff, on the right side.
type Inline struct {
	Path      string
	Line      int
	StartLine int // 0: the one line
	Body      string
}

// Side is the side of every Inline.
const Side = "RIGHT"

// Fix is a commit on top of the head commit. Texts are bytes of any encoding;
// files keep their modes, and new ones are ordinary files.
type Fix struct {
	Branch  string // a name for it, where it is a branch of its own
	Title   string // of the pull request
	Body    string // of the pull request
	Message string // of the commit
	Files   map[string]string
	Removed []string
}

// Touched returns the paths whose texts New needs in Input.Head and Input.Tested: those of the
// patches that New chooses. If they are many, or if the context has ended, those of the
// later patches are left out.
func Touched(ctx context.Context, r *job.Report, c config.Config) []string {
	b := builder{ctx: ctx, in: Input{Report: r, Config: c}}
	chosen := b.choices()
	seen, diffs := map[string]bool{}, map[string]bool{}
	for _, t := range r.Tests {
		p := chosen[t.Test].first()
		if p == nil || !t.Verdict.OrderDependent() || diffs[p.RawDiff()] {
			continue
		}
		diffs[p.RawDiff()] = true
		files := paths(p.RawDiff())
		if len(seen)+len(files) > maxTouched {
			break
		}
		for _, f := range files {
			seen[f] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// New makes the plan. Its only error is that of the context.
func New(ctx context.Context, in Input) (Plan, error) {
	b := builder{ctx: ctx, in: in}
	return b.plan()
}

// shownIn returns the lines that the pull request shows, by path.
func shownIn(files []File) map[string][]suggest.Shown {
	out := map[string][]suggest.Shown{}
	for _, f := range files {
		if f.Status != "removed" {
			out[f.Path] = suggest.ReadShown(f.Patch)
		}
	}
	return out
}
