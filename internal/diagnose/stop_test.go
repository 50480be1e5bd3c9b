package diagnose

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

func TestBudgetZeroAndSmallBudgets(t *testing.T) {
	w, _, v, _ := polluted(1)
	r, err := Diagnose(t.Context(), w, Input{Groups: groups, Suite: w.suite(), Failing: []suite.TestID{v}, Seen: seen(w.all),
		MaxQuestions: -1})
	if err != nil || !r.Unfinished || w.runs != 0 || r.Tests[0].Verdict != suite.Undecided || !r.Tests[0].Unfinished {
		t.Fatalf("%+v, %v, %d runs", r, err, w.runs)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	r, err = Diagnose(ended, w, Input{Groups: groups, Suite: w.suite(), Failing: []suite.TestID{v}, Seen: seen(w.all)})
	if err != nil || !r.Unfinished || w.runs != 0 {
		t.Fatalf("%+v, %v, %d runs", r, err, w.runs)
	}
	full := w.diagnose(t, Input{Failing: []suite.TestID{v}, Seen: seen(w.all)}).Cost.Total()
	named := 0 // limits at which the polluter was found and not confirmed
	for limit := 1; limit < full; limit++ {
		w, p, v, _ := polluted(1)
		res := w.diagnose(t, Input{Failing: []suite.TestID{v}, Seen: seen(w.all), MaxQuestions: limit})
		r := res.Tests[0]
		if w.runs > limit || !res.Unfinished {
			t.Errorf("limit %d: %d runs, unfinished %v", limit, w.runs, res.Unfinished)
		}
		switch r.Verdict {
		case suite.Undecided:
			if r.Reason == "" || !r.Unfinished {
				t.Errorf("limit %d: %+v", limit, r)
			}
			if o := r.MinimalOrder; o != nil && (o.Index(p) < 0 || w.ask(o) != suite.Fail) {
				t.Errorf("limit %d: best so far %v", limit, o)
			}
			if suspect := "seems to fail after PollTest#pollutes (not confirmed)"; strings.Contains(r.Reason, suspect) {
				named++
			} else if strings.Contains(r.Reason, "seems to") || len(r.MinimalOrder) == 2 {
				t.Errorf("limit %d: %s, best so far %v", limit, r.Reason, r.MinimalOrder)
			}
		case suite.Victim:
			w.holds(t, r)
		default:
			t.Errorf("limit %d: verdict %s", limit, r.Verdict)
		}
	}
	if named == 0 {
		t.Error("no search that was cut short names what it suspects")
	}
}

func TestCancelledInTheMiddle(t *testing.T) {
	for stop := 1; stop < 40; stop += 3 {
		w, _, v, _ := polluted(3)
		ctx, cancel := context.WithCancel(t.Context())
		w.before = func(run int, _ suite.Order) error {
			if run == stop {
				cancel()
			}
			return nil
		}
		res, err := Diagnose(ctx, w, Input{Groups: groups, Suite: w.suite(), Failing: []suite.TestID{v}, Seen: seen(w.all)})
		if err != nil {
			t.Fatalf("stopped at %d: %v", stop, err)
		}
		if stop <= w.runs && !res.Unfinished {
			t.Errorf("stopped at %d of %d: not marked as unfinished", stop, w.runs)
		}
		if r := res.Tests[0]; r.Verdict != suite.Undecided && r.Verdict != suite.Victim {
			t.Errorf("stopped at %d: %s", stop, r.Verdict)
		}
		if now := w.shared.Load(); now != 0 {
			t.Errorf("stopped at %d: %d runs still active", stop, now)
		}
		cancel()
	}
}

func TestRunnerFault(t *testing.T) {
	w, _, v, _ := polluted(2)
	fault := errors.New("no space left on device")
	w.before = func(run int, _ suite.Order) error {
		if run > 6 {
			return fault
		}
		return nil
	}
	res, err := Diagnose(t.Context(), w, Input{Groups: groups, Suite: w.suite(), Failing: []suite.TestID{v}, Seen: seen(w.all)})
	if !errors.Is(err, fault) || res == nil || res.Tests[0].Verdict != suite.Undecided ||
		!strings.Contains(res.Tests[0].Reason, "no space left") {
		t.Errorf("%+v, %v", res, err)
	}
}

// TestTimeLimitOfARunner checks that a Runner that ends by its own limit, within the time of the
// diagnosis, causes an error.
func TestTimeLimitOfARunner(t *testing.T) {
	w := newWorld()
	w.fill("a", 2, 2)
	v := w.add("b.VTest#v", needs("x", 0))
	w.before = func(int, suite.Order) error { return fmt.Errorf("starting a process: %w", context.DeadlineExceeded) }
	_, err := Diagnose(t.Context(), w, Input{Groups: groups, Suite: w.suite(), Failing: []suite.TestID{v}, Seen: seen(w.all)})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}
