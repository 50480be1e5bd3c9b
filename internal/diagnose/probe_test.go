package diagnose

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// candidatesOf returns n candidates c0, c1, …
func candidatesOf(n int) (out suite.Order) {
	for i := range n {
		out = append(out, suite.TestID(fmt.Sprintf("c%d", i)))
	}
	return out
}

// TestProbes checks that each chunk begins with the polluter, and each candidate, too, if the
// victim itself cleans.
func TestProbes(t *testing.T) {
	k := &cleaning{polluter: suite.Order{"p"}, mode: linear}
	parts := k.probes(candidatesOf(chunkSize + 1))
	if len(parts) != chunkSize+3 {
		t.Fatalf("%d parts", len(parts))
	}
	for i, part := range parts {
		want := "p"
		switch {
		case i > chunkSize+1:
			want = fmt.Sprintf("c%d", i-2)
		case i > 0 && i <= chunkSize:
			want = fmt.Sprintf("c%d", i-1)
		}
		if !slices.Equal(part, suite.Order{suite.TestID(want)}) {
			t.Errorf("part %d is %v, want %s", i, part, want)
		}
	}
	k.mode = anew
	if parts := k.probes(candidatesOf(2)); !slices.Equal(parts[2], suite.Order{"p", "c1"}) || !slices.Equal(parts[0], suite.Order{"p"}) {
		t.Errorf("where the victim cleans: %v", parts)
	}
}

// TestRead encodes outcomes: "p" is a pass, "f" a fail, and "-" no result.
func TestRead(t *testing.T) {
	ids := func(o suite.Order) string {
		var s []string
		for _, x := range o {
			s = append(s, strings.TrimPrefix(string(x), "c"))
		}
		return strings.Join(s, " ")
	}
	all := "f" + strings.Repeat("f", chunkSize)
	for _, c := range []struct {
		name         string
		mode         mode
		n            int
		outcomes     string
		hints, again string
		crashed      string
	}{
		{"nothing cleans", linear, 3, "ffff", "", "", ""},
		{"the second cleans, and hides the rest of the chunk", linear, 4, "ffppp", "1", "2 3", ""},
		{"the victim cleans: each candidate is seen", anew, 4, "ffpfp", "1 3", "", ""},
		{"the polluter has no effect", linear, 3, "pfff", "", "1 2", ""},
		{"the process ends at the second", linear, 4, "ff---", "", "2 3", "c1"},
		{"the second chunk goes on after a hint", linear, chunkSize + 2, "fp" + all[2:] + "ffp", "0 17",
			"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15", ""},
		{"the polluter has no effect in the second chunk", linear, chunkSize + 2, all + "pff", "", "16 17", ""},
	} {
		k := &cleaning{mode: c.mode, crashed: map[suite.TestID]bool{}}
		var outcomes []suite.Outcome
		for _, o := range c.outcomes {
			outcomes = append(outcomes, map[rune]suite.Outcome{'p': suite.Pass, 'f': suite.Fail, '-': suite.Unresolved}[o])
		}
		hints, again := k.read(candidatesOf(c.n), outcomes)
		if ids(hints) != c.hints || ids(again) != c.again || (c.crashed != "") != k.crashed[suite.TestID(c.crashed)] || len(k.crashed) > 1 {
			t.Errorf("%s: hints %q, again %q, crashed %v", c.name, ids(hints), ids(again), k.crashed)
		}
	}
}

// falseHints returns a world in which n tests look like polluters of v, and are not, if v runs
// before and after them in one process.
func falseHints(n int) (*world, suite.TestID) {
	w := newWorld()
	for i := range n {
		w.add(suite.TestID(fmt.Sprintf("a.A%dTest#t", i)), func(p *proc) suite.Outcome {
			if p.vars["ran"] > 0 {
				p.vars["x"] = 1
			}
			return suite.Pass
		})
	}
	v := w.add("b.VTest#v", func(p *proc) suite.Outcome {
		p.vars["ran"] = 1
		return passIf(p.vars["x"] == 0)
	})
	return w, v
}

// TestFewHintsAreTried checks that only some neighbours are tried if they do not change the outcome
// as suggested.
func TestFewHintsAreTried(t *testing.T) {
	w, v := falseHints(maxHints + 3)
	tried := 0
	w.before = func(_ int, o suite.Order) error {
		if len(o) == 2 && o[0] != v {
			tried++
		}
		return nil
	}
	expect(t, w.only(t, Input{Failing: []suite.TestID{v}, Original: w.all[:len(w.all)-1]}), suite.NotReproduced)
	if tried != maxHints {
		t.Errorf("%d neighbours were tried, want %d", tried, maxHints)
	}
}

// TestFewAreProbedInVain checks that probing stops after some failing tests without an effective
// neighbour. Where several were probed together, few are probed again one by one.
func TestFewAreProbedInVain(t *testing.T) {
	for _, c := range []struct{ failing, want int }{{leastJointly - 1, leastJointly - 1}, {4, afterJointly}} {
		w := newWorld()
		w.fill("a", c.failing, 1)
		failing := slices.Clone(w.all)
		probed, jointly := map[suite.TestID]bool{}, 0
		w.before = func(_ int, o suite.Order) error {
			if len(o) > 4 && o[0] == o[2] {
				probed[o[0]] = true
			}
			if len(o) > 2*len(failing) && slices.Equal(o[:len(failing)], o[len(failing)+1:][:len(failing)]) {
				jointly++
			}
			return nil
		}
		w.fill("b", 4, 1)
		w.diagnose(t, Input{Failing: failing})
		if len(probed) != c.want || (jointly > 0) != (c.failing >= leastJointly) {
			t.Errorf("of %d, %d were probed one by one, want %d; %d times jointly", c.failing, len(probed), c.want, jointly)
		}
	}
}

// TestProbedTogether checks that probing finds the polluter of a test that fails in no whole order,
// also if many named tests before it have none.
func TestProbedTogether(t *testing.T) {
	w := newWorld()
	w.fill("a", 8, 1)
	p := w.add("b.PollTest#pollutes", sets("x", 1))
	w.add("b.PollTest#thenClears", sets("x", 0))
	w.fill("c", 12, 1)
	failing := slices.Clone(w.all[len(w.all)-12:])
	v := w.add("v.VTest#v", needs("x", 0))
	w.add("b.PollTest#clearsToo", sets("x", 0))
	poll := w.all[len(w.all)-1]
	w.all = slices.Insert(w.all[:len(w.all)-1], 8, poll) // its class is in one piece
	got := w.diagnose(t, Input{Failing: append(failing, v)}).Tests
	r := got[len(got)-1]
	expect(t, r, suite.Victim)
	if r.Test != v || !slices.Equal(r.Polluters[0], suite.Order{p}) {
		t.Errorf("%s after %v", r.Test, r.Polluters)
	}
	if from := r.FailingOrder.Source; !strings.Contains(from, "directly before it") {
		t.Errorf("found in %s, after many other orders", from)
	}
	for _, other := range got[:len(got)-1] {
		expect(t, other, suite.NotReproduced)
	}
	w.holds(t, r)
}
