package githubtest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/internal/githubtest"
)

// anchored is a pull request with every kind of change: AppTest.java has hunks
// around lines 5 and 30, OldTest.java is renamed and changed, Gone.java removed.
func anchored(t *testing.T) (*world, *githubtest.PullRequest) {
	w := newWorld(t, githubtest.Config{Limits: githubtest.Limits{ContentPerMinute: -1, PointsPerMinute: -1}})
	long := numbered(30)
	_, err := w.repo.Commit(w.ctx, w.dev, "main", "More", githubtest.Change{Files: map[string]string{"Gone.java": "a\nb\n", "Moved.java": long}})
	w.must(err)
	p, err := w.repo.OpenPullRequest(w.ctx, githubtest.PullSpec{Author: w.dev, Title: "Anchors", Branch: "anchors", Change: githubtest.Change{
		Files:  map[string]string{"src/test/AppTest.java": changed(5, 30), "New name.java": long + "one more\n"},
		Remove: []string{"Gone.java", "Moved.java"}}})
	w.must(err)
	return w, p
}

func TestAnchors(t *testing.T) {
	w, p := anchored(t)
	n := func(i int) *int { return &i }
	const app = "src/test/AppTest.java"
	for _, c := range []struct {
		name                  string
		path                  string
		line, start           *int
		side, startSide, kind string
		review, comment       string // what the two endpoints refuse it with
	}{
		{name: "added line", path: app, line: n(5)},
		{name: "context line", path: app, line: n(8)},
		{name: "last context line", path: app, line: n(33)},
		{name: "removed line", path: app, line: n(5), side: "LEFT"},
		{name: "several lines", path: app, line: n(6), start: n(3)},
		{name: "from removed to added", path: app, line: n(5), start: n(5), startSide: "LEFT", side: "RIGHT"},
		{name: "renamed file", path: "New name.java", line: n(31)},
		{name: "file", path: app, kind: "file"},
		{name: "before the hunk", path: app, line: n(1), review: "Line could not be resolved", comment: "line must be part of the diff"},
		{name: "between hunks", path: app, line: n(15), review: "Line could not be resolved", comment: "line must be part of the diff"},
		{name: "beyond the end", path: app, line: n(999), review: "Line could not be resolved", comment: "line must be part of the diff"},
		{name: "added line on the left", path: "New name.java", line: n(31), side: "LEFT", review: "Line could not be resolved", comment: "line must be part of the diff"},
		{name: "start in another hunk", path: app, line: n(30), start: n(5), review: "start line must be part of the same hunk", comment: "start_line must be part of the same hunk as the line."},
		{name: "start is the line", path: app, line: n(5), start: n(5), review: "start line must precede the end line", comment: "start_line must precede the end line."},
		{name: "start after the line", path: app, line: n(5), start: n(6), review: "start line must precede the end line", comment: "start_line must precede the end line."},
		{name: "file not in the diff", path: "README.md", line: n(1), review: "Path could not be resolved", comment: "pull_request_review_thread.path"},
		{name: "old name", path: "Moved.java", line: n(1), review: "Path could not be resolved", comment: "pull_request_review_thread.path"},
		{name: "file comment off the diff", path: "README.md", kind: "file", review: "-", comment: "pull_request_review_thread.path"},
		{name: "no line", path: app, review: "position is invalid", comment: "pull_request_review_thread.line"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fields := o{"path": c.path, "body": "x"}
			for key, v := range map[string]*int{"line": c.line, "start_line": c.start} {
				if v != nil {
					fields[key] = *v
				}
			}
			for key, v := range map[string]string{"side": c.side, "start_side": c.startSide, "subject_type": c.kind} {
				if v != "" {
					fields[key] = v
				}
			}
			url := fmt.Sprintf("/repos/acme/demo/pulls/%d", p.Number)
			if c.kind == "" { // reviews take no comments on files
				r := w.do(w.gh, "POST", url+"/reviews", o{"event": "COMMENT", "body": "b", "comments": []o{fields}})
				checkRefusal(t, r, 200, c.review, "Unprocessable Entity")
			}
			fields["commit_id"] = p.HeadSha()
			r := w.do(w.gh, "POST", url+"/comments", fields)
			checkRefusal(t, r, 201, c.comment, "Validation Failed")
		})
	}
}

func checkRefusal(t *testing.T, r reply, good int, says, message string) {
	t.Helper()
	if says == "" {
		if r.status != good {
			t.Errorf("refused: %d %s", r.status, r.body)
		}
		return
	}
	if r.status != 422 || r.message(t) != message || !strings.Contains(string(r.body), says) {
		t.Errorf("%d %s, want a 422 that says %q", r.status, r.body, says)
	}
}

// One comment off the diff loses the whole review, and nothing says which it was.
func TestReviewIsAllOrNothing(t *testing.T) {
	w, p := anchored(t)
	comment := func(path string, line int) *github.DraftReviewComment {
		return &github.DraftReviewComment{Path: &path, Line: &line, Body: github.String("x"), Side: github.String("RIGHT")}
	}
	_, resp, err := w.gh.PullRequests.CreateReview(w.ctx, "acme", "demo", p.Number, &github.PullRequestReviewRequest{Event: github.String("COMMENT"),
		Body: github.String("b"), Comments: []*github.DraftReviewComment{comment("src/test/AppTest.java", 5), comment("src/test/AppTest.java", 15)}})
	if status(resp) != 422 || strings.Contains(err.Error(), "15") || strings.Contains(err.Error(), "AppTest") {
		t.Errorf("%v", err)
	}
	state, err := p.State(w.ctx)
	w.must(err)
	if len(state.Reviews)+len(state.Inline) != 0 {
		t.Errorf("left behind: %v %v", state.Reviews, state.Inline)
	}
	many := make([]*github.DraftReviewComment, 31)
	for i := range many {
		many[i] = comment("src/test/AppTest.java", 5)
	}
	if _, resp, _ := w.gh.PullRequests.CreateReview(w.ctx, "acme", "demo", p.Number, &github.PullRequestReviewRequest{Event: github.String("COMMENT"), Comments: many}); status(resp) != 422 {
		t.Errorf("31 comments: %d", status(resp))
	}
}

// Comments move with their lines, and are outdated once these change.
func TestCommentsFollowTheirLines(t *testing.T) {
	w, p := anchored(t)
	post := func(line, start int) int64 {
		k := &github.PullRequestComment{Path: github.String("src/test/AppTest.java"), Line: &line, Body: github.String("x"), CommitID: github.String(p.HeadSha())}
		if start > 0 {
			k.StartLine = &start
		}
		made, _, err := w.gh.PullRequests.CreateComment(w.ctx, "acme", "demo", p.Number, k)
		w.must(err)
		return made.GetID()
	}
	early, late, span := post(5, 0), post(30, 0), post(31, 29)
	first := p.HeadSha()
	_, err := p.Push(w.ctx, "Insert", githubtest.Change{Files: map[string]string{"src/test/AppTest.java": strings.Replace(changed(5, 30), "changed\n", "other\ninserted\n", 1)}})
	w.must(err)
	for id, want := range map[int64][3]int{early: {0, 0, 5}, late: {31, 0, 30}, span: {32, 30, 31}} {
		k, _, err := w.gh.PullRequests.GetComment(w.ctx, "acme", "demo", id)
		w.must(err)
		if got := [3]int{k.GetLine(), k.GetStartLine(), k.GetOriginalLine()}; got != want {
			t.Errorf("comment: %v, want %v", got, want)
		}
		commit := map[bool]string{true: p.HeadSha(), false: first}[want[0] > 0]
		if k.GetCommitID() != commit || k.GetOriginalCommitID() != first {
			t.Errorf("commit %s, original %s", k.GetCommitID(), k.GetOriginalCommitID())
		}
	}
}

func TestSuggestionsAreApplied(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	p, err := w.repo.OpenPullRequest(w.ctx, githubtest.PullSpec{Author: w.dev, Title: "x", Branch: "x", Change: githubtest.Change{
		Files: map[string]string{"dos.txt": "one\r\ntwo\r\nthree"}}})
	w.must(err)
	suggest := func(line, start int, body string) int64 {
		k := &github.PullRequestComment{Path: github.String("dos.txt"), Line: &line, Body: &body, CommitID: github.String(p.HeadSha())}
		if start > 0 {
			k.StartLine = &start
		}
		made, _, err := w.gh.PullRequests.CreateComment(w.ctx, "acme", "demo", p.Number, k)
		w.must(err)
		return made.GetID()
	}
	same := suggest(1, 0, "```suggestion\none\n```")
	if _, err := p.ApplySuggestions(w.ctx, w.dev, same); err == nil || !strings.Contains(err.Error(), "changes nothing") {
		t.Errorf("a suggestion that changes nothing: %v", err)
	}
	a := suggest(2, 1, "Why.\n\n````suggestion\nuno\n```\ndos\n````\nmore")
	b := suggest(3, 0, "```suggestion\ntres\n```")
	sha, err := p.ApplySuggestions(w.ctx, w.dev, a, b)
	w.must(err)
	if text, err := w.repo.File(w.ctx, sha, "dos.txt"); err != nil || text != "uno\r\n```\r\ndos\r\ntres" {
		t.Errorf("%q %v", text, err)
	}
	if _, err := p.ApplySuggestions(w.ctx, w.dev, a); err == nil || !strings.Contains(err.Error(), "outdated") {
		t.Errorf("applied twice: %v", err)
	}
	p.Close(w.ctx, w.dev)
	if _, err := p.ApplySuggestions(w.ctx, w.dev, b); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("on a closed pull request: %v", err)
	}
}
