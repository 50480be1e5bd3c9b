package order

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// registry is a made-up suite with one shared registry. A test leaves an entry in it, and other
// tests fail because of the entry. In each class, one observed writer and one unobserved writer
// remove the entry.
type registry struct {
	suite   *suite.Suite
	flow    Flow
	leaves  suite.TestID
	takes   map[suite.TestID]bool
	victims []suite.TestID
}

func newRegistry(t *testing.T, rng *rand.Rand, classes int) *registry {
	t.Helper()
	sizes := make([]int, classes)
	for i := range sizes {
		sizes[i] = 4 + rng.IntN(6)
	}
	s, err := Sizes(sizes...)
	if err != nil {
		t.Fatal(err)
	}
	g := &registry{suite: s, takes: map[suite.TestID]bool{}}
	for i, c := range s.Root.Children {
		in := (&suite.Suite{Root: c}).Order()
		rng.Shuffle(len(in), func(i, j int) { in[i], in[j] = in[j], in[i] })
		g.flow.Writers, g.flow.Leaders = append(g.flow.Writers, in[0], in[1]), append(g.flow.Leaders, in[0], in[1])
		g.flow.Readers = append(g.flow.Readers, in[2:]...)
		g.takes[in[0]], g.takes[in[2]] = i != 0, i != 0
		if i == 0 {
			g.leaves = in[0]
		}
		if i%4 == 0 {
			g.victims = append(g.victims, in[3])
		}
	}
	g.flow.Pairs = func(yield func(p, v suite.TestID) bool) {
		for _, p := range g.flow.Writers {
			for _, v := range s.Order() {
				if v != p && !yield(p, v) {
					return
				}
			}
		}
	}
	return g
}

// executions returns how many tests run until all victims failed. ok is false if they did not fail
// within so many executions of the suite.
func (g *registry) executions(t *testing.T, suites int, follow bool) (n int, ok bool) {
	t.Helper()
	failing := map[suite.TestID]suite.Order{}
	o := Options{Flows: slices.Values([]Flow{g.flow}), Sparse: true, Settled: func(x suite.TestID) bool { return failing[x] != nil }}
	if follow {
		o.Failing = func(x suite.TestID) suite.Order { return failing[x] }
	}
	schedule, err := New(g.suite, TechniqueReach, o)
	if err != nil {
		t.Fatal(err)
	}
	for o := range schedule.Orders {
		spoilt := false
		for i, x := range o {
			if spoilt && slices.Contains(g.victims, x) && failing[x] == nil {
				failing[x] = o[:i+1]
			}
			spoilt = (spoilt || x == g.leaves) && !g.takes[x]
		}
		n += len(o)
		if len(failing) == len(g.victims) {
			return n, true
		}
		if n > suites*len(g.suite.Order()) {
			break
		}
	}
	return n, false
}

// TestFollowUp checks that follow-up orders find more victims of a writer sooner, although tests of
// their own classes restore the state.
//
// The bound is a number of executed tests, not of orders. Follow-up orders are short, so a bound in
// orders would depend on their share.
func TestFollowUp(t *testing.T) {
	const suites = 40
	with, without, missed := 0, 0, 0
	for seed := range uint64(6) {
		g := newRegistry(t, rand.New(rand.NewPCG(seed, 31)), 16)
		n, ok := g.executions(t, suites, true)
		if !ok {
			t.Errorf("seed %d: not all of %d victims were found by %d executions", seed, len(g.victims), n)
		}
		with += n
		n, ok = g.executions(t, suites, false)
		if without += n; !ok {
			missed++
		}
	}
	t.Logf("%d executions, and %d without following up, where %d of 6 suites were not done", with, without, missed)
	if 4*with > 3*without {
		t.Errorf("%d executions, and no more than %d without following up", with, without)
	}
}

// TestFollowUpKeepsCoverage checks that each order is an order of the suite, and that every test
// runs after the same writers, whatever failing orders are reported.
func TestFollowUpKeepsCoverage(t *testing.T) {
	followed := 0
	for seed := range uint64(120) {
		rng := rand.New(rand.NewPCG(seed, 37))
		s := randomSuite(rng, 1+rng.IntN(3), 6, seed%2 == 0)
		tr, err := newTree(s, nil)
		if err != nil {
			t.Fatal(err)
		}
		flows := someFlows(rng, s)
		failing := map[suite.TestID]suite.Order{}
		o := Options{
			Flows: slices.Values(flows), Sparse: true,
			Settled: func(x suite.TestID) bool { return failing[x] != nil },
			Failing: func(x suite.TestID) suite.Order { followed++; return failing[x] },
		}
		schedule, err := New(s, TechniqueReach, o)
		if err != nil {
			t.Fatal(err)
		}
		wanted, numbers := wantedOf(flows), tr.numbers()
		seen := map[string]int{}
		for o := range schedule.Orders {
			if len(o) == 0 || !inOnePiece(tr, o) || !keepsFixed(tr, o) {
				t.Fatalf("seed %d: %v is no order", seed, o)
			}
			if seen[fmt.Sprint(o)]++; seen[fmt.Sprint(o)] > 2 {
				t.Fatalf("seed %d: %v comes again and again", seed, o)
			}
			for m := range meets(flows, o) {
				delete(wanted, m)
			}
			if i := rng.IntN(len(o)); rng.IntN(3) == 0 && failing[o[i]] == nil {
				failing[o[i]] = o[:i+1]
			}
		}
		for m := range wanted {
			first := m.p == "" && slices.Contains(tr.root.firsts, numbers[m.v])
			if failing[m.v] == nil && (first || m.p != "" && tr.canFollow(numbers[m.p], numbers[m.v])) {
				t.Fatalf("seed %d: %q never runs before %q", seed, m.p, m.v)
			}
		}
	}
	if followed == 0 {
		t.Error("nobody failed: this shows nothing")
	}
}

// keepsFixed checks that an order has the suite's order wherever that is fixed.
func keepsFixed(t *tree, o suite.Order) bool {
	numbers := t.numbers()
	for i, y := range o {
		for _, x := range o[:i] {
			if !t.canPrecede(numbers[x], numbers[y]) {
				return false
			}
		}
	}
	return true
}

// TestSuspects checks which tests are suspected: the last writer before the test, unless the test
// was seen to pass after it, and later tests that use the state in a group with a writer.
func TestSuspects(t *testing.T) {
	s, err := Sizes(4, 3, 3)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := newTree(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	flow := Flow{
		Writers: []suite.TestID{"g1.t1", "g2.t1"}, Leaders: []suite.TestID{"g1.t1"},
		Readers: []suite.TestID{"g1.t2", "g1.t4", "g2.t2", "g3.t1", "g3.t2"},
		Pairs:   pairsOf("g1.t1", []suite.TestID{"g3.t1", "g2.t2"}),
	}
	r := &reacher{t: tr, steps: make([]int, len(tr.ids)), settled: make([]bool, len(tr.ids))}
	r.read(slices.Values([]Flow{flow}))
	for _, c := range []struct {
		failing suite.Order
		want    []suite.TestID
	}{
		{suite.Order{"g3.t1"}, nil},
		{suite.Order{"g1.t3", "g3.t1"}, nil},
		{suite.Order{"g1.t1", "g3.t1"}, []suite.TestID{"g1.t1"}},
		{suite.Order{"g1.t1", "g1.t2", "g1.t3", "g3.t2", "g3.t1"}, []suite.TestID{"g1.t1", "g1.t2"}},
		{suite.Order{"g1.t4", "g1.t1", "g3.t1"}, []suite.TestID{"g1.t1"}},
		{suite.Order{"g1.t4", "g3.t1"}, []suite.TestID{"g1.t4"}},
		{suite.Order{"g1.t1", "g2.t1", "g2.t2", "g3.t1"}, []suite.TestID{"g2.t2"}}, // the test was seen to pass after g2.t1
		{suite.Order{"g1.t1", "gone", "g3.t1"}, []suite.TestID{"g1.t1"}},
		{suite.Order{"g1.t1", "g3.t3"}, nil}, // the test does not use the state
	} {
		x := r.numbers[c.failing[len(c.failing)-1]]
		var got []suite.TestID
		for _, p := range r.suspects(r.flows[0], x, c.failing) {
			got = append(got, tr.ids[p])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, not %v", c.failing, got, c.want)
		}
	}
}

// TestSuspectFew checks that no test is suspected if any test may be the cause, and that a test
// that is suspected again becomes more likely.
func TestSuspectFew(t *testing.T) {
	s, err := Sizes(mostSuspected+2, 2)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := newTree(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	tests := s.Order()
	victims := tests[len(tests)-2:]
	flow := Flow{Writers: tests[:1], Leaders: tests[:1], Readers: tests[1:], Pairs: pairsOf(tests[0], tests[1:])}
	r := &reacher{t: tr, steps: make([]int, len(tr.ids)), settled: make([]bool, len(tr.ids))}
	r.read(slices.Values([]Flow{flow}))
	if r.blame(r.numbers[victims[0]], tests[:len(tests)-1]); len(r.suspected) > 0 {
		t.Errorf("%d are accused", len(r.suspected))
	}
	r.blame(r.numbers[victims[0]], suite.Order{tests[0], tests[1], victims[0]})
	r.blame(r.numbers[victims[1]], suite.Order{tests[0], victims[1]})
	if len(r.suspected) != 2 || r.suspected[0].p != 0 || r.suspected[0].likely <= 0.5 || r.suspected[1].likely != 0.5 {
		t.Errorf("%+v", r.suspected)
	}
}
