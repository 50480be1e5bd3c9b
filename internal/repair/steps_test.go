package repair

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// recorder builds sites that record the orders that run there, in the order in which they begin.
type recorder struct {
	build
	mu   *sync.Mutex
	runs *[]suite.Order
}

func (r recorder) Build(ctx context.Context, files map[string]string) (Site, error) {
	s, err := r.build.Build(ctx, files)
	return recordedSite{s, r}, err
}

type recordedSite struct {
	Site
	r recorder
}

func (s recordedSite) Run(ctx context.Context, o suite.Order) (*suite.Run, error) {
	s.r.mu.Lock()
	*s.r.runs = append(*s.r.runs, o)
	s.r.mu.Unlock()
	return s.Site.Run(ctx, o)
}

// Short orders of a proof run before the long ones, and keep them from running if one fails.
func TestShortOrdersOfAProofRunFirst(t *testing.T) {
	for _, broken := range []bool{false, true} {
		w := registry()
		p := &Patcher{Groups: groups, Editor: w, Runner: w}
		cs, err := p.Candidates(t.Context(), registryCause())
		if err != nil {
			t.Fatal(err)
		}
		in := proof(w)
		if broken {
			w.tests["V#two"] = func(s map[string]bool) bool { s["dirty"] = true; return true } // before V#one
		}
		var runs []suite.Order
		_, proved, err := p.Prove(t.Context(), recorder{build{w}, &sync.Mutex{}, &runs}, cs[0], in)
		if err != nil || proved == broken {
			t.Fatalf("broken %v: proved %v, %v", broken, proved, err)
		}
		long := slices.IndexFunc(runs, func(o suite.Order) bool { return slices.Equal(o, in.Original) })
		short := slices.IndexFunc(runs, func(o suite.Order) bool { return slices.Equal(o, in.Neighbours[0]) })
		if short < 0 || broken && long >= 0 || !broken && long < short {
			t.Errorf("broken %v: the neighbours are run %d, the suite's own order %d of %v", broken, short, long, runs)
		}
	}
}
