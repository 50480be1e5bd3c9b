package diagnose

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// diagnoseLate runs a diagnosis that delivers causes. It calls late before each run. late may
// change the times from which time is kept.
func diagnoseLate(t *testing.T, w *world, failing suite.Order, late func(s *session, o suite.Order)) (res *Result, calls [][]TestResult) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	s := newSession(ctx, w, Input{
		Suite: w.suite(), Groups: groups, Failing: failing, Seen: seen(w.all), Keep: RepairShare,
		Explained: func(_ context.Context, so *Result) error {
			calls = append(calls, slices.Clone(so.Tests))
			return nil
		},
	})
	w.before = func(_ int, o suite.Order) error {
		late(s, o)
		return nil
	}
	cases := s.admit()
	res, err := s.result(cases, s.examine(ctx, cases))
	if err != nil {
		t.Fatal(err)
	}
	return res, calls
}

func constant(t time.Time) func() time.Time { return func() time.Time { return t } }

// TestDeliveredResultsDoNotChange checks that a cause that was delivered because time was short is not
// examined further.
func TestDeliveredResultsDoNotChange(t *testing.T) {
	w := newWorld()
	w.fill("a", 2, 2)
	w.add("b.PTest#p1", sets("x", 1))
	w.add("b.QTest#p2", sets("x", 2))
	v := w.add("e.VTest#v", needs("x", 0))
	past := time.Now().Add(-time.Second)
	res, calls := diagnoseLate(t, w, suite.Order{v}, func(s *session, _ suite.Order) { s.repairFrom = constant(past) })
	if len(calls) != 1 || len(calls[0]) != 1 {
		t.Fatalf("%d deliveries", len(calls))
	}
	if was, is := len(calls[0][0].Polluters), len(res.Tests[0].Polluters); was != is {
		t.Errorf("handed over with %d polluters, ended with %d", was, is)
	}
}

// TestTimeIsKeptToFinish checks that the search for orders ends early after a cause was delivered.
func TestTimeIsKeptToFinish(t *testing.T) {
	runs := func(finish bool) int {
		w := newWorld()
		w.fill("a", 30, 4)
		w.add("b.PTest#p1", sets("x", 1))
		v := w.add("e.VTest#v", needs("x", 0))
		g := w.add("f.GTest#g", func(*proc) suite.Outcome { return suite.Fail })
		res, calls := diagnoseLate(t, w, suite.Order{v, g}, func(s *session, _ suite.Order) {
			if finish && len(s.causes) > 0 {
				s.finishFrom = constant(time.Now().Add(-time.Second))
			}
		})
		if len(calls) == 0 || calls[0][0].Test != v || res.Tests[0].Verdict != suite.Victim {
			t.Fatalf("the victim was not handed over: %v", calls)
		}
		return w.runs
	}
	if short, long := runs(true), runs(false); short >= long {
		t.Errorf("%d runs with time kept to finish, %d without", short, long)
	}
}

// TestKnownVictimsAreDeliveredTogether checks that a test with a confirmed cause is delivered with
// that cause, although the time for repair has come.
func TestKnownVictimsAreDeliveredTogether(t *testing.T) {
	w := newWorld()
	w.fill("a", 2, 2)
	w.add("b.PTest#p1", sets("x", 1))
	v1, v2 := w.add("e.VTest#v1", needs("x", 0)), w.add("f.VTest#v2", needs("x", 0))
	n := 0
	_, calls := diagnoseLate(t, w, suite.Order{v1, v2}, func(s *session, o suite.Order) {
		if slices.Equal(o, suite.Order{"b.PTest#p1", v2}) {
			if n++; n == 3 { // the last result that confirms it
				s.repairFrom = constant(time.Now())
			}
		}
	})
	if n < 3 {
		t.Fatalf("the second victim ran only %d times", n)
	}
	if len(calls) == 0 || len(calls[0]) != 2 {
		t.Errorf("first delivery: %v", calls)
	}
}

// TestOtherVictimsOfALateCause checks that other tests of a cause are explained with it, although
// the time for repair has come: one patch repairs them all. That takes a part of the time at most.
func TestOtherVictimsOfALateCause(t *testing.T) {
	for _, c := range []struct {
		name    string
		victims int
		takes   time.Duration // of each run
		want    int           // victims in the first delivery
	}{
		{"few", 3, time.Second, 3},
		{"many", 20, time.Second, 20},
		{"slow ones", 20, 3 * time.Minute, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				w.fill("a", 2, 2)
				w.add("b.PTest#p", sets("x", 1))
				var failing suite.Order
				for i := range c.victims {
					failing = append(failing, w.add(suite.TestID(fmt.Sprintf("e.V%02dTest#v", i)), needs("x", 0)))
				}
				w.takes, w.cohortWorld = time.Second, true
				var began, delivered time.Time
				late := false
				_, calls := diagnoseLate(t, w, failing, func(s *session, o suite.Order) {
					if late && began.IsZero() && slices.Contains(o, failing[1]) {
						began = time.Now()
					}
					if len(s.causes) == 0 || late {
						return
					}
					late, w.takes = true, c.takes
					s.repairFrom = constant(time.Now().Add(-time.Second))
					explained := s.in.Explained
					s.in.Explained = func(ctx context.Context, sofar *Result) error {
						if delivered.IsZero() {
							delivered = time.Now()
						}
						return explained(ctx, sofar)
					}
				})
				if len(calls) == 0 || len(calls[0]) != c.want {
					t.Errorf("first delivery: %v, want %d tests", calls, c.want)
				}
				if took := delivered.Sub(began); began.IsZero() || took > time.Hour/lateShare {
					t.Errorf("the other tests took %s", took)
				}
			})
		})
	}
}
