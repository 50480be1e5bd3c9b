package verdict

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suggest"
	"github.com/odfix/odfix/internal/suite"
	"github.com/odfix/odfix/templates"
)

// maxBody is the largest size of a body in bytes. GitHub's limit is 65,536 characters.
const maxBody = 64000

// builder makes one plan.
type builder struct {
	ctx   context.Context // of New
	in    Input
	shown map[string][]suggest.Shown
	// may says of files whether the configuration allows to patch them. It is kept, since comparing long
	// names with many patterns takes long.
	may      map[string]bool
	combined map[string]bool // diffs of the patches that are part of the proved combined patch; nil: not looked at yet
}

func (b *builder) plan() (Plan, error) {
	b.shown = shownIn(b.in.Files)
	p := Plan{HeadSHA: b.in.HeadSHA}
	var all []finding
	left, room := 0, maxPosted
	causes, err := b.causes()
	if err != nil {
		return p, err
	}
	for n, c := range causes {
		if err := b.ctx.Err(); err != nil {
			return p, err
		}
		f := finding{cause: c, change: change{diff: c.diff}}
		if n < maxComments {
			if len(c.patches) > 0 {
				f.change = b.in.onHead(c.diff)
			}
			k := b.comment(f.cause, f.change)
			switch size := k.size(); {
			case k == nil:
			case size > room:
				left++
			default:
				room -= size
				f.rung = k.Rung
				p.Comments = append(p.Comments, *k)
			}
		} else if len(b.in.Config.Ladder) > 0 {
			left++
		}
		all = append(all, f)
	}
	p.Comments = append(p.Comments, b.others()...)
	p.Check = b.check(all, left)
	return p, b.ctx.Err()
}

// The limits of the comments on causes. They are in memory until the last one is posted, which can
// take minutes, and many reports are posted at once.
const (
	maxComments = 20      // causes that may have one: as many as comments.max-per-day allows by default
	maxPosted   = 4 << 20 // bytes of their texts and files, on all rungs
)

// size is the memory in bytes that a comment takes, on all its rungs. Plain is the same on each. No
// comment takes none.
func (c *Comment) size() (n int) {
	if c != nil {
		n = len(c.Plain)
	}
	for ; c != nil; c = c.Below {
		n += len(c.Body)
		for _, k := range c.Inline {
			n += len(k.Body)
		}
		if c.Fix == nil {
			continue
		}
		n += len(c.Fix.Body) + len(c.Fix.Message)
		for _, text := range c.Fix.Files {
			n += len(text)
		}
	}
	return n
}

// finding is a cause, its change, and the rung of its comment; "" if there is no comment.
type finding struct {
	cause
	change
	rung config.Rung
}

// comment goes down the ladder and links the rungs that are possible and allowed, the highest
// first.
func (b *builder) comment(c cause, ch change) *Comment {
	var first *Comment
	last, plain := &first, ""
	for _, make := range []func(cause, change) *Comment{b.suggestion, b.onFile, b.onPull, b.stacked, b.commit} {
		if k := make(c, ch); k != nil && slices.Contains(b.in.Config.Ladder, k.Rung) {
			if plain == "" {
				plain = b.body(c, ch, "a comment that stands already cannot offer it anew")
			}
			k.Plain = plain
			*last, last = k, &k.Below
		}
	}
	return first
}

// words holds what the comment says about a cause on every rung.
func (b *builder) words(c cause) templates.Cause {
	if len(c.patches) == 0 && !b.in.Report.SearchedPatches() {
		c.none = templates.NotSearched
	}
	return templates.Cause{Language: b.in.Report.Project.Language,
		Names: b.in.Report.Names, Tests: c.tests, Rest: c.rest, Patch: c.patches, None: c.none,
		Setting:  b.in.Report.SettingFor(c.tests),
		Together: b.provedTogether(c.patches),
		Short:    b.in.Config.Comments.Tone == config.Short, CheckURL: b.in.CheckURL, Claimed: b.in.Claimed,
		HelpURL: b.in.HelpURL, Commands: b.in.Commands, Other: c.other,
	}
}

func (b *builder) suggestion(c cause, ch change) *Comment {
	if len(c.patches) == 0 {
		return nil
	}
	pieces, why := ch.pieces(b.shown)
	if why != nil {
		return nil
	}
	k := &Comment{Rung: config.Suggestion, Marker: b.marker(c)}
	for i, p := range pieces {
		w, m := b.words(c), k.Marker
		w.Suggestion, w.Part, w.Of = p.Suggestion(), i+1, len(pieces)
		body := templates.PartBody
		if i == 0 {
			body = templates.CommentBody
		} else {
			m.Part = i + 1
		}
		one := Inline{Path: p.path, Line: p.Last, Body: m.Line() + "\n" + body(w)}
		if p.First < p.Last {
			one.StartLine = p.First
		}
		if len(one.Body) > maxBody {
			return nil
		}
		k.Inline = append(k.Inline, one)
	}
	return k
}

// onFile comments on a file of the pull request that belongs to the cause: one that the change
// touches, else one that holds a test.
func (b *builder) onFile(c cause, ch change) *Comment {
	concerned := c.concerned()
	related := func(f File) int {
		for _, e := range ch.edits {
			if e.Path == f.Path {
				return 0
			}
		}
		for rank, id := range concerned {
			if b.in.Report.Names.Holds(f.Path, id) {
				return 1 + rank
			}
		}
		return -1
	}
	path, least := "", -1
	for _, f := range b.in.Files {
		if b.ctx.Err() != nil {
			return nil
		}
		if r := related(f); f.Status != "removed" && r >= 0 && (least < 0 || r < least) {
			path, least = f.Path, r
		}
	}
	if path == "" {
		return nil
	}
	return &Comment{Rung: config.FileComment, Marker: b.marker(c), Path: path, Body: b.body(c, ch, refusedHere)}
}

// mostConcerned bounds the tests of a cause whose files are looked for.
const mostConcerned = 50

// concerned returns tests of the cause. Polluters and state-setters come first, but leave half of the
// places to the tests themselves.
func (c cause) concerned() []suite.TestID {
	var out []suite.TestID
	for _, g := range [][]suite.Order{c.tests[0].Polluters, c.tests[0].StateSetters} {
		if len(g) > 0 {
			out = append(out, g[0]...)
		}
	}
	out = out[:min(len(out), mostConcerned/2)]
	for _, t := range c.tests[:min(len(c.tests), mostConcerned-len(out))] {
		out = append(out, t.Test)
	}
	return out
}

func (b *builder) onPull(c cause, ch change) *Comment {
	return &Comment{Rung: config.Comment, Marker: b.marker(c), Body: b.body(c, ch, refusedHere)}
}

// refusedHere says why a change that could be a suggestion is on a lower rung.
const refusedHere = "GitHub did not take it as a suggestion on these lines"

// body is the text of a comment that brings the change as a patch; instead
// is why, where nothing else forbids a suggestion. What is too long is cut:
// first what is only for reading, then what is to be pasted.
func (b *builder) body(c cause, ch change, instead string) string {
	w := b.words(c)
	if len(c.patches) == 0 {
		return b.marker(c).Line() + "\n" + templates.CommentBody(w)
	}
	_, w.Instead = ch.pieces(b.shown)
	if w.Instead == nil {
		w.Instead = &templates.Reason{Why: instead}
		if !slices.Contains(b.in.Config.Ladder, config.Suggestion) {
			w.Instead.Why = "the configuration of this repository switches suggestions off"
		}
	}
	if ch.off != nil && b.in.TestedSHA != b.in.HeadSHA {
		w.Before = fmt.Sprintf("The patch was made for commit %s, the merge of this branch with its base: merge "+
			"or rebase first.", templates.Code(abbreviated(b.in.TestedSHA)))
	}
	var text string
	paste := suggest.Pasteable(ch.diff)
	for _, size := range []struct{ lines, bytes, paste int }{{400, 20000, 30000}, {200, 10000, 50000}, {200, 10000, 0}} {
		w.Diff, w.DiffCut = cut(ch.diff, size.lines, size.bytes)
		w.Apply = ""
		// What a reviewer cannot read is pasted only if the diff beside it is whole.
		allowed := suggest.Readable(paste) || w.DiffCut == 0 && !w.Short
		if allowed && len(paste) <= size.paste {
			w.Apply = paste
		}
		text = b.marker(c).Line() + "\n" + templates.CommentBody(w)
		if len(text) <= maxBody && (w.Apply != "" || !allowed) {
			break
		}
	}
	return text
}

func abbreviated(sha string) string { return sha[:min(len(sha), 10)] }

// cut returns the beginning of a diff for reading, and the number of lines left out.
func cut(diff string, most, bytes int) (string, int) {
	var out []string
	size, left := 0, 0
	for l := range strings.Lines(diff) {
		if strings.HasPrefix(l, "diff --git ") || strings.HasPrefix(l, "index ") {
			continue
		}
		if size += len(l); len(out) >= most || size > bytes {
			left++
			continue
		}
		out = append(out, l)
	}
	return strings.Join(out, ""), left
}

func (b *builder) stacked(c cause, ch change) *Comment {
	k := b.commit(c, ch)
	if k == nil {
		return nil
	}
	k.Rung = config.Stacked
	w := b.words(c)
	w.Stacked = true
	k.Fix.Body = b.marker(c).Line() + "\n" + templates.CommentBody(w)
	k.Fix.Title = templates.FixTitle(w)
	k.Fix.Branch = fmt.Sprintf("odfix/%d-%s", b.in.Number, k.Marker.Fingerprint())
	return k
}

func (b *builder) commit(c cause, ch change) *Comment {
	if len(c.patches) == 0 || ch.off != nil {
		return nil
	}
	f := Fix{Files: map[string]string{}, Removed: ch.removed, Message: templates.FixMessage(b.words(c))}
	for _, e := range ch.edits {
		f.Files[e.Path] = e.After
	}
	maps.Copy(f.Files, ch.made)
	return &Comment{Rung: config.Commit, Marker: b.marker(c), Fix: &f}
}

// alsoOn are the verdicts that get a comment if the configuration asks for it.
var alsoOn = map[config.AlsoOn]suite.Verdict{
	config.OnFlaky: suite.FlakyOther, config.OnNotReproduced: suite.NotReproduced, config.OnUndecided: suite.Undecided,
}

// others returns comments on tests that are not order-dependent, one for each requested verdict. A
// genuine failure never gets one.
func (b *builder) others() []Comment {
	var out []Comment
	for _, on := range b.in.Config.Comments.AlsoOn {
		var tests []job.TestReport
		var names []string
		for _, t := range b.in.Report.Tests {
			if v, ok := alsoOn[on]; ok && t.Verdict == v {
				tests, names = append(tests, t), append(names, string(t.Test))
			}
		}
		if len(tests) == 0 {
			continue
		}
		m := newMarker(alsoOn[on], nil, names)
		out = append(out, Comment{Rung: config.Comment, Marker: m,
			Body: m.Line() + "\n" + templates.OtherBody(b.in.Report.Names, tests, b.in.CheckURL, b.in.HelpURL)})
	}
	return out
}
