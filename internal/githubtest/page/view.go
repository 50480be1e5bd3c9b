package page

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	gh "github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/internal/githubtest"
)

// view is the data of the template.
type view struct {
	Style   template.CSS
	Policy  string
	Live    bool
	Busy    string
	Problem string

	Repository, Title, State, Author, Into, From string
	Number, CommitCount                          int
	Path                                         string // of the page
	Items                                        []item
	Checks                                       []check
	Verdict                                      string // on all checks
	Files                                        []file
}

// item is an entry of the conversation.
type item struct {
	ID, Kind string // description, commit, inline or comment
	Author   string
	Bot      bool
	At       time.Time
	Body     template.HTML
	// Of a commit.
	Sha, Subject string
	// Of a comment on the diff.
	File, Lines string
	Outdated    bool
	Hunk        template.HTML
	Suggestion  int64 // the comment to accept; 0: nothing to accept
}

type check struct {
	ID                           int64
	App, Name, State, Sign, Text string
	Title                        string
	Summary, Body                template.HTML
	Annotations                  []annotation
	Own                          bool // it has text
}

type annotation struct {
	Path    string `json:"path"`
	Line    int    `json:"start_line"`
	Level   string `json:"annotation_level"`
	Title   string `json:"title"`
	Message string `json:"message"`
}

type file struct {
	Path, Status       string
	Additions, Removed int
	Diff               template.HTML
}

// source is a pull request's state in go-github's types.
type source struct {
	pull     *gh.PullRequest
	inline   []*gh.PullRequestComment
	comments []*gh.IssueComment
	files    []*gh.CommitFile
	checks   []githubtest.Object
	commits  []githubtest.Commit
	link     func(string) string
}

func read(ctx context.Context, p *githubtest.PullRequest) (s source, err error) {
	st, err := p.State(ctx)
	if err != nil {
		return s, err
	}
	if s.pull, err = githubtest.As[*gh.PullRequest](st.Pull); err != nil {
		return s, err
	}
	if s.inline, err = githubtest.As[[]*gh.PullRequestComment](st.Inline); err != nil {
		return s, err
	}
	if s.comments, err = githubtest.As[[]*gh.IssueComment](st.Comments); err != nil {
		return s, err
	}
	if s.files, err = githubtest.As[[]*gh.CommitFile](st.Files); err != nil {
		return s, err
	}
	s.checks = p.Repository().Checks(s.pull.GetHead().GetSHA())
	s.commits, err = p.Commits(ctx)
	base := strings.TrimSuffix(s.pull.GetHTMLURL(), fmt.Sprintf("/pull/%d", p.Number)) + "/runs/"
	s.link = func(to string) string { // checks are on the same page
		if id, ok := strings.CutPrefix(to, base); ok {
			return "#check-" + id
		}
		return to
	}
	return s, err
}

func newView(ctx context.Context, p *githubtest.PullRequest, o options) (view, error) {
	s, err := read(ctx, p)
	if err != nil {
		return view{}, err
	}
	v := view{
		Style: template.CSS(style), Policy: policy(), Live: o.live, Busy: o.busy, Problem: o.problem, //nolint:gosec // our own style sheet
		Repository: p.Repository().FullName(), Title: s.pull.GetTitle(), State: s.pull.GetState(), Author: s.pull.GetUser().GetLogin(),
		Into: s.pull.GetBase().GetRef(), From: s.pull.GetHead().GetRef(), Number: p.Number, CommitCount: len(s.commits), Path: path(p),
	}
	if s.pull.GetMerged() {
		v.State = "merged"
	}
	if fork := s.pull.GetHead().GetRepo().GetFullName(); fork != v.Repository {
		v.From = s.pull.GetHead().GetLabel()
	}
	v.Items = s.items(o.live)
	if v.Checks, err = s.checkViews(); err != nil {
		return view{}, err
	}
	v.Verdict = verdict(v.Checks)
	for _, f := range s.files {
		v.Files = append(v.Files, file{Path: f.GetFilename(), Status: f.GetStatus(), Additions: f.GetAdditions(),
			Removed: f.GetDeletions(), Diff: diff(f.GetPatch())})
	}
	return v, nil
}

// items lists the entries by time. Those of the same second keep this order: description, commits,
// comments on the diff, other comments.
func (s source) items(live bool) []item {
	p := s.pull
	out := []item{{ID: "description", Kind: "description", Author: p.GetUser().GetLogin(), At: p.GetCreatedAt().Time,
		Body: markdown(p.GetBody(), nil, s.link)}}
	for _, c := range s.commits {
		subject, _, _ := strings.Cut(c.Message, "\n")
		out = append(out, item{ID: "commit-" + c.Sha[:10], Kind: "commit", Author: c.Author, At: c.When, Sha: c.Sha[:7], Subject: subject})
	}
	for _, k := range s.inline {
		out = append(out, s.inlineItem(k, live))
	}
	for _, k := range s.comments {
		out = append(out, item{ID: fmt.Sprintf("issuecomment-%d", k.GetID()), Kind: "comment",
			Author: k.GetUser().GetLogin(), Bot: k.GetUser().GetType() == "Bot",
			At: k.GetCreatedAt().Time, Body: markdown(k.GetBody(), nil, s.link)})
	}
	slices.SortStableFunc(out[1:], func(a, b item) int { return a.At.Compare(b.At) })
	return out
}

func (s source) inlineItem(k *gh.PullRequestComment, live bool) item {
	change := githubtest.SuggestedChange(k.GetDiffHunk(), k.GetOriginalStartLine(), k.GetOriginalLine(), k.GetBody())
	it := item{ID: fmt.Sprintf("discussion_r%d", k.GetID()), Kind: "inline", Author: k.GetUser().GetLogin(),
		Bot: k.GetUser().GetType() == "Bot",
		At:  k.GetCreatedAt().Time, File: k.GetPath(), Body: markdown(k.GetBody(), change, s.link)}
	if k.GetSubjectType() == "file" {
		return it
	}
	it.Hunk = diff(k.GetDiffHunk())
	start, line := k.GetStartLine(), k.GetLine()
	if it.Outdated = line == 0; it.Outdated {
		start, line = k.GetOriginalStartLine(), k.GetOriginalLine()
	}
	it.Lines = fmt.Sprintf("line %d", line)
	if start > 0 && start < line {
		it.Lines = fmt.Sprintf("lines %d to %d", start, line)
	}
	if live && change != nil && !it.Outdated && s.pull.GetState() == "open" {
		it.Suggestion = k.GetID()
	}
	return it
}

func (s source) checkViews() ([]check, error) {
	var out []check
	for _, o := range s.checks {
		c, err := githubtest.As[*gh.CheckRun](o)
		if err != nil {
			return nil, err
		}
		k := check{ID: c.GetID(), App: c.GetApp().GetName(), Name: c.GetName(), State: cmp.Or(c.GetConclusion(), c.GetStatus()),
			Title: c.GetOutput().GetTitle(), Summary: markdown(c.GetOutput().GetSummary(), nil, s.link),
			Body: markdown(c.GetOutput().GetText(), nil, s.link)}
		if k.Annotations, err = githubtest.As[[]annotation](o["annotations"]); err != nil {
			return nil, err
		}
		k.Sign = signOf(k.State)
		k.Own = k.Title != ""
		out = append(out, k)
	}
	return out, nil
}

func signOf(state string) string {
	signs := map[string]string{"success": "✓", "failure": "✗", "timed_out": "✗", "neutral": "■", "cancelled": "⊘", "skipped": "⊘"}
	return cmp.Or(signs[state], "●")
}

// verdict summarises all checks.
func verdict(list []check) string {
	var red, busy int
	for _, c := range list {
		switch c.State {
		case "failure", "timed_out":
			red++
		case "queued", "in_progress":
			busy++
		}
	}
	switch {
	case busy > 0:
		return "Some checks have not completed yet"
	case red > 0:
		return "Some checks were not successful"
	case len(list) == 0:
		return "There are no checks yet"
	}
	return "All checks have passed"
}

func diff(patch string) template.HTML {
	var b strings.Builder
	w := bufio.NewWriter(&b)
	writeDiff(w, signs(patch))
	_ = w.Flush()                    // into memory
	return template.HTML(b.String()) //nolint:gosec // writeDiff escapes
}
