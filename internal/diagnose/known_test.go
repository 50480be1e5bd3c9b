package diagnose

import (
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// TestKnownRunsAreNotRepeated checks that known runs are not repeated, and that they make no
// verdict by themselves.
func TestKnownRunsAreNotRepeated(t *testing.T) {
	ask := func(known bool) (*world, TestResult) {
		w := newWorld()
		w.add("a.PollTest#pollutes", sets("x", 1))
		v := w.add("b.VictimTest#fails", needs("x", 0))
		in := Input{Failing: []suite.TestID{v}, Seen: seen(w.all)}
		if known {
			alone := &suite.Run{Order: suite.Order{v}, Results: []suite.Result{{Test: v, Outcome: suite.Pass}}}
			for range 2 {
				in.Known = append(in.Known, KnownRun{Run: alone})
			}
			in.Known = append(in.Known, KnownRun{Run: alone, Exclusive: true})
		}
		return w, w.only(t, in)
	}
	with, r := ask(true)
	expect(t, r, suite.Victim)
	without, _ := ask(false)
	if with.runs != without.runs-DefaultRerun {
		t.Errorf("%d runs with three answers known before, %d without", with.runs, without.runs)
	}
}
