package order

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// randomSuite returns a tree of up to the given depth, sometimes with a fixed group.
func randomSuite(rng *rand.Rand, depth, width int, fixed bool) *suite.Suite {
	n := 0
	var build func(depth int) *suite.Node
	build = func(depth int) *suite.Node {
		if depth == 0 || depth < 3 && rng.IntN(3) == 0 {
			n++
			return leaf(fmt.Sprintf("t%d", n))
		}
		g := &suite.Node{Name: "g", Fixed: fixed && rng.IntN(5) == 0}
		for range 1 + rng.IntN(width) {
			g.Children = append(g.Children, build(depth-1))
		}
		return g
	}
	root := &suite.Node{}
	for range 1 + rng.IntN(width) {
		root.Children = append(root.Children, build(depth-1))
	}
	root.Fixed = fixed && rng.IntN(6) == 0
	return &suite.Suite{Root: root}
}

// somePairs returns a random share of all pairs of tests.
func somePairs(rng *rand.Rand, s *suite.Suite, share float64) Pairs {
	var list [][2]suite.TestID
	for _, a := range s.Order() {
		for _, b := range s.Order() {
			if a != b && rng.Float64() < share {
				list = append(list, [2]suite.TestID{a, b})
			}
		}
	}
	return Relation(list)
}

// covered counts what the orders cover.
func covered(t *testing.T, s *suite.Suite, o Options, orders iter.Seq[suite.Order], kinds ...Kind) (int, map[Kind]Share) {
	t.Helper()
	c, err := NewChecker(s, o, kinds...)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for o := range orders {
		n++
		if err := c.Add(o); err != nil {
			t.Fatal(err)
		}
		if n > 300_000 {
			t.Fatal("no end")
		}
	}
	return n, c.Coverage()
}

// TestGuarantees checks that each technique covers what it promises, in the number of orders it
// reports, on flat, nested and partly fixed suites, whatever pairs come first.
func TestGuarantees(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 40 {
		s := randomSuite(rng, 2+i%3, 4+i%4, i%2 == 1)
		o := Options{Seed: uint64(i), Random: 3, Pairs: somePairs(rng, s, 0.1), InGroup: i%3 == 0, EachFirst: i%4 == 0}
		o.Flows = slices.Values(someFlows(rand.New(rand.NewPCG(uint64(i), 11)), s))
		if i%5 == 0 {
			o.Promising = somePairs(rng, s, 0.05)
		}
		if i%7 == 0 {
			o.Fixed = []int{i % 3}
		}
		for _, technique := range Techniques() {
			if technique == TechniqueAlone {
				continue
			}
			c := schedule(t, s, technique, o)
			n, got := covered(t, s, o, c.Orders, c.Guarantee...)
			for _, k := range c.Guarantee {
				if !got[k].Whole() {
					t.Errorf("suite %d, %s: %s covered %d of %d", i, technique, k, got[k].Covered, got[k].Of)
				}
			}
			if c.Exact >= 0 && n != c.Exact {
				t.Errorf("suite %d, %s: %d orders, Exact is %d", i, technique, n, c.Exact)
			}
			if n < c.Least {
				t.Errorf("suite %d, %s: %d orders, fewer than the bound %d", i, technique, n, c.Least)
			}
		}
	}
}

// TestInterClassCount checks that there are T² − Σnᵢ² orders for every shape of two or more
// classes.
func TestInterClassCount(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 60 {
		var sizes []int
		total, squares := 0, 0
		for range 2 + rng.IntN(6) {
			n := 1 + rng.IntN(8)
			sizes, total, squares = append(sizes, n), total+n, squares+n*n
		}
		s, err := Sizes(sizes...)
		if err != nil {
			t.Fatal(err)
		}
		c := schedule(t, s, TechniqueInterClass, Options{})
		n, got := covered(t, s, Options{}, c.Orders, c.Guarantee...)
		if want := total*total - squares; n != want || c.Exact != want {
			t.Errorf("%v: %d orders, Exact is %d, want %d", sizes, n, c.Exact, want)
		}
		for k, share := range got {
			if !share.Whole() {
				t.Errorf("%v: %s covered %d of %d", sizes, k, share.Covered, share.Of)
			}
		}
	}
}

// TestTargetPairsSkipsImpossiblePairs checks that pairs are skipped if a test is unknown or the two
// tests cannot be neighbours.
func TestTargetPairsSkipsImpossiblePairs(t *testing.T) {
	s := small()
	rel := Relation([][2]suite.TestID{{"c2", "c1"}, {"c1", "c2"}, {"nobody", "a1"}, {"a2", "b1"}, {"a1", "a1"}})
	c := schedule(t, s, TechniqueTarget, Options{Pairs: rel})
	n, got := covered(t, s, Options{Pairs: rel}, c.Orders, Given)
	if n == 0 || n > 2 || got[Given] != (Share{2, 2}) {
		t.Errorf("%d orders, %v", n, got)
	}
	if o := slices.Collect(schedule(t, s, TechniqueTarget, Options{Pairs: Relation(nil)}).Orders); len(o) != 0 {
		t.Errorf("orders for nothing: %v", o)
	}
	if _, err := New(s, TechniqueTarget, Options{}); err == nil {
		t.Error("target-pairs without pairs")
	}
}

// TestPromisingFirst checks that the first orders cover most of the promising pairs, and that no
// order is lost or added.
func TestPromisingFirst(t *testing.T) {
	s, err := Sizes(6, 4, 7, 3, 5, 8)
	if err != nil {
		t.Fatal(err)
	}
	for _, technique := range []Technique{TechniqueInterClass, TechniqueIntraClass, TechniquePairCover} {
		with, without := 0, 0
		for i := range 5 {
			rel := somePairs(rand.New(rand.NewPCG(uint64(i), 9)), s, 0.03)
			plain, first := schedule(t, s, technique, Options{}), schedule(t, s, technique, Options{Promising: rel})
			without += begun(t, s, rel, plain, 4)
			with += begun(t, s, rel, first, 4)
			if technique == TechniqueIntraClass && len(lines(plain.Orders)) != len(lines(first.Orders)) {
				t.Errorf("%s: orders were lost or added", technique)
			}
		}
		if 4*with < 5*without {
			t.Errorf("%s: %d of the likely pairs in the first orders, %d without them", technique, with, without)
		}
	}
}

// begun returns how many pairs of the relation the first orders cover.
func begun(t *testing.T, s *suite.Suite, rel Pairs, c *Schedule, orders int) int {
	t.Helper()
	_, got := covered(t, s, Options{Pairs: rel}, func(yield func(suite.Order) bool) {
		n := 0
		for o := range c.Orders {
			if n++; n > orders || !yield(o) {
				return
			}
		}
	}, Given)
	return got[Given].Covered
}
