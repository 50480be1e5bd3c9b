package proof

import (
	"fmt"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/engine/enginetest"
	"github.com/odfix/odfix/internal/suite"
)

func squares(of ...suite.Order) []square {
	var out []square
	for _, members := range of {
		out = append(out, squareOf(members, nil))
	}
	return out
}

// No row leaves a nested group and returns to it.
func TestRowsOfNestedGroups(t *testing.T) {
	group := func(name string, tests ...suite.TestID) *suite.Node {
		n := &suite.Node{Name: name}
		for _, t := range tests {
			n.Children = append(n.Children, &suite.Node{Name: string(t), Test: t})
		}
		return n
	}
	file := group("file", "f.x", "f.y")
	file.Children = append(file.Children, group("a", "f.a1", "f.a2", "f.a3"), group("left out", "f.l"))
	in := &suite.Suite{Root: &suite.Node{Children: []*suite.Node{group("other", "o.z"), file}}}
	members := suite.Order{"f.x", "f.y", "f.a1", "f.a2", "f.a3"}
	s := squareOf(members, in)
	rows, of := rowsOf([]square{s}, members, 0)
	directly := map[[2]suite.TestID]bool{}
	for _, r := range rows[0] {
		at := []int{r.Index("f.a1"), r.Index("f.a2"), r.Index("f.a3")}
		if len(r) != len(members) || slices.Max(at)-slices.Min(at) != 2 {
			t.Errorf("row %v leaves a group", r)
		}
		for i := range r[1:] {
			directly[[2]suite.TestID{r[i], r[i+1]}] = true
		}
	}
	for _, pair := range [][2]suite.TestID{{"f.x", "f.y"}, {"f.y", "f.x"}, {"f.a1", "f.a2"}, {"f.a2", "f.a1"}, {"f.a3", "f.a1"}} {
		if !directly[pair] {
			t.Errorf("%s never runs directly before %s", pair[0], pair[1])
		}
	}
	if !s.nested || of != len(rows[0]) || squareOf(suite.Order{"f.a1", "f.a2"}, in).nested {
		t.Errorf("nested %v, %d rows of %d", s.nested, len(rows[0]), of)
	}
}

// Every test of the class stands directly before the victim in some row, and
// nothing runs after it.
func TestRowsPutEveryNeighbourBeforeTheVictim(t *testing.T) {
	original := suite.Order{"a.A#x", "a.V#one", "a.V#two", "a.V#three", "a.V$In#four", "a.B#y"}
	rows, _ := rowsOf(squares(original[1:5]), []suite.TestID{"a.V#two"}, 0)
	before := map[suite.TestID]bool{}
	for _, r := range slices.Concat(rows...) {
		if r[len(r)-1] != "a.V#two" {
			t.Errorf("row %v goes on behind the victim", r)
		}
		if len(r) > 1 {
			before[r[len(r)-2]] = true
		}
	}
	for _, n := range []suite.TestID{"a.V#one", "a.V#three", "a.V$In#four"} {
		if !before[n] {
			t.Errorf("%s never runs directly before the victim", n)
		}
	}
	if len(before) != 3 {
		t.Errorf("neighbours: %v", before)
	}
}

func TestRowsOfSeveralClasses(t *testing.T) {
	original := suite.Order{"a.A#x", "a.A#y", "a.B#z"}
	rows, of := rowsOf(squares(original[:2], original[2:]), []suite.TestID{"a.A#x", "a.B#z"}, 0)
	for _, r := range slices.Concat(rows...) {
		if got := len(enginetest.Classes.Split(r)); got != 1 {
			t.Errorf("row %v mixes classes", r)
		}
	}
	if len(rows) != 2 || len(rows[0]) != 2 || len(rows[1]) != 1 || of != 3 {
		t.Errorf("rows %v, want 2 of A and 1 of B", rows)
	}
}

func TestRowsOfALargeClassAreASample(t *testing.T) {
	var original suite.Order
	for i := range 100 {
		original = append(original, suite.TestID(fmt.Sprintf("a.Big#t%d", i)))
	}
	for executions, want := range map[int]int{0: 100, 1000: 10, 100 * leastExecutions: 100} {
		rows, of := rowsOf(squares(original), original[:1], executions)
		if of != 100 || len(rows) != 1 || len(rows[0]) != want {
			t.Errorf("%d executions: %d rows of %d, want %d of 100", executions, len(rows[0]), of, want)
		}
	}
}

func TestNeighbourOrders(t *testing.T) {
	original := suite.Order{"a.A#x", "a.V#one", "a.V#two", "a.V#three", "a.B#y"}
	tests := []suite.TestID{"a.V#two", "a.V#three", "a.B#y"}
	got, asked, of := neighbourOrders(enginetest.Classes, original, tests, 0, visitsPerProcess)
	want := []suite.Order{
		{"a.V#one", "a.V#two", "a.V#three", "a.V#two"},
		{"a.V#one", "a.V#three", "a.V#two", "a.V#three"},
	}
	if !slices.EqualFunc(got, want, slices.Equal) || asked != 4 || of != 4 {
		t.Errorf("%v, %d of %d", got, asked, of)
	}
	got, asked, of = neighbourOrders(enginetest.Classes, original, tests, 2, visitsPerProcess)
	if len(got) != 2 || asked != 2 || of != 4 {
		t.Errorf("a sample of two: %v, %d of %d", got, asked, of)
	}
	leaf := func(id suite.TestID) *suite.Node { return &suite.Node{Name: string(id), Test: id} }
	nested := &suite.Suite{Root: &suite.Node{Children: []*suite.Node{{Name: "O", Children: []*suite.Node{leaf("x"),
		{Name: "I", Children: []*suite.Node{leaf("i1"), leaf("i2"), leaf("v")}}, {Name: "J", Children: []*suite.Node{leaf("j")}}}}}}}
	got, _, _ = neighbourOrders(suite.NewGroups(nested, nil), nested.Order(), []suite.TestID{"v"}, 0, visitsPerProcess)
	want = []suite.Order{{"x", "v", "i1", "v", "i2", "v"}, {"j", "v"}}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("of nested groups: %v", got)
	}
	nested.Root.Children[0].TestsFirst = true
	got, _, _ = neighbourOrders(suite.NewGroups(nested, nil), nested.Order(), []suite.TestID{"v", "x"}, 0, visitsPerProcess)
	want = []suite.Order{{"x", "v", "i1", "v", "i2", "v"}, {"j", "v"}}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("where tests run before nested groups: %v", got)
	}
}
