package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
)

// slowRoad is a proxy for GitHub's API that delays requests for one owner's runs.
type slowRoad struct {
	*httptest.Server
	mu        sync.Mutex
	now, most int
	open      chan struct{}
	used      chan struct{} // closed when a request waits
	first     sync.Once
}

func newSlowRoad(t *testing.T, api, owner string) *slowRoad {
	t.Helper()
	to, err := url.Parse(api)
	if err != nil {
		t.Fatal(err)
	}
	r := &slowRoad{open: make(chan struct{}), used: make(chan struct{})}
	through := httputil.NewSingleHostReverseProxy(to)
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if strings.Contains(q.URL.Path, "/repos/"+owner+"/") && strings.HasSuffix(q.URL.Path, "/actions/runs") {
			r.wait(q)
		}
		through.ServeHTTP(w, q)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *slowRoad) wait(q *http.Request) {
	r.mu.Lock()
	r.now++
	r.most = max(r.most, r.now)
	r.mu.Unlock()
	r.first.Do(func() { close(r.used) })
	select {
	case <-r.open:
	case <-q.Context().Done():
	}
	r.mu.Lock()
	r.now--
	r.mu.Unlock()
}

// TestANoisyOrganisation has a dozen red builds that take long to read. Meanwhile, another
// organisation's single red build is answered.
func TestANoisyOrganisation(t *testing.T) {
	h := &hub{Hub: investigatetest.New(t, githubtest.Config{}), t: t, runner: investigatetest.NewRunner(t, "demo.report.json")}
	owner := h.AddOrganization("loud", h.Dev)
	repo, err := h.AddRepository(h.Ctx, githubtest.RepositorySpec{Owner: owner, Name: "noise",
		Files: map[string]string{"README": "loud\n"}})
	h.Must(err)
	repo.SetRole(h.Dev, "write")
	h.App.Install(owner)
	loud := *h.Hub
	loud.Repo = repo
	road := newSlowRoad(t, h.URL, "loud")
	release := sync.OnceFunc(func() { close(road.open) })
	t.Cleanup(release)
	h.adjust = func(o *appOptions) { o.api = road.URL }
	h.serve(h.runner)
	for n := range 12 {
		p, err := repo.OpenPullRequest(h.Ctx, githubtest.PullSpec{Author: h.Dev, Title: "Noise", Branch: fmt.Sprint("noise-", n),
			Change: githubtest.Change{Files: map[string]string{fmt.Sprint("noise-", n): "x\n"}}})
		h.Must(err)
		loud.Red(p, investigatetest.Recording(t, "demo.log"))
	}
	<-road.used
	p := h.Pull(nil)
	h.red(p, "demo.log")
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for len(h.Posted(p).Causes()) == 0 {
		select {
		case <-tick.C:
		case <-h.Ctx.Done():
			t.Fatal("the quiet one waits for the loud one")
		}
	}
	road.mu.Lock()
	most := road.most
	road.mu.Unlock()
	if most == 0 || most > 12 {
		t.Errorf("%d jobs of the loud one at once", most)
	}
	release()
}
