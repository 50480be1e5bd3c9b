package investigate

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/keys"
	"github.com/odfix/odfix/internal/store"
)

// repositories adds repositories, each with this number of open pull requests.
func (h *hub) repositories(count, pulls int) {
	h.t.Helper()
	for n := range count {
		r, err := h.AddRepository(h.Ctx, githubtest.RepositorySpec{Owner: h.Owner, Name: fmt.Sprintf("more-%d-%03d", pulls, n), Private: true,
			Files: map[string]string{"README.md": "more\n"}})
		h.Must(err)
		r.SetRole(h.Dev, "write")
		for p := range pulls {
			_, err := r.OpenPullRequest(h.Ctx, githubtest.PullSpec{Author: h.Dev, Title: "A change", Branch: fmt.Sprint("change-", p),
				Change: githubtest.Change{Files: map[string]string{"NOTES.md": fmt.Sprint(p)}}})
			h.Must(err)
		}
	}
}

// requested counts the requests of an operation.
func (h *hub) requested(operation string) (n int) {
	for _, r := range h.Requests() {
		if r.Operation == operation {
			n++
		}
	}
	return n
}

// TestSweepOfManyRepositories: a job sweeps one page of repositories and queues the next one.
// Repositories without anything open cost no request of their own. While a sweep is under way, no
// other begins.
func TestSweepOfManyRepositories(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	var p *githubtest.PullRequest
	h.lost(func() {
		h.repositories(2*pageSize+5, 0)
		h.repositories(1, 1)
		p = h.Pull(nil)
		h.red(p, "demo.log")
	})
	h.settle()
	h.Must(h.s.sweep(h.Ctx, sweepArgs{}))
	h.Must(h.s.sweep(h.Ctx, sweepArgs{}))
	if n := len(h.sweeps()); n != 1 {
		t.Errorf("%d sweeps at once", n)
	}
	h.step()
	if list := h.sweeps(); len(list) != 1 || list[0].Page != 1 || h.requested("apps/list-repos-accessible-to-installation") != 1 {
		t.Errorf("after one job: %+v", list)
	}
	h.Must(h.s.sweep(h.Ctx, sweepArgs{}))
	if n := len(h.sweeps()); n != 1 {
		t.Errorf("%d sweeps at once", n)
	}
	h.settled(p, 1)
	lists, pages := h.requested("pulls/list"), h.requested("apps/list-repos-accessible-to-installation")
	if s := h.Posted(p); len(s.Checks) != 1 || len(s.Causes()) != 1 || lists != 2 || pages != 3 {
		t.Errorf("%d checks, %d comments; pull requests listed %d times, %d pages", len(s.Checks), len(s.Causes()), lists, pages)
	}
	h.sweep()
	if again := h.requested("apps/list-repos-accessible-to-installation"); again != 2*pages {
		t.Errorf("%d pages in a second sweep", again-pages)
	}
}

// sweeps are the jobs of sweeps that have not ended.
func (h *hub) sweeps() (out []sweepOneArgs) {
	h.t.Helper()
	list, err := store.Read(h.Ctx, h.db, func(tx *store.Tx) ([][]byte, error) { return tx.Unfinished("sweep-installation") })
	h.Must(err)
	for _, text := range list {
		var a sweepOneArgs
		h.Must(json.Unmarshal(text, &a))
		out = append(out, a)
	}
	return out
}

// TestSweepJobTwice: a job that runs again, since its process died when it was done, does not begin
// a second row of jobs.
func TestSweepJobTwice(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	h.lost(func() { h.repositories(pageSize, 0) })
	for range 2 {
		h.Must(h.s.sweepOne(h.Ctx, sweepOneArgs{Installation: h.Inst.ID}))
	}
	if list := h.sweeps(); len(list) != 1 || list[0].Page != 1 {
		t.Errorf("%+v", list)
	}
}

// newHubWithPoints is a hub whose App has this many points a minute.
func newHubWithPoints(t *testing.T, points int) *hub {
	t.Helper()
	return newHubWith(t, func(h *hub) {
		h.adjust = func(o *Options) {
			sign, err := keys.PEM(h.App.PEM())
			h.Must(err)
			o.App, err = github.NewApp(github.AppOptions{ID: h.App.ID, Sign: sign, API: h.URL, Now: h.now,
				Budget: github.Budget{PointsPerMinute: points}})
			h.Must(err)
		}
	})
}

// TestSweepLeavesHalfOfTheLimits: a sweep waits when half of the installation's budget is used, and
// red builds have the other half. What it has swept is not swept again.
func TestSweepLeavesHalfOfTheLimits(t *testing.T) {
	const repositories = 12
	h := newHubWithPoints(t, 64) // a repository takes four of them, so that half ends between two repositories
	h.lost(func() { h.repositories(repositories, 1) })
	h.settle()
	h.advance(time.Hour)
	h.Must(h.s.sweep(h.Ctx, sweepArgs{}))
	h.step()
	list := h.sweeps()
	if len(list) != 1 || list[0].Page != 0 || len(list[0].Done) < 2 || len(list[0].Done) > repositories {
		t.Fatalf("it does not wait for a free half: %+v", list)
	}
	for n := range 10 {
		if _, _, err := h.s.app.For(h.Inst.ID).Repositories(h.Ctx, 1, 30); err != nil {
			t.Fatalf("request %d of others: %v", n, err)
		}
	}
	for range 100 { // in this test, waiting moves no clock
		h.advance(time.Minute)
		if !h.step() {
			break
		}
	}
	if n := h.requested("pulls/list"); n != repositories || len(h.sweeps()) != 0 {
		t.Errorf("pull requests were listed %d times; left: %+v", n, h.sweeps())
	}
}

// TestSweepOfManyPullRequests: a sweep also waits within a repository, and goes on where it ended.
func TestSweepOfManyPullRequests(t *testing.T) {
	const pulls = 25
	h := newHubWithPoints(t, 40)
	h.lost(func() { h.repositories(1, pulls) })
	h.settle()
	h.advance(time.Hour)
	h.Must(h.s.sweep(h.Ctx, sweepArgs{}))
	jobs := 0
	for ; jobs < 100 && h.step(); jobs++ { // in this test, waiting moves no clock
		h.advance(time.Minute)
	}
	const looks = "actions/list-workflow-runs-for-repo"
	if n := h.requested(looks); n != pulls || jobs < 3 || len(h.sweeps()) != 0 {
		t.Errorf("%d looks at %d pull requests in %d jobs; left: %+v", n, pulls, jobs, h.sweeps())
	}
}

// TestSweepDuringTrouble: if GitHub answers no question about repositories, the page is swept again
// later, and at last the sweep ends.
func TestSweepDuringTrouble(t *testing.T) {
	for name, c := range map[string]struct{ faults, reads int }{"for a while": {mostUnread, mostUnread + 4}, "for long": {1000, 4*mostUnread + 1}} {
		h := newHub(t, githubtest.Config{}, "demo.report.json")
		h.lost(func() { h.repositories(4, 1) })
		h.settle()
		for range c.faults {
			h.Fail(githubtest.Fault{Operation: "pulls/list", Kind: githubtest.Broken})
		}
		before := h.requested("pulls/list")
		h.Must(h.s.sweep(h.Ctx, sweepArgs{}))
		for n := 0; n < 100 && h.step(); n++ {
			h.advance(unreadPause)
		}
		if n := h.requested("pulls/list") - before; n != c.reads || len(h.sweeps()) != 0 {
			t.Errorf("%s: %d reads, want %d; left: %+v", name, n, c.reads, h.sweeps())
		}
	}
}

// TestSweepGoesOn: a repository that cannot be read does not keep the others from being swept.
func TestSweepGoesOn(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	h.lost(func() {
		h.Pull(nil)
		h.repositories(2, 1)
	})
	h.settle()
	h.Fail(githubtest.Fault{Operation: "pulls/list", Kind: githubtest.Broken})
	h.sweep()
	if n := h.requested("pulls/list"); n != 3 {
		t.Errorf("%d repositories were read", n)
	}
}

// TestMissedSinceTheLastLook: each delivery is looked at once, and some minutes before the last look
// again. What could not be asked for is asked for later.
func TestMissedSinceTheLastLook(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	p := h.Pull(nil)
	for n := range 250 {
		p.Comment(h.Ctx, h.Dev, fmt.Sprint("remark ", n))
	}
	h.settle()
	h.advance(overlap + time.Minute)
	const pages = "apps/list-webhook-deliveries"
	h.Must(h.s.redeliver(h.Ctx, redeliverArgs{}))
	if n := h.requested(pages); n < 3 {
		t.Fatalf("%d pages: the test shows nothing", n)
	}
	before := h.requested(pages)
	h.Must(h.s.redeliver(h.Ctx, redeliverArgs{}))
	if n := h.requested(pages) - before; n != 1 {
		t.Errorf("%d pages are read again", n)
	}
}

// TestMissedIsAskedForAgain: a look that fails before all is asked for is no look.
func TestMissedIsAskedForAgain(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	h.Must(h.s.redeliver(h.Ctx, redeliverArgs{}))
	var p *githubtest.PullRequest
	h.lost(func() {
		p = h.Pull(nil)
		h.red(p, "demo.log")
	})
	h.Fail(githubtest.Fault{Operation: "apps/redeliver-webhook-delivery", Kind: githubtest.Broken, Times: 1})
	if err := h.s.redeliver(h.Ctx, redeliverArgs{}); err == nil || !strings.Contains(err.Error(), "502") {
		t.Fatalf("%v", err)
	}
	h.Must(h.s.redeliver(h.Ctx, redeliverArgs{}))
	h.settled(p, 1)
	if s := h.Posted(p); len(s.Checks) != 1 || len(s.Causes()) != 1 {
		t.Errorf("%d checks, %d comments", len(s.Checks), len(s.Causes()))
	}
}
