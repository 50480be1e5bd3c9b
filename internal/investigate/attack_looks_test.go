package investigate

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/store"
)

const noTests = "2026-05-04T03:02:01.0000001Z no such host\n"

// TestAttackManyWorkflows: of very many workflows of a commit, the jobs of few are asked for, red
// ones first. What has ended, or was read, is not asked for again.
func TestAttackManyWorkflows(t *testing.T) {
	const all, red = 3 * mostRuns, 5
	var runs []github.Run
	for i := range all {
		r := github.Run{ID: int64(i), Path: fmt.Sprint(i), HeadSHA: "abc", Status: "in_progress", Attempt: 1}
		if i < 2*red { // the oldest ones
			r.Status, r.Conclusion = "completed", []string{"failure", "success"}[i%2]
		}
		runs = append(runs, r)
	}
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if !strings.HasSuffix(r.URL.Path, "/jobs") {
			_ = json.NewEncoder(w).Encode(map[string]any{"workflow_runs": runs})
			return
		}
		asked++
		id := strings.Split(r.URL.Path, "/")[6]
		_, _ = fmt.Fprintf(w, `{"jobs": [{"id": 1%s, "name": "x", "conclusion": "failure"}]}`, id)
	}))
	defer s.Close()
	c, err := github.NewWorkflowClient(github.WorkflowOptions{API: s.URL, Token: "t"})
	if err != nil {
		t.Fatal(err)
	}
	at := target{client: c, repo: github.Repo{ID: 1, Owner: "acme", Name: "shop"}}
	got, err := runsOn(t.Context(), at, &github.Pull{HeadSHA: "abc"}, config.Defaults(), nil)
	if err != nil || asked != mostRuns || got.left != all-mostRuns || len(got.red) != mostRuns || len(got.ended) != 2*red {
		t.Fatalf("%v, %d requests, %d left out, %d red, %d ended", err, asked, got.left, len(got.red), len(got.ended))
	}
	for _, r := range got.red[:red] {
		if r.run.Conclusion != "failure" {
			t.Errorf("the run %d is before those that are red", r.run.ID)
		}
	}
	asked = 0
	read := append(got.ended, got.red[red].red[0].Key())
	got, err = runsOn(t.Context(), at, &github.Pull{HeadSHA: "abc"}, config.Defaults(), read)
	if err != nil || asked != mostRuns || got.left != all-2*red-mostRuns || len(got.red) != mostRuns-1 || len(got.ended) != 0 {
		t.Errorf("later: %v, %d requests, %d left out, %d red, %d ended", err, asked, got.left, len(got.red), len(got.ended))
	}
}

// TestAttackManyLooks: the waits between two looks at one head's CI double, up to 43 minutes. Few heads
// are remembered.
func TestAttackManyLooks(t *testing.T) {
	h, now := &heads{seen: map[head]seen{}}, time.Unix(1000, 0)
	of, looks := head{repository: 1, pull: 2, sha: "abc"}, 0
	h.saw(of, 7, now)
	var within [2]int // an hour, a day
	for begun := now; now.Sub(begun) < 24*time.Hour; {
		stay := h.again(of, now, DefaultPace.Look)
		if now = now.Add(stay); stay > 0 {
			continue
		}
		if h.again(of, now, DefaultPace.Look) == 0 {
			t.Error("two looks at once")
		}
		h.saw(of, 7, now)
		looks = h.read(of, now)
		if now.Sub(begun) < time.Hour {
			within[0] = looks
		}
		within[1] = looks
	}
	if within[0] != mostDoublings || within[1] > 45 || within[1] < 35 {
		t.Errorf("%d looks in an hour, %d in a day", within[0], within[1])
	}
	if h.again(of, now.Add(longSeen+time.Hour), DefaultPace.Look) > 0 {
		t.Error("after a day, the head is not looked at at once")
	}
	i := store.Investigation{Repository: 1, PullRequest: 2, HeadSHA: "abc"}
	if h.again(looksOf(i, ""), now, DefaultPace.Look) > 0 || h.again(looksOf(i, "job/1"), now, DefaultPace.Look) == 0 {
		t.Error("looks because of other CI systems do not count apart")
	}
	unknown := head{repository: 1, pull: 3, sha: "abc"}
	if h.again(unknown, now, DefaultPace.Look) > 0 || h.again(unknown, now, DefaultPace.Look) == 0 {
		t.Error("jobs of a head that is not known do not wait for each other")
	}
	if _, known := h.author(unknown); known {
		t.Error("its author is known")
	}
	for i := range 2 * mostHeads {
		h.saw(head{repository: 1, pull: int64(i), sha: "def"}, 7, now)
	}
	if n := len(h.seen); n > mostHeads || n == 0 {
		t.Errorf("%d heads are remembered", n)
	}
}

// TestAttackRedJobsOneByOne: workflows of one push become red one after the other, without a failing
// test. Each log is read, and none twice after the investigation's end.
func TestAttackRedJobsOneByOne(t *testing.T) {
	h := newHub(t, githubtest.Config{Limits: 100_000}, "demo.report.json")
	p := h.Pull(nil)
	var runs []*githubtest.Run
	for i := range mostDoublings + 6 {
		name := fmt.Sprint(i)
		r, err := h.Repo.StartRun(h.Ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"x"}, Workflow: name, Path: name + ".yml"})
		h.Must(err)
		runs = append(runs, r)
	}
	for _, r := range runs {
		r.Job("x").Complete(h.Ctx, "failure", []byte(noTests))
		r.Complete(h.Ctx, "failure")
		h.settle()
	}
	// Each workflow has two deliveries. Here, the second one comes when the wait of the first ends,
	// so both look.
	looks, logs := h.requests("/actions/runs?"), h.requests("/logs")
	if looks > 2*len(runs)+2 || logs > len(runs)+2 || logs < len(runs) {
		t.Errorf("%d looks at the runs, %d logs", looks, logs)
	}
	if n := h.requests("/jobs?"); n > looks*len(runs)*2/3 {
		t.Errorf("%d lists of jobs: those of runs that were read are asked for again", n)
	}
	if list := h.investigations(p); len(list) != 1 || list[0].State != store.Cancelled {
		t.Errorf("%+v", list)
	}
}

// TestJobsOneByOne: jobs of a run that become red one after the other are one investigation.
func TestJobsOneByOne(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	p := h.Pull(nil)
	log := string(investigatetest.Recording(t, "demo.log"))
	line := "2026-05-04T03:02:31.0000031Z [ERROR] com.example.shop.ReceiptTest.printsTheTotal -- Time elapsed: 0.127 s <<< FAILURE!\n"
	both := strings.Replace(log, line, line+strings.ReplaceAll(line, "printsTheTotal", "printsTheDate"), 1)
	run, err := h.Repo.StartRun(h.Ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"lint", "17", "21"}})
	h.Must(err)
	for _, j := range []struct{ name, log string }{{"lint", noTests}, {"17", both}, {"21", log}} {
		run.Job(j.name).Complete(h.Ctx, "failure", []byte(j.log))
		h.Must(h.Drain(h.Ctx))
		for h.requests("/logs") == 0 && h.step() { // only lint's is read
		}
	}
	run.Complete(h.Ctx, "failure")
	list, jobs := h.settled(p, 1), h.asked()
	if len(list) != 1 || len(jobs) != 1 || len(jobs[0].Tests) != 2 || h.requests("/logs") != 4 {
		t.Errorf("%d investigations, %d jobs, %d logs", len(list), len(jobs), h.requests("/logs"))
	}
}

// TestAttackAuthorWithoutPlaces: while an author's places for logs are taken, further red pull
// requests of this author ask GitHub for nothing after their first attempt.
func TestAttackAuthorWithoutPlaces(t *testing.T) {
	h := newHub(t, githubtest.Config{Limits: 100_000}, "demo.report.json")
	var leave []func()
	for range commitsOfOne - 1 {
		l, _ := h.s.authors.enter(authorOf{h.Inst.ID, h.Dev.ID}, h.now(), DefaultPace.Look)
		leave = append(leave, l)
	}
	var pulls []*githubtest.PullRequest
	for i := range 3 {
		p, err := h.Repo.OpenPullRequest(h.Ctx, githubtest.PullSpec{Author: h.Dev, Title: "x", Branch: fmt.Sprint("b", i),
			Change: githubtest.Change{Files: map[string]string{"x.txt": fmt.Sprint(i)}}})
		h.Must(err)
		h.Red(p, []byte(noTests))
		pulls = append(pulls, p)
	}
	h.Must(h.Drain(h.Ctx))
	for len(h.s.heads.seen) < len(pulls) && h.step() {
	}
	before := len(h.Requests())
	for range 40 {
		h.step()
	}
	if n := len(h.Requests()) - before; n > 0 {
		t.Errorf("40 attempts without a place: %d requests", n)
	}
	for _, l := range leave {
		l()
	}
	for _, p := range pulls {
		if list := h.settled(p, 1); len(list) != 1 {
			t.Errorf("%+v", list)
		}
	}
}

// TestAttackPlanWithoutPlace: a report that waits for the installation's place for plans asks GitHub
// for nothing.
func TestAttackPlanWithoutPlace(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	leave, _ := h.s.planning.enter(h.Inst.ID, h.now(), DefaultPace.Look)
	p := h.Pull(nil)
	h.red(p, "demo.log")
	h.Must(h.Drain(h.Ctx))
	reporting := func(i store.Investigation) bool { return i.State == store.Reporting }
	for !slices.ContainsFunc(h.investigations(p), reporting) && h.step() {
	}
	for range 5 { // other jobs
		h.step()
	}
	before := len(h.Requests())
	for range 10 {
		h.step()
	}
	if n := len(h.Requests()) - before; n > 0 || !slices.ContainsFunc(h.investigations(p), reporting) {
		t.Errorf("%d requests, %+v", n, h.investigations(p))
	}
	leave()
	if list := h.settled(p, 1); list[0].State != store.Done {
		t.Errorf("%+v", list)
	}
}

// TestAttackSameHeads: of very many pull requests with one head, a few are investigated.
func TestAttackSameHeads(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	h.settle() // the repository is known
	const head = "abcdefabcdefabcdefabcdefabcdefabcdefabcd"
	h.Must(h.db.Do(h.Ctx, func(tx *store.Tx) error {
		for n := range int64(mostPulls + 5) {
			if _, err := tx.SavePullRequest(store.PullRequest{Repository: h.Repo.ID, Number: 100 + n, HeadSHA: head, HeadRepository: h.Repo.ID,
				HeadRef: fmt.Sprint("branch", n), BaseRef: "main", Open: true, Updated: time.Now()}); err != nil {
				return err
			}
		}
		return nil
	}))
	at, err := h.s.target(h.Inst.ID, h.Repo.ID, "acme/shop")
	h.Must(err)
	// The last one is the one that CI ran for.
	h.Must(h.s.red(h.Ctx, at, &github.CheckEvent{HeadSHA: head, Key: "run/1", Conclusion: "failure", HeadRepository: h.Repo.ID,
		HeadBranch: fmt.Sprint("branch", mostPulls+4)}, time.Now()))
	if len(h.investigations(&githubtest.PullRequest{Number: 100 + mostPulls + 4})) != 1 {
		t.Error("others keep the pull request that CI ran for from being investigated")
	}
	opened := 0
	for n := range mostPulls + 5 {
		opened += len(h.investigations(&githubtest.PullRequest{Number: 100 + n}))
	}
	if opened != mostPulls {
		t.Errorf("%d investigations", opened)
	}
}
