package repair

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

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

// Parallel implements Site: the steps of a proof run one after the other.
func (s recordedSite) Parallel() int { return 1 }

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

// TestLaterStepsBeginWhenProcessesAreFree: the last of the first steps leaves processes free, if there are
// several. In synctest, a step that waits for one that never begins fails the test.
func TestLaterStepsBeginWhenProcessesAreFree(t *testing.T) {
	for processes, want := range map[int][]string{1: {"quick", "slow", "later"}, 2: {"quick", "later", "slow"}} {
		synctest.Test(t, func(t *testing.T) {
			began := make(chan struct{})
			var mu sync.Mutex
			var ended []string
			end := func(name string) error {
				mu.Lock()
				defer mu.Unlock()
				ended = append(ended, name)
				return nil
			}
			pr := &prover{patched: processesOf{site{}, processes}}
			first, later, err := pr.overlapping(t.Context(), []step{
				func(*prover, context.Context) error { return end("quick") },
				func(pr *prover, _ context.Context) error {
					if processes > 1 {
						<-began
						synctest.Wait()
					}
					pr.add(Check{Name: "slow", OK: true})
					return end("slow")
				},
			}, []step{func(pr *prover, _ context.Context) error {
				defer close(began)
				return end("later")
			}})
			if err != nil || len(first) != 2 || len(later) != 1 || len(first[1].checks) != 1 || !slices.Equal(ended, want) {
				t.Errorf("%d processes: %v, %v, %v, %v", processes, ended, first, later, err)
			}
		})
	}
}

// TestRefusedStepsBeginNoLaterOnes: a check that does not hold ends the proof.
func TestRefusedStepsBeginNoLaterOnes(t *testing.T) {
	pr := &prover{patched: processesOf{site{}, 2}}
	fails := func(pr *prover, _ context.Context) error {
		pr.add(Check{Name: "fails"})
		return nil
	}
	waits := func(_ *prover, ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	_, later, err := pr.overlapping(t.Context(), []step{waits, fails, waits}, []step{fails})
	if err != nil || len(later[0].checks) > 0 {
		t.Errorf("%v, %v", later[0].checks, err)
	}
}

// processesOf is a site with so many processes.
type processesOf struct {
	Site
	n int
}

func (s processesOf) Parallel() int { return s.n }

// inSequence is a builder of sites with one process, so that the steps of a proof run one after another.
type inSequence struct{ Builder }

func (b inSequence) Build(ctx context.Context, files map[string]string) (Site, error) {
	s, err := b.Builder.Build(ctx, files)
	return processesOf{s, 1}, err
}
