package investigate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/riverqueue/river/rivertype"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/pull"
	"github.com/odfix/odfix/internal/store"
)

// stranger opens a pull request with the head of another one, from a fork and into another branch. Its run
// of the same workflow is newer.
func (h *hub) stranger(base string) (*githubtest.PullRequest, *githubtest.Run) {
	h.t.Helper()
	person := h.AddUser("stranger")
	fork, err := h.Repo.Fork(h.Ctx, person)
	h.Must(err)
	return h.another(person, fork, base)
}

// colleague does the same from the branch itself, which only people who can write may do.
func (h *hub) colleague(base string) (*githubtest.PullRequest, *githubtest.Run) {
	h.t.Helper()
	return h.another(h.AddUser("colleague"), nil, base)
}

func (h *hub) another(author *githubtest.Account, from *githubtest.Repository, base string) (*githubtest.PullRequest, *githubtest.Run) {
	h.t.Helper()
	_, err := h.Repo.Commit(h.Ctx, h.Dev, base, "x", githubtest.Change{Files: map[string]string{"x.txt": "x"}})
	h.Must(err)
	other, err := h.Repo.OpenPullRequest(h.Ctx, githubtest.PullSpec{Author: author, Title: "x", Branch: "feature/import", Base: base, From: from})
	h.Must(err)
	return other, h.start(other)
}

// start starts a run of CI for a pull request.
func (h *hub) start(p *githubtest.PullRequest, jobs ...string) *githubtest.Run {
	h.t.Helper()
	if len(jobs) == 0 {
		jobs = []string{"test (17)"}
	}
	run, err := h.Repo.StartRun(h.Ctx, githubtest.RunSpec{Pull: p, Jobs: jobs})
	h.Must(err)
	return run
}

// fails ends all jobs of a run red, with this log.
func (h *hub) fails(run *githubtest.Run, log []byte, jobs ...string) {
	h.t.Helper()
	if len(jobs) == 0 {
		jobs = []string{"test (17)"}
	}
	for _, j := range jobs {
		run.Job(j).Complete(h.Ctx, "failure", log)
	}
	run.Complete(h.Ctx, "failure")
}

// TestAttackRunsOfOthers: a newer run of somebody else's pull request with the same head, which waits for an
// approval, was cancelled or succeeded, does not hide the run that failed.
func TestAttackRunsOfOthers(t *testing.T) {
	for _, conclusion := range []string{"action_required", "cancelled", "success"} {
		t.Run(conclusion, func(t *testing.T) {
			h := newHub(t, githubtest.Config{}, "demo.report.json")
			p := h.Pull(nil)
			run, err := h.Repo.StartRun(h.Ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"test (17)"}})
			h.Must(err)
			h.settle()
			_, theirs := h.stranger("release")
			theirs.Complete(h.Ctx, conclusion)
			h.settle()
			run.Job("test (17)").Complete(h.Ctx, "failure", investigatetest.Recording(t, "demo.log"))
			run.Complete(h.Ctx, "failure")
			h.settled(p, 1)
			if len(h.asked()) == 0 || len(h.Posted(p).Inline)+len(h.Posted(p).Comments) == 0 {
				t.Errorf("%d jobs, %+v", len(h.asked()), h.investigations(p))
			}
		})
	}
}

// TestAttackFailedRunsOfOthers: runs of other pull requests with the same head, which failed before and after
// the run of this one or in very many jobs, do not hide the tests that failed here.
func TestAttackFailedRunsOfOthers(t *testing.T) {
	demo := investigatetest.Recording(t, "demo.log")
	release := bytes.ReplaceAll(bytes.ReplaceAll(demo, []byte("ReceiptTest"), []byte("OldReleaseTest")), []byte("printsTheTotal"), []byte("works"))
	var matrix []string
	for n := range mostJobs + 1 {
		matrix = append(matrix, fmt.Sprint("job", n))
	}
	type parts struct {
		h      *hub
		p      *githubtest.PullRequest
		others func(base string) (*githubtest.PullRequest, *githubtest.Run)
	}
	for name, happens := range map[string]func(x parts){
		"with another test, before": func(x parts) {
			run := x.h.start(x.p)
			_, theirs := x.others("release")
			x.h.fails(theirs, release)
			x.h.settle()
			x.h.fails(run, demo)
		},
		"with another test, at the same time": func(x parts) {
			run := x.h.start(x.p)
			_, theirs := x.others("release")
			x.h.fails(theirs, release)
			x.h.fails(run, demo)
		},
		"without tests, before and after": func(x parts) {
			other, theirs := x.others("release")
			x.h.fails(theirs, []byte(noTests))
			x.h.settle()
			run := x.h.start(x.p)
			x.h.fails(x.h.start(other), []byte(noTests))
			x.h.settle()
			x.h.fails(run, demo)
		},
		"in very many jobs": func(x parts) {
			other, theirs := x.others("release")
			theirs.Complete(x.h.Ctx, "cancelled")
			many := x.h.start(other, matrix...)
			run := x.h.start(x.p)
			x.h.fails(many, []byte(noTests), matrix...)
			x.h.settle()
			x.h.fails(run, demo)
		},
	} {
		for _, who := range []string{"stranger", "colleague"} {
			t.Run(name+", "+who, func(t *testing.T) {
				h := newHub(t, githubtest.Config{Limits: 100_000}, "demo.report.json")
				x := parts{h: h, p: h.Pull(nil), others: h.stranger}
				if who == "colleague" {
					x.others = h.colleague
				}
				happens(x)
				h.settle()
				if posted := h.Posted(x.p); len(posted.Inline)+len(posted.Comments) == 0 {
					t.Errorf("nothing is posted; %d jobs, %+v", len(h.asked()), h.investigations(x.p))
				}
			})
		}
	}
}

// TestAttackTurnsOfForks: somebody's many pull requests with one head leave a place to that of another fork.
func TestAttackTurnsOfForks(t *testing.T) {
	const repository, mallory, victim = 1, 2, 3
	var pulls []github.Pull
	var known []store.PullRequest
	for n := range int64(mostPulls + 5) {
		pulls = append(pulls, github.Pull{Number: n + 1, HeadSHA: "abc", HeadRepository: mallory})
		known = append(known, store.PullRequest{Number: n + 1, HeadRepository: mallory})
	}
	pulls = append(pulls, github.Pull{Number: 99, HeadSHA: "abc", HeadRepository: victim}, github.Pull{Number: 100, HeadSHA: "def", HeadRepository: victim})
	known = append(known, store.PullRequest{Number: 99, HeadRepository: victim})
	if first := firstOf(known, &github.CheckEvent{}, repository); first[0].Number != 1 || first[1].Number != 99 || first[2].Number != 2 {
		t.Errorf("%+v", first[:3])
	}
	if swept := fewOfEachHead(pulls, repository); len(swept) != mostPulls+1 || !swept[99] || !swept[100] {
		t.Errorf("%v", swept)
	}
}

// TestAttackMergeOfOthers: the pull request has no runs, as with a conflict. A stranger's run with the same
// commit prints a log that names another tree as the pull request's test merge. That begins nothing.
func TestAttackMergeOfOthers(t *testing.T) {
	h := newHub(t, githubtest.Config{Limits: 100_000}, "demo.report.json")
	p := h.Pull(nil)
	_, theirs := h.stranger("release")
	log := fmt.Sprintf("2026-05-04T03:02:00.0000001Z  * [new ref] %s -> refs/remotes/pull/1/merge\n%s", strings.Repeat("a", 40),
		investigatetest.Recording(t, "demo.log"))
	h.fails(theirs, []byte(log))
	h.settle()
	for _, i := range h.investigations(p) {
		if i.State != store.Cancelled {
			t.Errorf("%+v", i)
		}
	}
}

// TestAttackReviewOfOthers: the log of a run that a stranger's review has started does not hide the tests that
// failed in a run which a colleague of the author has caused.
func TestAttackReviewOfOthers(t *testing.T) {
	h := newHub(t, githubtest.Config{Limits: 100_000}, "demo.report.json")
	p := h.Pull(nil)
	run, err := h.Repo.StartRun(h.Ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"test (17)"}, Actor: h.AddUser("colleague")})
	h.Must(err)
	review, err := h.Repo.StartRun(h.Ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"label"}, Actor: h.AddUser("stranger"), Workflow: "Label",
		Path: ".github/workflows/label.yml", Event: "pull_request_review"})
	h.Must(err)
	demo := investigatetest.Recording(t, "demo.log")
	h.fails(review, bytes.ReplaceAll(demo, []byte("ReceiptTest"), []byte("ForgedTest")), "label")
	h.fails(run, demo)
	h.settle()
	if posted := h.Posted(p); len(posted.Inline)+len(posted.Comments) == 0 {
		t.Errorf("nothing is posted; %+v", h.investigations(p))
	}
}

// TestAttackSettledByOthers: on a new head whose own CI waits for an approval, was cancelled or has not begun,
// a stranger's green run with the same commit does not settle the comments.
func TestAttackSettledByOthers(t *testing.T) {
	for _, own := range []string{"action_required", "cancelled", "none"} {
		t.Run(own, func(t *testing.T) {
			h := newHub(t, githubtest.Config{Limits: 100_000}, "demo.report.json")
			p := h.Pull(nil)
			h.red(p, "demo.log")
			h.settled(p, 1)
			h.Push(p, "more")
			if own != "none" {
				h.start(p).Complete(h.Ctx, own)
			}
			_, theirs := h.stranger("release")
			theirs.Complete(h.Ctx, "success")
			h.settle()
			for _, c := range h.Posted(p).Inline {
				if strings.Contains(c.GetBody(), "CI passes again") {
					t.Errorf("the comment becomes %s", c.GetBody())
				}
			}
		})
	}
}

// TestAttackOnlyRunsOfOthers: as long as CI of a pull request has not failed, a run of another pull request
// with the same head begins nothing there, whether there are runs of its own or none.
func TestAttackOnlyRunsOfOthers(t *testing.T) {
	for _, own := range []bool{true, false} {
		h := newHub(t, githubtest.Config{Limits: 100_000}, "demo.report.json")
		p := h.Pull(nil)
		if own {
			h.start(p)
		}
		_, theirs := h.stranger("release")
		h.fails(theirs, investigatetest.Recording(t, "demo.log"))
		h.settle()
		list := h.investigations(p)
		if len(list) != 1 || list[0].State != store.Cancelled {
			t.Errorf("own runs %v: %+v", own, list)
		}
	}
}

// TestAttackLaterRunOfOthers: after an answer, a run of another pull request with the same head that fails
// with another test opens no further round.
func TestAttackLaterRunOfOthers(t *testing.T) {
	h := newHub(t, githubtest.Config{Limits: 100_000}, "demo.report.json")
	p := h.Pull(nil)
	h.red(p, "demo.log")
	h.settled(p, 1)
	_, theirs := h.stranger("release")
	log := bytes.ReplaceAll(investigatetest.Recording(t, "demo.log"), []byte("ReceiptTest"), []byte("OldReleaseTest"))
	h.fails(theirs, log)
	h.settle()
	if n := len(h.investigations(p)); n != 1 {
		t.Errorf("%d rounds", n)
	}
}

// TestAttackMoreRunsThanListed: somebody has started so many runs with a commit that GitHub does not list the
// older one of the pull request's author.
func TestAttackMoreRunsThanListed(t *testing.T) {
	var runs []github.Run
	for n := range github.MostRuns {
		runs = append(runs, github.Run{ID: int64(2 + n), HeadSHA: "abc", Status: "completed", Conclusion: "failure", Branch: "other"})
	}
	own := github.Run{ID: 1, HeadSHA: "abc", Status: "completed", Conclusion: "failure", Branch: "topic"}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.HasSuffix(r.URL.Path, "/jobs"):
			_, _ = fmt.Fprint(w, `{"jobs": [{"id": 1, "name": "x", "conclusion": "failure"}]}`)
		case r.URL.Query().Get("actor") == "dev":
			_ = json.NewEncoder(w).Encode(map[string]any{"workflow_runs": []github.Run{own}})
		default:
			_ = json.NewEncoder(w).Encode(map[string]any{"workflow_runs": runs})
		}
	}))
	defer s.Close()
	c, err := github.NewWorkflowClient(github.WorkflowOptions{API: s.URL, Token: "t"})
	if err != nil {
		t.Fatal(err)
	}
	at := target{client: c, repo: github.Repo{ID: 1, Owner: "acme", Name: "shop"}}
	p := &github.Pull{HeadSHA: "abc", HeadRef: "topic", Author: github.Author{Login: "dev"}}
	got, err := runsOn(t.Context(), at, p, config.Defaults(), nil)
	if err != nil || len(got.red) != 1 || got.red[0].run.ID != 1 {
		t.Errorf("%+v, %v", got.red, err)
	}
	if ci, err := pull.ReadCI(t.Context(), pull.Place{Client: c, Repo: at.repo}, "abc"); ci.Green(0) || err != nil {
		t.Errorf("%v", err)
	}
}

// TestAttackManyRunsOfOthers: many runs of somebody else's pull request with the same head, which failed in
// more jobs than are read, do not hide the run that failed before.
func TestAttackManyRunsOfOthers(t *testing.T) {
	h := newHub(t, githubtest.Config{Limits: 100_000}, "demo.report.json")
	p := h.Pull(nil)
	run, err := h.Repo.StartRun(h.Ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"test (17)"}})
	h.Must(err)
	other, theirs := h.stranger("release")
	for range mostJobs + 1 {
		theirs.Job("test (17)").Complete(h.Ctx, "failure", []byte(noTests))
		theirs.Complete(h.Ctx, "failure")
		theirs, err = h.Repo.StartRun(h.Ctx, githubtest.RunSpec{Pull: other, Jobs: []string{"test (17)"}})
		h.Must(err)
	}
	theirs.Complete(h.Ctx, "success")
	run.Job("test (17)").Complete(h.Ctx, "failure", investigatetest.Recording(t, "demo.log"))
	run.Complete(h.Ctx, "failure")
	h.settled(p, 1)
	if len(h.asked()) == 0 {
		t.Errorf("%+v", h.investigations(p))
	}
}

// TestAttackGreenOfOthers: CI of a pull request is red. The newer, green run of somebody else's pull request
// with the same head does not settle its comments.
func TestAttackGreenOfOthers(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	p := h.Pull(nil)
	h.red(p, "demo.log")
	h.settled(p, 1)
	before := h.Posted(p)
	h.Push(p, "more")
	run, err := h.Repo.StartRun(h.Ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"test (17)"}})
	h.Must(err)
	_, theirs := h.stranger("release")
	run.Job("test (17)").Complete(h.Ctx, "failure", []byte(noTests))
	run.Complete(h.Ctx, "failure")
	theirs.Complete(h.Ctx, "success")
	h.settle()
	after := h.Posted(p)
	for i, c := range after.Inline {
		if c.GetBody() != before.Inline[i].GetBody() {
			t.Errorf("a comment becomes %s", c.GetBody())
		}
	}
	for i, c := range after.Comments {
		if c.GetBody() != before.Comments[i].GetBody() {
			t.Errorf("a comment becomes %s", c.GetBody())
		}
	}
	if len(before.Inline)+len(before.Comments) == 0 {
		t.Error("there was no comment")
	}
}

// TestAttackSweepOfOneHead: the sweep opens no investigations of pull requests beyond mostPulls with one head.
func TestAttackSweepOfOneHead(t *testing.T) {
	h := newHub(t, githubtest.Config{Limits: 100_000}, "demo.report.json")
	p := h.Pull(nil)
	all := []*githubtest.PullRequest{p}
	for n := range mostPulls + 3 {
		base := fmt.Sprint("base", n)
		_, err := h.Repo.Commit(h.Ctx, h.Dev, base, "x", githubtest.Change{Files: map[string]string{"x.txt": base}})
		h.Must(err)
		other, err := h.Repo.OpenPullRequest(h.Ctx, githubtest.PullSpec{Author: h.Dev, Title: "x", Branch: "feature/import", Base: base})
		h.Must(err)
		all = append(all, other)
	}
	h.do["collect"] = func(context.Context, rivertype.JobRow) error { return nil } // it matters only which ones are opened
	h.Red(p, []byte(noTests))
	h.settle()
	h.sweep()
	h.settle()
	n := 0
	for _, p := range all {
		n += len(h.investigations(p))
	}
	if n != mostPulls {
		t.Errorf("%d investigations of %d pull requests", n, len(all))
	}
}
