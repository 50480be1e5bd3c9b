package order

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

func sized(t testing.TB, sizes ...int) *suite.Suite {
	t.Helper()
	s, err := Sizes(sizes...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func count(c *Schedule) int {
	n := 0
	for range c.Orders {
		n++
	}
	return n
}

// TestPairCoverIsNearTheBound checks that suites of 40 or more tests need at most 1.02 times the
// lower bound. The shapes include the hardest ones for a greedy choice.
func TestPairCoverIsNearTheBound(t *testing.T) {
	shapes := [][]int{
		{9, 4, 4, 4, 3, 8}, {5, 1, 7, 2}, {10, 1, 4, 11, 5, 8, 25, 23}, {2, 18, 9, 24},
		{9, 9, 4, 6, 9, 5, 5, 6, 9}, {12, 1, 3, 4, 7, 17, 12, 5, 17, 14, 2, 9}, {161, 2}, {20, 20}, {10, 10, 10, 10, 10, 10},
	}
	rng := rand.New(rand.NewPCG(11, 12))
	for range 20 {
		var sizes []int
		for classes, tests := 2+rng.IntN(12), 0; len(sizes) < classes || tests < 40; {
			n := 1 + rng.IntN(10)
			if rng.IntN(3) == 0 {
				n = 1 + rng.IntN(25)
			}
			sizes, tests = append(sizes, n), tests+n
		}
		shapes = append(shapes, sizes)
	}
	for _, sizes := range shapes {
		c := schedule(t, sized(t, sizes...), TechniquePairCover, Options{})
		if n := count(c); float64(n) > 1.02*float64(c.Least) {
			t.Errorf("%v: %d orders, the bound is %d: %.4f of it", sizes, n, c.Least, float64(n)/float64(c.Least))
		}
	}
}

// TestPairCoverMeetsTheBound checks that three or four classes of few tests need as many orders as
// the bound says, and that these cover everything.
func TestPairCoverMeetsTheBound(t *testing.T) {
	shapes := [][]int{{5, 1, 7, 2}, {7, 5, 3}, {1, 1, 6}, {8, 7, 7}, {7, 7, 4, 3}, {4, 4, 3, 2, 2}, {5, 4, 4, 2, 1}, {2, 2, 2, 2, 2}}
	for a := 1; a <= 4; a++ {
		for b := 1; b <= a; b++ {
			for c := 1; c <= b; c++ {
				shapes = append(shapes, []int{a, b, c})
				for d := 1; d <= c && a > 1; d++ {
					shapes = append(shapes, []int{a, b, c, d})
				}
			}
		}
	}
	for _, sizes := range shapes {
		for _, o := range []Options{{Seed: 1}, {Seed: 1, EachFirst: true}} {
			s := sized(t, sizes...)
			c := schedule(t, s, TechniquePairCover, o)
			n, got := covered(t, s, o, c.Orders, c.Guarantee...)
			if n != c.Least {
				t.Errorf("%v, each test first %t: %d orders, the bound is %d", sizes, o.EachFirst, n, c.Least)
			}
			for k, share := range got {
				if !share.Whole() {
					t.Errorf("%v: %s covered %d of %d", sizes, k, share.Covered, share.Of)
				}
			}
		}
	}
}

// TestPairCoverOfProjects checks all counts that docs/orders.md gives for class sizes of public
// projects.
func TestPairCoverOfProjects(t *testing.T) {
	for name, c := range map[string]struct {
		sizes                    []int
		intra, inter, bound, has int
	}{
		"wdtk-dumpfiles": {[]int{3, 6, 10, 6, 3, 8, 11, 1, 1}, 11, 2_024, 418, 418},
		"elastic-job-lite-core": {[]int{
			6, 2, 1, 4, 6, 1, 1, 2, 1, 6, 5, 1, 6, 1, 2, 3, 2, 6, 8, 2, 1, 3, 1, 2,
			3, 10, 3, 2, 1, 14, 3, 22, 5, 8, 1, 3, 13, 8, 5, 2, 1, 6, 2, 2, 6, 2, 3, 5,
			11, 14, 4, 5, 10, 2, 5, 9, 1, 6, 10, 7, 6, 2, 1, 5, 5, 7, 7, 6, 18, 6, 1, 1,
			20, 4, 11, 20, 3, 17, 10, 4, 3, 15, 4, 11, 10, 2, 1, 13,
		}, 88, 245_036, 10_516, 10_516},
		"marine-api": {[]int{
			3, 3, 9, 7, 4, 19, 18, 13, 12, 10, 4, 8, 17, 14, 25, 7, 6, 4, 22, 21, 23, 6, 7, 12,
			42, 16, 25, 5, 16, 9, 7, 9, 19, 10, 11, 10, 12, 4, 3, 15, 18, 10, 8, 15, 25, 22, 20, 6,
			13, 13, 18, 13, 16, 27, 2, 23, 16, 13, 13, 12, 11, 3, 16, 9, 12, 16, 19, 12, 14, 14, 9,
		}, 71, 839_986, 37_086, 37_086},
	} {
		t.Run(name, func(t *testing.T) {
			s := sized(t, c.sizes...)
			if got := schedule(t, s, TechniqueIntraClass, Options{}).Exact; got != c.intra {
				t.Errorf("%d orders by intra-class, not %d", got, c.intra)
			}
			if got := schedule(t, s, TechniqueInterClass, Options{}).Exact; got != c.inter {
				t.Errorf("%d orders by inter-class, not %d", got, c.inter)
			}
			cover := schedule(t, s, TechniquePairCover, Options{Seed: 1}) // as the command uses it
			if n := count(cover); n != c.has || cover.Least != c.bound {
				t.Errorf("%d orders by pair-cover, the bound is %d", n, cover.Least)
			}
		})
	}
}

// TestPairCoverOfSmallSuites compares pair cover with the least possible number of orders, which it
// finds by trying all.
func TestPairCoverOfSmallSuites(t *testing.T) {
	for _, sizes := range [][]int{{2, 1}, {2, 2}, {3, 1}, {3, 2}, {2, 1, 1}, {1, 1, 1}, {1, 1, 1, 1},
		{3, 1, 1}, {2, 2, 1}, {4, 1}, {2, 1, 1, 1}, {2, 2, 2}, {3, 2, 1}, {3, 1, 1, 1}, {5, 1, 1}} {
		s := sized(t, sizes...)
		c := schedule(t, s, TechniquePairCover, Options{})
		n, best := count(c), fewest(t, sizes)
		if n != best {
			t.Errorf("%v: %d orders, %d would do", sizes, n, best)
		}
		if best < c.Least {
			t.Errorf("%v: the bound is %d, and %d are enough", sizes, c.Least, best)
		}
	}
}

// fewest tries increasing numbers of orders. Only the first and last test of each class matter.
// Sets of pairs are bits.
func fewest(t *testing.T, sizes []int) int {
	t.Helper()
	s := sized(t, sizes...)
	tr, err := newTree(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	total := len(tr.ids)
	bit := func(x, y int) uint64 { return 1 << (x*total + y) }
	var goal uint64
	class := tr.root.childAt
	for x := range total {
		for y := range total {
			if class(x) != class(y) {
				goal |= bit(x, y)
			}
		}
	}
	var sets []uint64
	for _, p := range permutations(len(sizes)) {
		var ends func(i, last int, set uint64)
		ends = func(i, last int, set uint64) {
			if i == len(p) {
				sets = append(sets, set)
				return
			}
			n := tr.root.children[p[i]]
			for first := n.lo; first < n.hi; first++ {
				for end := n.lo; end < n.hi; end++ {
					if n.size() > 1 && first == end {
						continue
					}
					next := set
					if i > 0 {
						next |= bit(last, first)
					}
					ends(i+1, end, next)
				}
			}
		}
		ends(0, -1, 0)
	}
	slices.Sort(sets)
	sets = slices.Compact(sets)
	for k := 1; ; k++ {
		if coverable(sets, goal, k, len(sizes)-1) {
			return k
		}
	}
}

// coverable reports whether k of the sets contain the goal together, if each contains at most n of
// it.
func coverable(sets []uint64, goal uint64, k, n int) bool {
	if goal == 0 {
		return true
	}
	left := 0
	for g := goal; g != 0; g &= g - 1 {
		left++
	}
	if left > k*n {
		return false
	}
	lowest := goal & -goal
	for _, set := range sets {
		if set&lowest != 0 && coverable(sets, goal&^set, k-1, n) {
			return true
		}
	}
	return false
}

func TestLowerBound(t *testing.T) {
	for _, c := range []struct {
		sizes []int
		want  int
	}{
		{[]int{5, 1, 7, 2}, 70}, {[]int{9, 4, 4, 4, 3, 8}, 207}, {[]int{4, 2}, 16}, {[]int{3, 3, 3, 3}, 36}, {[]int{3, 3, 3}, 28}, {[]int{7}, 1},
	} {
		if got := schedule(t, sized(t, c.sizes...), TechniquePairCover, Options{}).Least; got != c.want {
			t.Errorf("%v: %d, want %d", c.sizes, got, c.want)
		}
	}
}

// TestPairCoverIsTheSameAgain checks that ranging twice over a schedule gives the same orders.
func TestPairCoverIsTheSameAgain(t *testing.T) {
	c := schedule(t, sized(t, 3, 2, 5, 4), TechniquePairCover, Options{Seed: 5})
	first := lines(c.Orders)
	if again := lines(c.Orders); again != first {
		t.Errorf("first\n%sthen\n%s", first, again)
	}
}
