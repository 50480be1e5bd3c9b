package investigate

import (
	"context"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/store"
)

// TestAttackHostsAreKept: what a job asked for is kept with the investigation, also if its runner
// ends without a report.
func TestAttackHostsAreKept(t *testing.T) {
	for name, err := range map[string]error{"report": nil, "no report": &job.Error{Code: "runner-died", Message: "it died"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHub(t, githubtest.Config{}, "demo.report.json")
			h.runner.Contacted = []job.Contact{{Host: "evil.example:443", Times: 3}, {Host: "repo.maven.apache.org:443", Allowed: true, Times: 9}}
			h.runner.During = func(context.Context) error { return err }
			p := h.Pull(nil)
			h.red(p, "demo.log")
			list := h.settled(p, 1)
			var ev evidence
			h.Must(h.s.store.View(h.Ctx, func(tx *store.Tx) error { return tx.Evidence(list[0].ID, &ev) }))
			if !slices.Equal(ev.Contacted, h.runner.Contacted) {
				t.Errorf("kept: %+v", ev.Contacted)
			}
		})
	}
}

// manyLists is a second runner that sends its list of hosts again and again.
type manyLists struct{ *investigatetest.Runner }

func (d manyLists) Run(ctx context.Context, j job.Job, on func(job.Event)) (*job.Report, error) {
	for range 5 {
		if j.Kind == job.KindVerify {
			on(job.Event{Phase: job.PhaseBuild, Contacted: []job.Contact{{Host: "second.example:443", Times: 1}}})
		}
	}
	return d.Runner.Run(ctx, j, on)
}

// TestAttackManyLists: a worker that repeats its list of hosts does not make the record grow.
func TestAttackManyLists(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	h.runner.Contacted = []job.Contact{{Host: "first.example:443", Times: 3}}
	h.serve(manyLists{h.runner})
	p := h.Pull(nil)
	h.red(p, "demo.log")
	list := h.settled(p, 1)
	var ev evidence
	h.Must(h.s.store.View(h.Ctx, func(tx *store.Tx) error { return tx.Evidence(list[0].ID, &ev) }))
	want := []job.Contact{{Host: "first.example:443", Times: 3}, {Host: "second.example:443", Times: 1}}
	if !slices.Equal(ev.Contacted, want) {
		t.Errorf("kept: %+v", ev.Contacted)
	}
}
