package githubtest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/internal/githubtest"
)

// anchored is a pull request with every kind of change: AppTest.java has hunks around lines 5 and
// 30, Moved.java is renamed and changed, Gone.java is removed.
func anchored(t *testing.T) (*world, *githubtest.PullRequest) {
	w := newWorld(t, githubtest.Config{})
	long := numbered(30)
	_, err := w.repo.Commit(w.ctx, w.dev, "main", "More",
		githubtest.Change{Files: map[string]string{"Gone.java": "a\nb\n", "Moved.java": long}})
	w.must(err)
	p, err := w.repo.OpenPullRequest(w.ctx, githubtest.PullSpec{Author: w.dev, Title: "Anchors",
		Branch: "anchors", Change: githubtest.Change{
			Files:  map[string]string{"src/test/AppTest.java": changed(5, 30), "New name.java": long + "one more\n"},
			Remove: []string{"Gone.java", "Moved.java"}}})
	w.must(err)
	return w, p
}

const appTest = "src/test/AppTest.java"

// review posts comments on lines, and returns the ids of all comments on the diff.
func (w *world) review(p *githubtest.PullRequest, comments ...*github.DraftReviewComment) []int64 {
	w.t.Helper()
	v, _, err := w.gh.PullRequests.CreateReview(w.ctx, "acme", "demo", p.Number,
		&github.PullRequestReviewRequest{Event: github.String("COMMENT"), CommitID: github.String(p.HeadSha()), Comments: comments})
	w.must(err)
	made, _, err := w.gh.PullRequests.ListReviewComments(w.ctx, "acme", "demo", p.Number, v.GetID(), nil)
	w.must(err)
	var ids []int64
	for _, k := range made {
		ids = append(ids, k.GetID())
	}
	return ids
}

func line(path string, line, start int, body string) *github.DraftReviewComment {
	k := &github.DraftReviewComment{Path: &path, Line: &line, Body: &body, Side: github.String("RIGHT")}
	if start > 0 {
		k.StartLine = &start
	}
	return k
}

func TestAnchors(t *testing.T) {
	w, p := anchored(t)
	const offLine, offPath = "Line could not be resolved", "Path could not be resolved"
	for _, c := range []struct {
		name        string
		path        string
		line, start int
		want        string // GitHub's text of the error
	}{
		{"added line", appTest, 5, 0, ""},
		{"context line", appTest, 8, 0, ""},
		{"last context line", appTest, 33, 0, ""},
		{"several lines", appTest, 6, 3, ""},
		{"renamed file", "New name.java", 31, 0, ""},
		{"before the hunk", appTest, 1, 0, offLine},
		{"between hunks", appTest, 15, 0, offLine},
		{"beyond the end", appTest, 999, 0, offLine},
		{"start in another hunk", appTest, 30, 5, "start line must be part of the same hunk"},
		{"start is the line", appTest, 5, 5, "start line must precede the end line"},
		{"start after the line", appTest, 5, 6, "start line must precede the end line"},
		{"file not in the diff", "README.md", 1, 0, offPath},
		{"old name", "Moved.java", 1, 0, offPath},
	} {
		_, _, err := w.gh.PullRequests.CreateReview(w.ctx, "acme", "demo", p.Number,
			&github.PullRequestReviewRequest{Event: github.String("COMMENT"),
				CommitID: github.String(p.HeadSha()), Comments: []*github.DraftReviewComment{line(c.path, c.line, c.start, "x")}})
		if c.want == "" {
			w.must(err)
		} else {
			wantError(t, err, 422, c.want)
		}
	}
	url := fmt.Sprintf("/repos/acme/demo/pulls/%d", p.Number)
	left := o{"event": "COMMENT", "commit_id": p.HeadSha(), "comments": []o{{"path": appTest, "line": 5, "side": "LEFT", "body": "x"}}}
	if r := w.do(w.gh, "POST", url+"/reviews", left); r.status != 422 {
		t.Errorf("the old side: %d", r.status)
	}
	for path, want := range map[string]int{appTest: 201, "README.md": 422} {
		r := w.do(w.gh, "POST", url+"/comments", o{"path": path, "subject_type": "file", "body": "x", "commit_id": p.HeadSha()})
		if r.status != want {
			t.Errorf("a comment on %s: %d %s", path, r.status, r.body)
		}
	}
}

// Requests that GitHub accepts and the stand-in does not have are mismatches.
func TestUnsupportedReviews(t *testing.T) {
	w, p := anchored(t)
	url := fmt.Sprintf("/repos/acme/demo/pulls/%d", p.Number)
	if r := w.do(w.gh, "POST", url+"/reviews", o{"body": "a pending review"}); r.status != 422 {
		t.Errorf("%d %s", r.status, r.body)
	}
	w.expectMismatch("no pending reviews")
	if r := w.do(w.gh, "POST", url+"/comments", o{"path": appTest, "line": 5, "body": "x", "commit_id": p.HeadSha()}); r.status != 422 {
		t.Errorf("%d %s", r.status, r.body)
	}
	w.expectMismatch("only in a review")
}

// One comment off the diff refuses the whole review, and the error does not name it.
func TestReviewIsAllOrNothing(t *testing.T) {
	w, p := anchored(t)
	post := func(comments ...*github.DraftReviewComment) error {
		_, _, err := w.gh.PullRequests.CreateReview(w.ctx, "acme", "demo", p.Number,
			&github.PullRequestReviewRequest{Event: github.String("COMMENT"),
				CommitID: github.String(p.HeadSha()), Comments: comments})
		return err
	}
	err := post(line(appTest, 5, 0, "x"), line(appTest, 15, 0, "x"))
	wantError(t, err, 422, "Line could not be resolved")
	_, message, _ := strings.Cut(err.Error(), "/reviews: ") // the address before it has a random port
	if !strings.HasPrefix(message, "422") || strings.Contains(message, "15") || strings.Contains(message, "AppTest") {
		t.Errorf("%v", err)
	}
	state, err := p.State(w.ctx)
	w.must(err)
	if len(state.Reviews)+len(state.Inline) != 0 {
		t.Errorf("still there: %v %v", state.Reviews, state.Inline)
	}
	many := make([]*github.DraftReviewComment, 31)
	for i := range many {
		many[i] = line(appTest, 5, 0, "x")
	}
	wantError(t, post(many...), 422, "maximum is 30 comments")
}

// A comment moves with its lines. It is outdated when they change.
func TestCommentsFollowTheirLines(t *testing.T) {
	w, p := anchored(t)
	ids := w.review(p, line(appTest, 5, 0, "x"), line(appTest, 30, 0, "x"), line(appTest, 31, 29, "x"))
	first := p.HeadSha()
	_, err := p.Push(w.ctx, "Insert", githubtest.Change{Files: map[string]string{appTest: strings.Replace(changed(5, 30),
		"changed\n", "other\ninserted\n", 1)}})
	w.must(err)
	all, _, err := w.gh.PullRequests.ListComments(w.ctx, "acme", "demo", p.Number, nil)
	w.must(err)
	want := map[int64][3]int{ids[0]: {0, 0, 5}, ids[1]: {31, 0, 30}, ids[2]: {32, 30, 31}}
	for _, k := range all {
		want := want[k.GetID()]
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
	ids := w.review(p, line("dos.txt", 1, 0, "```suggestion\none\n```"),
		line("dos.txt", 2, 1, "Why.\n\n````suggestion\nuno\n```\ndos\n````\nmore"),
		line("dos.txt", 3, 0, "```suggestion\ntres\n```"), line("dos.txt", 3, 0, "no suggestion"))
	wantRefused := func(words string, ids ...int64) {
		t.Helper()
		if _, err := p.ApplySuggestions(w.ctx, w.dev, ids...); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%v, want an error with %q", err, words)
		}
	}
	wantRefused("changes nothing", ids[0])
	wantRefused("no suggestion", ids[3])
	wantRefused("overlap", ids[0], ids[1])
	sha, err := p.ApplySuggestions(w.ctx, w.dev, ids[1], ids[2])
	w.must(err)
	if text, err := w.repo.File(w.ctx, sha, "dos.txt"); err != nil || text != "uno\r\n```\r\ndos\r\ntres" {
		t.Errorf("%q %v", text, err)
	}
	wantRefused("outdated", ids[1])
	p.Close(w.ctx, w.dev)
	wantRefused("closed", ids[2])
	full, _, err := w.gh.PullRequests.Get(w.ctx, "acme", "demo", p.Number)
	w.must(err)
	if full.GetState() != "closed" || full.ClosedAt == nil {
		t.Errorf("%s, closed at %v", full.GetState(), full.ClosedAt)
	}
}
