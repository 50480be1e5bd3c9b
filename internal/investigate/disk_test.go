package investigate

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/store"
)

// TestAttackSlowLogs: the downloads for a commit have a time together. Logs that come too slowly are
// left out, and say so.
func TestAttackSlowLogs(t *testing.T) {
	asked := make(chan string, 100)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/logs"):
			w.Header().Set("Location", "http://"+r.Host+"/slow"+r.URL.Path)
			w.WriteHeader(http.StatusFound)
		case strings.HasSuffix(r.URL.Path, "/artifacts"):
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"artifacts": []}`))
		}
		if !strings.HasPrefix(r.URL.Path, "/slow/") {
			return
		}
		asked <- r.URL.Path
		_, _ = w.Write([]byte("a line\n"))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	defer s.Close()
	client, err := github.NewWorkflowClient(github.WorkflowOptions{API: s.URL, Token: "t"})
	if err != nil {
		t.Fatal(err)
	}
	g := gathering{at: target{client: client, repo: github.Repo{ID: 1, Owner: "acme", Name: "shop"}}, dir: t.TempDir(),
		loading: 500 * time.Millisecond, left: longReading}
	jobs := []github.CIJob{{ID: 1, Name: "one"}, {ID: 2, Name: "two"}, {ID: 3, Name: "three"}}
	if err := g.run(t.Context(), github.Run{ID: 1}, jobs); err != nil {
		t.Fatal(err)
	}
	if len(asked) > 1 || len(g.notes) != 3 || !strings.Contains(g.notes[2], `"three" cannot be had: `+errSlow.Error()) || !g.gone {
		t.Errorf("%d logs are asked for, and %q", len(asked), g.notes)
	}
}

// TestAttackReadingPlaces: while an installation's logs are read at as many commits as may be at once,
// its other jobs do not wait in the places of all installations.
func TestAttackReadingPlaces(t *testing.T) {
	h := &hub{t: t, runner: investigatetest.NewRunner(t, "demo.report.json")}
	h.github(githubtest.Config{})
	h.serve(h.runner)
	var leave []func()
	for range commitsOfOne {
		l, _ := h.s.reading.enter(h.Inst.ID, h.now(), DefaultPace.Look)
		leave = append(leave, l)
	}
	p := h.Pull(nil)
	h.red(p, "demo.log")
	h.Must(h.Drain(h.Ctx))
	for range 20 { // each ends
		h.step()
	}
	list := h.investigations(p)
	if len(list) != 1 || list[0].State != store.Collecting || len(h.s.turns.busy) > 0 {
		t.Fatalf("%+v, busy %v", list, h.s.turns.busy)
	}
	if _, _, err := h.s.gatherInTurn(h.Ctx, target{inst: h.Inst.ID}, &github.Pull{}, ciRuns{}, config.CI{}); !errors.As(err, new(laterError)) {
		t.Error(err)
	}
	for _, l := range leave {
		l()
	}
	mine := authorOf{h.Inst.ID, h.Dev.ID}
	for range commitsOfOne - 1 {
		l, _ := h.s.authors.enter(mine, h.now(), DefaultPace.Look)
		leave = append(leave, l)
	}
	if l, _ := h.s.authors.enter(mine, h.now(), DefaultPace.Look); l != nil || h.s.authors.share >= h.s.reading.share {
		t.Error("one author has all places of the installation")
	}
	for range 20 {
		h.step()
	}
	if list := h.investigations(p); list[0].State != store.Collecting {
		t.Errorf("%+v", list)
	}
	for _, l := range leave[commitsOfOne:] {
		l()
	}
	h.settled(p, 1)
	if len(h.asked()) == 0 || len(h.s.reading.busy)+len(h.s.authors.busy) > 0 {
		t.Errorf("%d jobs, reading %v", len(h.asked()), h.s.reading.busy)
	}
}
