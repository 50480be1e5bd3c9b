package diagnose

import (
	"fmt"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// hundred has a polluter of x, own victims in the polluter's class, and others in other classes.
func hundred(own, others int) (w *world, p suite.TestID, failing suite.Order) {
	w = newWorld()
	w.width = 2
	w.fill("a", 3, 3)
	p = w.add("b.PollTest#pollutes", sets("x", 1))
	for i := range own {
		failing = append(failing, w.add(suite.TestID(fmt.Sprintf("b.PollTest#v%02d", i)), needs("x", 0)))
	}
	for i := range others {
		failing = append(failing, w.add(suite.TestID(fmt.Sprintf("v.V%03dTest#t", i)), needs("x", 0)))
	}
	return w, p, failing
}

// TestLeftStateOfThePollutersClass checks that state left by a victim of the polluter's class
// affects tests of other classes in only one of the two directions.
func TestLeftStateOfThePollutersClass(t *testing.T) {
	w, p, failing := hundred(12, 70)
	leaves := failing[11]
	w.tests[leaves] = func(p *proc) suite.Outcome {
		if p.vars["x"] != 0 {
			p.vars["y"] = 1
			return suite.Fail
		}
		p.vars["z"] = 1
		return suite.Pass
	}
	other, brittle := w.add("w.UTest#other", needs("y", 0)), w.add("w.UTest#brittle", needs("z", 1))
	failing = append(failing, other, brittle)
	res := w.diagnose(t, Input{Failing: failing, Seen: seen(w.all), Keep: RepairShare}).Tests
	for i, r := range res[:len(res)-2] {
		if r.Verdict != suite.Victim || !slices.Equal(r.Polluters[0], suite.Order{p}) {
			t.Errorf("%s is %s of %v", failing[i], r.Verdict, r.Polluters)
		}
	}
	if r := res[len(res)-2]; r.Verdict != suite.Victim || !slices.Equal(r.Polluters[0], suite.Order{p, leaves}) {
		t.Errorf("%s is %s of %v: %s", other, r.Verdict, r.Polluters, r.Reason)
	}
	if r := res[len(res)-1]; r.Verdict != suite.Brittle {
		t.Errorf("%s is %s: %s", brittle, r.Verdict, r.Reason)
	}
}

// TestSampleOfACohort checks that the other tests run separately, too, if the sample contradicts
// the shared orders.
func TestSampleOfACohort(t *testing.T) {
	w, p, failing := hundred(0, 80)
	var brittle suite.Order
	for i, v := range failing {
		if i%2 == 1 { // fails alone, and passes after any passing test of the others
			w.tests[v] = needs("z", 1)
			brittle = append(brittle, v)
			continue
		}
		w.tests[v] = func(p *proc) suite.Outcome {
			if p.vars["x"] == 0 {
				p.vars["z"] = 1
			}
			return passIf(p.vars["x"] == 0)
		}
	}
	res := w.diagnose(t, Input{Failing: failing, Seen: seen(w.all), Keep: RepairShare}).Tests
	for i, r := range res {
		if slices.Contains(brittle, failing[i]) {
			if r.Verdict == suite.Victim && !slices.Contains(r.MinimalOrder, p) {
				t.Errorf("%s, which fails alone, is %s: %s", failing[i], r.Verdict, r.Reason)
			}
		} else if r.Verdict != suite.Victim || len(r.MinimalOrder) == 0 {
			t.Errorf("%s is %s by %v: %s", failing[i], r.Verdict, r.MinimalOrder, r.Reason)
		}
	}
}

// TestSampleThatDisagrees checks that no test is settled by shared orders alone, whenever the
// budget ends.
func TestSampleThatDisagrees(t *testing.T) {
	for questions := 20; questions <= 80; questions++ {
		w, p, failing := hundred(0, 70)
		for i, v := range failing {
			w.tests[v] = func(p *proc) suite.Outcome {
				if p.vars["x"] != 0 {
					p.vars["y"] = 1
				}
				return passIf(p.vars["x"] == 0)
			}
			if i%2 == 1 { // a victim not of p, but of any failing test before it
				w.tests[v] = needs("y", 0)
			}
		}
		for _, r := range w.diagnose(t, Input{Failing: failing, Seen: seen(w.all), Keep: RepairShare, MaxQuestions: questions}).Tests {
			if r.Verdict == suite.Victim && r.MinimalOrder == nil &&
				w.process(suite.Order{p, r.Test}, suite.Fresh, true).At(1).Outcome == suite.Pass {
				t.Fatalf("%d questions: %s passes directly after %s: %s", questions, r.Test, p, r.Reason)
			}
		}
	}
}
