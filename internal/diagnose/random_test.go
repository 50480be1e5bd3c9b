package diagnose

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// randomWorld has n tests in small classes. They write and read three variables at random, some
// only under conditions.
func randomWorld(rng *rand.Rand, n int) *world {
	w := newWorld()
	names := []string{"x", "y", "z"}
	class := 0
	for i := range n {
		if rng.IntN(3) == 0 {
			class++
		}
		if_, then := names[rng.IntN(3)], names[rng.IntN(3)]
		at, to, kind := rng.IntN(3), rng.IntN(3), rng.IntN(10)
		w.add(suite.TestID(fmt.Sprintf("p.C%02dTest#t%02d", class, i)), func(p *proc) suite.Outcome {
			out := suite.Pass
			switch kind {
			case 0, 1: // writes
				p.vars[then] = to
			case 2: // writes under a condition
				if p.vars[if_] == at {
					p.vars[then] = to
				}
			case 3, 4: // reads
				out = passIf(p.vars[if_] == 0)
			case 5: // reads what other tests must set
				out = passIf(p.vars[if_] == at)
			case 6: // reads, then writes
				out = passIf(p.vars[if_] != at)
				p.vars[then] = to
			}
			return out
		})
	}
	return w
}

// fixes finds the single cleaners by brute force.
func (w *world) fixes(p suite.Order, v suite.TestID) []suite.TestID {
	var out []suite.TestID
	for _, c := range w.all {
		if w.ask(suite.Join(p, suite.Order{c, v})) == suite.Pass {
			out = append(out, c)
		}
	}
	return out
}

func TestRandomWorldsAgainstBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	verdicts := map[suite.Verdict]int{}
	missed, all := 0, 0
	for round := range 250 {
		w := randomWorld(rng, 4+rng.IntN(40))
		w.width = 1 + round%3
		o := slices.Clone(w.all)
		rng.Shuffle(len(o), func(i, j int) { o[i], o[j] = o[j], o[i] })
		failing := w.all[:min(len(w.all), 8)]
		res := w.diagnose(t, Input{Failing: failing, Seen: seen(o), FindAll: round%2 == 0})
		for _, r := range res.Tests {
			verdicts[r.Verdict]++
			alone, there := w.ask(suite.Order{r.Test}), w.ask(o[:o.Index(r.Test)+1])
			od := r.orderDependent()
			switch {
			case alone != there && !od:
				t.Errorf("round %d: %s is %s alone and %s in the order seen, yet %s", round, r.Test, alone, there, r.Verdict)
			case od && (r.Verdict == suite.Victim) != (alone == suite.Pass),
				r.Verdict == suite.Genuine && alone != suite.Fail,
				r.Verdict == suite.NotReproduced && alone != suite.Pass,
				r.Verdict == suite.FlakyOther, r.Verdict == suite.Undecided:
				t.Errorf("round %d: %s is %s alone, yet %s (%s)", round, r.Test, alone, r.Verdict, r.Reason)
			}
			if again := w.ask(suite.Order{r.Test, r.Test}); r.NonIdempotent != (again == suite.Fail && alone == suite.Pass) {
				t.Errorf("round %d: %s: non-idempotent %v, run twice it is %s", round, r.Test, r.NonIdempotent, again)
			}
			w.holds(t, r)
			if r.Verdict != suite.Victim {
				continue
			}
			want := w.fixes(r.Polluters[0], r.Test)
			all++
			if len(want) > 0 && !slices.ContainsFunc(r.Cleaners,
				func(c suite.Cleaner) bool { return slices.Equal(c.Polluter, r.Polluters[0]) }) {
				missed++
			}
		}
	}
	t.Logf("verdicts %v; %d of %d victims without the cleaner they have", verdicts, missed, all)
	for _, v := range []suite.Verdict{suite.Victim, suite.Brittle, suite.VictimBrittle, suite.Genuine, suite.NotReproduced} {
		if verdicts[v] == 0 {
			t.Errorf("no world led to %s, so it was not tried", v)
		}
	}
	// Probing gives hints. Several writers of the same state can hide a cleaner from all of them.
	if missed*100 > all {
		t.Errorf("%d of %d victims without the cleaner they have", missed, all)
	}
}
