package order

import (
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

func leaf(id string) *suite.Node { return &suite.Node{Name: id, Test: suite.TestID(id)} }

func group(name string, children ...*suite.Node) *suite.Node {
	return &suite.Node{Name: name, Children: children}
}

// small returns two classes, one with a nested group and one with a fixed order.
func small() *suite.Suite {
	fixed := group("c", leaf("c1"), leaf("c2"), leaf("c3"))
	fixed.Fixed = true
	return &suite.Suite{Root: group("", group("a", leaf("a1"), group("n", leaf("a2"), leaf("a3")), leaf("a4")),
		group("b", leaf("b1"), leaf("b2")), fixed)}
}

func lines(seq iter.Seq[suite.Order]) string {
	var b strings.Builder
	for o := range seq {
		for _, t := range o {
			b.WriteString(string(t) + " ")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestPlainOrders(t *testing.T) {
	if got := lines(slices.Values([]suite.Order{Reverse(small())})); got != "c1 c2 c3 b2 b1 a4 a3 a2 a1 \n" {
		t.Error(got)
	}
	for name, seq := range map[string]iter.Seq[suite.Order]{
		"nothing at random": Random(&suite.Suite{}, 1, 3), "no rows": intraClassRows(nil),
		"nothing reversed": slices.Values([]suite.Order{Reverse(nil)}),
	} {
		if got := strings.TrimSpace(lines(seq)); got != "" {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := lines(intraClassRows(suite.Order{"b1", "b2"})); got != "b1 b2 \nb2 b1 \n" {
		t.Error(got)
	}
	if got, want := lines(schedule(t, small(), TechniqueEachFirst, Options{}).Orders),
		"a1 a2 a3 a4 b1 b2 c1 c2 c3 \nb1 b2 a1 a2 a3 a4 c1 c2 c3 \nc1 c2 c3 a1 a2 a3 a4 b1 b2 \n"; got != want {
		t.Errorf("each class first: %s", got)
	}
	fixed := small()
	fixed.Root.Fixed = true
	if got := lines(schedule(t, fixed, TechniqueEachFirst, Options{}).Orders); got != "a1 a2 a3 a4 b1 b2 c1 c2 c3 \n" {
		t.Errorf("the order of classes is fixed, yet:\n%s", got)
	}
}

// intraClassRows yields the tests of one class in the orders of its Tuscan square (see TuscanRows),
// so that every test runs directly before every other once. It ignores nested groups and fixed
// orders.
func intraClassRows(class suite.Order) iter.Seq[suite.Order] {
	return func(yield func(suite.Order) bool) {
		for row := range TuscanRows(len(class)) {
			o := make(suite.Order, len(row))
			for i, x := range row {
				o[i] = class[x]
			}
			if !yield(o) {
				return
			}
		}
	}
}

// contiguous checks that every group of the tree runs without interruption.
func contiguous(t *testing.T, n *suite.Node, o suite.Order) {
	t.Helper()
	own := (&suite.Suite{Root: n}).Order()
	first := len(o)
	for _, x := range own {
		first = min(first, o.Index(x))
	}
	for _, x := range o[first : first+len(own)] {
		if !slices.Contains(own, x) {
			t.Fatalf("group %q is interrupted by %s in %v", n.Name, x, o)
		}
	}
	if n.Fixed && !slices.Equal(o[first:first+len(own)], own) {
		t.Fatalf("the order of %q is fixed, yet it runs as %v", n.Name, o[first:first+len(own)])
	}
	for _, c := range n.Children {
		contiguous(t, c, o)
	}
}

func TestRandom(t *testing.T) {
	s := small()
	seen := map[string]bool{}
	n := 0
	for o := range Random(s, 42, 200) {
		n++
		sorted, all := slices.Sorted(slices.Values(o)), slices.Sorted(slices.Values(s.Order()))
		if !slices.Equal(sorted, all) {
			t.Fatalf("%v is no permutation", o)
		}
		contiguous(t, s.Root, o)
		seen[o.Key()] = true
	}
	if n != 200 {
		t.Errorf("%d orders, want 200", n)
	}
	// The suite has three classes. The first has 3 children and a nested pair, and the second has 2
	// tests.
	if want := 6 * 6 * 2 * 2; len(seen) < 100 || len(seen) > want {
		t.Errorf("%d different orders of %d", len(seen), want)
	}
	first, again, other := lines(Random(s, 7, 5)), lines(Random(s, 7, 5)), lines(Random(s, 8, 5))
	if first != again || first == other {
		t.Error("the seed does not decide the orders")
	}
}

func TestSequencesCanBeLeftEarly(t *testing.T) {
	for name, seq := range map[string]iter.Seq[suite.Order]{
		"random": Random(small(), 1, 9),
		"rows":   intraClassRows(small().Order()), "odd rows": intraClassRows(small().Order()[:3]),
	} {
		n := 0
		for range seq {
			n++
			break
		}
		if n != 1 {
			t.Errorf("%s: %d orders", name, n)
		}
	}
}

// TestTestsFirst checks that no order runs a test of a group after the groups in it, where the
// framework runs such tests first, and that all guarantees hold.
func TestTestsFirst(t *testing.T) {
	s := small()
	a := s.Root.Children[0]
	a.TestsFirst = true
	a.Children = append(a.Children, group("m", leaf("a5"), leaf("a6")))
	groups := suite.NewGroups(s, nil)
	check := func(name string, orders iter.Seq[suite.Order]) {
		for o := range orders {
			for i, x := range o {
				for _, y := range o[i+1:] {
					if groups.Before(y, x) {
						t.Fatalf("%s: %s before %s in %v", name, x, y, o)
					}
				}
			}
		}
	}
	for _, technique := range Techniques() {
		o := Options{Seed: 1, Random: 20, Pairs: Touching(s, "a1", "a5"), Flows: slices.Values(someFlows(rand.New(rand.NewPCG(1, 2)), s))}
		c := schedule(t, s, technique, o)
		check(string(technique), c.Orders)
		if technique == TechniqueAlone {
			continue
		}
		_, got := covered(t, s, o, schedule(t, s, technique, o).Orders, c.Guarantee...)
		for k, share := range got {
			if !share.Whole() {
				t.Errorf("%s: %s covered %d of %d", technique, k, share.Covered, share.Of)
			}
		}
	}
	check("backwards", slices.Values([]suite.Order{Reverse(s)}))
	check("at random", Random(s, 1, 20))
	if got := lines(slices.Values([]suite.Order{Reverse(s)})); got != "c1 c2 c3 b2 b1 a4 a1 a6 a5 a3 a2 \n" {
		t.Error(got)
	}
}
