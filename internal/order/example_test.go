package order

import (
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// exampleSuite is the worked example of Li et al., ISSTA 2023: tests t1 to t4 in class A, t5 and t6
// in class B.

func exampleSuite() *suite.Suite {
	return &suite.Suite{Root: group("", group("A", leaf("t1"), leaf("t2"), leaf("t3"), leaf("t4")), group("B", leaf("t5"), leaf("t6")))}
}

// exampleKnown has three victims: t1 of t2 with cleaner t4, t4 of t5, and t6 of t2 with cleaner t5.
func exampleKnown() []Dependency {
	return []Dependency{
		{Test: "t1", Polluters: map[suite.TestID][]suite.TestID{"t2": {"t4"}}},
		{Test: "t4", Polluters: map[suite.TestID][]suite.TestID{"t5": nil}},
		{Test: "t6", Polluters: map[suite.TestID][]suite.TestID{"t2": {"t5"}}},
	}
}

// examplePairs is a set with the properties that the article describes, because only a picture
// shows the article's set: six pairs across the classes, most of them with t5, and t1 with t2.
func examplePairs() Pairs {
	var list [][2]suite.TestID
	for _, p := range [][2]suite.TestID{{"t1", "t2"}, {"t2", "t6"}, {"t3", "t5"}, {"t4", "t5"}} {
		list = append(list, p, [2]suite.TestID{p[1], p[0]})
	}
	return Relation(list)
}

func schedule(t *testing.T, s *suite.Suite, technique Technique, o Options) *Schedule {
	t.Helper()
	c, err := New(s, technique, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func foundIn(orders iter.Seq[suite.Order]) string {
	var out []string
	for _, f := range Finds(orders, exampleKnown()) {
		out = append(out, string(f.Test))
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func TestLiFigure2ClassOnly(t *testing.T) {
	c := schedule(t, exampleSuite(), TechniqueClassOnly, Options{})
	if got, want := lines(c.Orders), "t1 t2 t3 t4 t5 t6 \nt5 t6 t1 t2 t3 t4 \n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := foundIn(c.Orders); got != "t4" {
		t.Errorf("detects %s, want t4 alone", got)
	}
}

func TestLiFigure3IntraClass(t *testing.T) {
	c := schedule(t, exampleSuite(), TechniqueIntraClass, Options{})
	// t1 fails in the second order. In the third, t4 cleans between them.
	want := "t1 t4 t2 t3 t5 t6 \nt6 t5 t2 t1 t3 t4 \nt3 t2 t4 t1 t5 t6 \nt6 t5 t4 t3 t1 t2 \n"
	if got := lines(c.Orders); got != want || c.Exact != 4 {
		t.Errorf("%d orders: got\n%swant\n%s", c.Exact, got, want)
	}
	if got := foundIn(c.Orders); got != "t1 t4" {
		t.Errorf("detects %s, want t1 and t4", got)
	}
}

func TestLiFigure4InterClass(t *testing.T) {
	c := schedule(t, exampleSuite(), TechniqueInterClass, Options{})
	orders := slices.Collect(c.Orders)
	if len(orders) != 16 || c.Exact != 16 {
		t.Fatalf("%d orders, counted as %d, want 16", len(orders), c.Exact)
	}
	if first := slices.Collect(schedule(t, exampleSuite(), TechniqueIntraClass, Options{}).Orders)[0]; !slices.Equal(first, orders[0]) {
		t.Errorf("the first order is %v, Intra-Class's %v", orders[0], first)
	}
	if o := orders[1]; o[3] != "t4" || o[4] != "t5" {
		t.Errorf("the second order is %v, and should cover (t4, t5)", o)
	}
	for i, o := range orders {
		if before := o.Index("t1") < o.Index("t5"); before != (i < 8) {
			t.Errorf("order %d is %v: A and B change places with the ninth", i+1, o)
		}
		if i < 8 {
			if got, want := o[4] == "t5", i < 4; got != want {
				t.Errorf("order %d is %v: B changes with the fifth", i+1, o)
			}
		}
	}
	if got := foundIn(c.Orders); got != "t1 t4 t6" {
		t.Errorf("detects %s, want all", got)
	}
}

// TestLiFigures5And6TargetPairs checks that there are as many orders as in the article, that they
// cover the pairs, and that they find the same tests.
func TestLiFigures5And6TargetPairs(t *testing.T) {
	c := schedule(t, exampleSuite(), TechniqueTarget, Options{Pairs: examplePairs()})
	n, got := covered(t, exampleSuite(), Options{Pairs: examplePairs()}, c.Orders, Given)
	if n != 6 || !got[Given].Whole() {
		t.Errorf("%d orders cover %v, want 6", n, got[Given])
	}
	if got := foundIn(c.Orders); got != "t1 t4 t6" {
		t.Errorf("detects %s, want all", got)
	}
}

// TestLiRowsOfThree checks the rows that section 2.2 prints.
func TestLiRowsOfThree(t *testing.T) {
	if got := lines(intraClassRows(suite.Order{"t1", "t2", "t3"})); got != "t1 t2 t3 \nt2 t1 t3 \nt3 t2 t1 \nt3 t1 t2 \n" {
		t.Errorf("got\n%s", got)
	}
}

// TestLiCounts checks shapes of subjects that the numbers in table 2 determine.
func TestLiCounts(t *testing.T) {
	for _, c := range []struct {
		name                    string
		sizes                   []int
		classOnly, intra, inter int
	}{
		{"9 dubbo-serialization-fst", []int{14, 4, 2, 1}, 4, 14, 224},
		{"17 cukes-http", []int{6, 6, 1, 1}, 4, 6, 122},
		{"19 integration-test-2_2", []int{8, 7, 5, 3}, 4, 8, 382},
		{"21 integration-test-3_7", []int{6}, 1, 6, 6},
		{"25 spring-data-ebean", []int{41, 7}, 2, 41, 574},
		{"27 lib", []int{161, 2}, 2, 161, 644},
		{"34 spring-data-envers", []int{6, 2, 1, 1}, 4, 6, 58},
	} {
		s, err := Sizes(c.sizes...)
		if err != nil {
			t.Fatal(err)
		}
		for technique, want := range map[Technique]int{TechniqueClassOnly: c.classOnly, TechniqueIntraClass: c.intra,
			TechniqueInterClass: c.inter} {
			p := schedule(t, s, technique, Options{})
			n := 0
			for range p.Orders {
				n++
			}
			if p.Exact != want || n != want {
				t.Errorf("%s: %s makes %d orders, Exact is %d, the article has %d", c.name, technique, n, p.Exact, want)
			}
		}
	}
}
