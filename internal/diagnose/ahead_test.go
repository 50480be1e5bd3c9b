package diagnose

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// watching counts the runs of a world: which were exclusive, and how many there were of each order.
type watching struct {
	*world
	mu        sync.Mutex
	exclusive int
	orders    []suite.Order
}

func (w *watching) Run(ctx context.Context, o suite.Order, p suite.Price, exclusive bool) (*suite.Run, error) {
	w.mu.Lock()
	if exclusive {
		w.exclusive++
	}
	w.orders = append(w.orders, o)
	w.mu.Unlock()
	return w.world.Run(ctx, o, p, exclusive)
}

// A single failing test is located before its cleaners are searched. Of several tests, none is.
func TestLocatedBeforeCleaners(t *testing.T) {
	for _, single := range []bool{true, false} {
		in, p, v, _ := polluted(4)
		in.width = 2
		w := &watching{world: in}
		failing := []suite.TestID{v}
		if !single {
			failing = append(failing, w.add("zz.OtherTest#t", nil))
		}
		var located []TestResult
		res, err := Diagnose(t.Context(), w, Input{Groups: groups, Suite: w.suite(), Failing: failing, Seen: seen(w.all),
			Located: func(_ context.Context, r TestResult) { located = append(located, r) }})
		if err != nil {
			t.Fatal(err)
		}
		if got := res.Tests[0]; got.Verdict != suite.Victim || len(got.Cleaners) == 0 || w.exclusive == 0 {
			t.Errorf("%s, cleaners %v, %d exclusive runs", got.Verdict, got.Cleaners, w.exclusive)
		}
		if !single {
			if len(located) > 0 {
				t.Errorf("located %v", located)
			}
			continue
		}
		if len(located) != 1 || !slices.Equal(located[0].MinimalOrder, suite.Order{p, v}) || len(located[0].Cleaners) > 0 {
			t.Errorf("located %+v", located)
		}
		// The order without the cause, which the search for further causes needs, runs once.
		rest := slices.DeleteFunc(slices.Clone(w.all[:w.all.Index(v)+1]), func(x suite.TestID) bool { return x == p })
		n := 0
		for _, o := range w.orders {
			if slices.Equal(o, rest) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%v ran %d times", rest, n)
		}
	}
}

// A single failing test needs few questions that wait for each other. Each run takes one second
// here, so that the seconds count them.
func TestFewDependentQuestions(t *testing.T) {
	for width, most := range map[int]time.Duration{2: 14 * time.Second, 4: 11 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			w, _, v, _ := polluted(4)
			w.width, w.takes = width, time.Second
			began := time.Now()
			r := w.only(t, Input{Failing: []suite.TestID{v}, Seen: seen(w.all)})
			expect(t, r, suite.Victim)
			if took := time.Since(began); took > most || len(r.Cleaners) == 0 {
				t.Errorf("%d processes: %v, cleaners %v", width, took, r.Cleaners)
			}
		})
	}
}
