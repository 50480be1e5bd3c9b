package detect

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// keeping repeats earlier results, once each. It ends the search after a number of other results.
type keeping struct {
	*world
	mu       sync.Mutex
	kept     map[string][]*suite.Run // not returned yet
	answered []*suite.Run
	most     int // 0: no end
	stop     context.CancelFunc
}

func (k *keeping) Run(ctx context.Context, o suite.Order, alone bool) (*suite.Run, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if old := k.kept[o.Key()]; len(old) > 0 {
		k.kept[o.Key()] = old[1:]
		return old[0], nil
	}
	if k.most > 0 && len(k.answered) == k.most {
		k.stop()
		return nil, ctx.Err()
	}
	run, err := k.world.Run(ctx, o, alone)
	if err == nil {
		k.answered = append(k.answered, run)
	}
	return run, err
}

// TestCohortResumed interrupts a search at any moment. The resumed search receives the stored
// results, runs only the rest, and ends with the same result. If several processes run at once, the
// interrupted runs are repeated.
func TestCohortResumed(t *testing.T) {
	for side := 1; side <= 3; side++ {
		resumed(t, side)
	}
}

func resumed(t *testing.T, side int) {
	t.Helper()
	search := func(k *keeping) (found []suite.TestID) {
		w, o := cohortWorld("x", "y")
		w.side = side
		k.world = w
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		k.stop = stop
		s := New(k, Input{Tests: w.suite.Order(), Observed: w.observed(), State: w.state(),
			Stages: []Stage{{Name: "one", Total: 1, Orders: slices.Values([]suite.Order{o})}}})
		defer s.Close()
		if _, err := s.Run(ctx, time.Now()); err != nil {
			t.Fatal(err)
		}
		for _, f := range s.Result().Finds {
			found = append(found, f.Test)
		}
		slices.Sort(found)
		return found
	}
	first := &keeping{}
	want := search(first)
	whole := len(first.answered)
	if len(want) != 300 || whole < 5 {
		t.Fatal(len(want), whole)
	}
	for cut := 1; cut < whole; cut++ {
		before := &keeping{most: cut}
		search(before)
		after := &keeping{kept: map[string][]*suite.Run{}}
		for _, run := range before.answered {
			after.kept[run.Order.Key()] = append(after.kept[run.Order.Key()], run)
		}
		got := search(after)
		if all := len(before.answered) + len(after.answered); !slices.Equal(want, got) || all > whole+side-1 {
			t.Errorf("%d at once, cut after %d: %d finds; %d and %d runs of %d", side, cut, len(got),
				len(before.answered), len(after.answered), whole)
		}
	}
}

// lingering returns the results of long orders later than those of orders that were requested after
// them.
type lingering struct {
	*world
	after func() // called after every result; may be nil
}

func (l *lingering) Run(ctx context.Context, o suite.Order, alone bool) (*suite.Run, error) {
	if len(o) > 1 {
		time.Sleep(time.Millisecond) // fake time of synctest
	}
	if l.after != nil {
		defer l.after()
	}
	return l.world.Run(ctx, o, alone)
}

// TestCohortAtTheEnd checks that no test of a cohort runs alone while the experiment on the cohort
// runs, even if nothing else is left to run.
func TestCohortAtTheEnd(t *testing.T) {
	for _, side := range []int{1, 2, 4} {
		for _, known := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				w, o := cohortWorld("x")
				w.side = side
				var state *State
				if known {
					state = w.state()
				}
				s := New(&lingering{world: w}, Input{
					Tests: w.suite.Order(), Observed: w.observed(), State: state,
					Stages: []Stage{{Name: "one", Total: 1, Orders: slices.Values([]suite.Order{o})}},
				})
				defer s.Close()
				until := time.Now().Add(time.Hour)
				done, err := s.Run(t.Context(), until)
				res := s.Result()
				if err != nil || !done || !res.Exhausted || len(res.Finds) != 300 || w.runs > 10 {
					t.Errorf("%d at once, causes known %v: %v, %v, %d finds after %d processes", side,
						known, done, err, len(res.Finds), w.runs)
				}
				cause := res.Finds[0].Test // its kind is known from elsewhere
				if err := s.Sharpen(t.Context(), until, func(t suite.TestID) bool { return t == cause }); err != nil || w.runs > 620 {
					t.Errorf("%d at once, causes known %v: %v after %d processes", side, known, err, w.runs)
				}
				for _, f := range s.Result().Finds {
					if f.Cohort == "" || (f.Kind == Victim) == (f.Test == cause) {
						t.Fatalf("%d at once, causes known %v: %+v", side, known, f)
					}
				}
			})
		}
	}
}

// TestSharpeningInterrupted checks that Sharpen can be called again until all victims are known,
// and that no find is lost.
func TestSharpeningInterrupted(t *testing.T) {
	w, o := cohortWorld("x")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	l := &lingering{world: w}
	l.after = func() {
		if w.runs == 40 {
			cancel()
		}
	}
	s := New(l, Input{
		Tests: w.suite.Order(), Observed: w.observed(), State: w.state(),
		Stages: []Stage{{Name: "one", Total: 1, Orders: slices.Values([]suite.Order{o})}},
	})
	defer s.Close()
	if done, err := s.Run(ctx, farOff); !done || err != nil {
		t.Fatal(done, err)
	}
	sharp := func() (n int) {
		for _, k := range s.Result().kinds() {
			if k == Victim {
				n++
			}
		}
		return n
	}
	if err := s.Sharpen(ctx, farOff, unknown); err != nil || len(s.Result().Finds) != 300 || sharp() >= 40 {
		t.Errorf("%v, %d finds, %d of them victims", err, len(s.Result().Finds), sharp())
	}
	if err := s.Sharpen(t.Context(), farOff, unknown); err != nil || len(s.Result().Finds) != 300 || sharp() != 300 {
		t.Errorf("%v, %d finds, %d of them victims", err, len(s.Result().Finds), sharp())
	}
}
