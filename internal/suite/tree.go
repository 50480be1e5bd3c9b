package suite

import (
	"cmp"
	"slices"
)

// Node is a group or a test of a suite tree. A leaf has a Test and no children, a group has
// children and no Test.
type Node struct {
	Name     string  `json:"name"`               // of a group: a class, a nested class, "[0]" …; of a leaf: the name of the test
	Test     TestID  `json:"test,omitempty"`     // set on leaves only
	Fixed    bool    `json:"fixed,omitempty"`    // the project fixes the order of the children
	Disabled bool    `json:"disabled,omitempty"` // will be reported as skipped
	Dynamic  bool    `json:"dynamic,omitempty"`  // a leaf that makes its invocations while it runs
	Children []*Node `json:"children,omitempty"`

	// TestsFirst says that the framework runs the tests of the group before the groups in it.
	TestsFirst bool `json:"testsFirst,omitempty"`
}

// Parts returns the children that are tests and those that are groups, if the framework runs the
// former first and there are both; else nil.
func (n *Node) Parts() (tests, groups []*Node) {
	if !n.TestsFirst {
		return nil, nil
	}
	for _, c := range n.Children {
		if c != nil && c.Test != "" {
			tests = append(tests, c)
		} else {
			groups = append(groups, c)
		}
	}
	if len(tests) == 0 || len(groups) == 0 {
		return nil, nil
	}
	return tests, groups
}

// Suite holds the tests of one module in the order in which the project's build runs them.
type Suite struct {
	Root     *Node     `json:"root"`
	Problems []Problem `json:"problems,omitempty"`
}

// Order returns every test in the suite's own order.
func (s *Suite) Order() Order {
	var out Order
	s.Walk(func(n *Node) { out = append(out, n.Test) })
	return out
}

// Walk calls f for each leaf in order.
func (s *Suite) Walk(f func(leaf *Node)) {
	if s != nil && s.Root != nil {
		s.Root.walk(f)
	}
}

func (n *Node) walk(f func(*Node)) {
	if n.Test != "" {
		f(n)
		return
	}
	for _, c := range n.Children {
		c.walk(f)
	}
}

// Arrange sorts the children of each group by their first tests in the order. So a suite that was
// discovered in another process gets the order that it had there. Tests that the order lacks come
// last.
func (s *Suite) Arrange(like Order) {
	place := make(map[TestID]int, len(like))
	for i, t := range slices.Backward(like) {
		place[t] = i
	}
	if s != nil && s.Root != nil {
		s.Root.arrange(place, len(like))
	}
}

// arrange returns the place of the node's first test.
func (n *Node) arrange(place map[TestID]int, last int) int {
	if n.Test != "" {
		if at, ok := place[n.Test]; ok {
			return at
		}
		return last
	}
	of := make(map[*Node]int, len(n.Children))
	first := last
	for _, c := range n.Children {
		of[c] = c.arrange(place, last)
		first = min(first, of[c])
	}
	slices.SortStableFunc(n.Children, func(a, b *Node) int { return cmp.Compare(of[a], of[b]) })
	return first
}

// Has reports whether the suite contains the test.
func (s *Suite) Has(t TestID) bool {
	found := false
	s.Walk(func(n *Node) { found = found || n.Test == t })
	return found
}
