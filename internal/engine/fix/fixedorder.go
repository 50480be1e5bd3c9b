package fix

import (
	"fmt"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// NoteFixedOrders adds a note to victims whose failing order may never occur in the project's own
// runs: their class fixes the order of its tests, and the failing order differs from it or leaves
// some tests out.
func NoteFixedOrders(s *suite.Suite, tests []job.TestReport) {
	for i := range tests {
		t := &tests[i]
		if t.Verdict != suite.Victim && t.Verdict != suite.VictimBrittle {
			continue
		}
		for _, group := range fixedGroups(s.Root) {
			if (&suite.Suite{Root: group}).Order().Index(t.Test) < 0 {
				continue // another test's class
			}
			if note := againstFixed(group, t); note != "" {
				t.Notes = append(t.Notes, note)
			}
		}
	}
}

// againstFixed describes how the failing order differs from the fixed order of the group; "" if it
// does not differ or does not concern the group.
func againstFixed(group *suite.Node, t *job.TestReport) string {
	own := childrenOf(group)
	places := childrenIn(own, t.MinimalOrder)
	if len(places) < 2 {
		return ""
	}
	fixes := group.Name + " fixes the order of its tests (@TestMethodOrder, @FixMethodOrder, suite() or the like), and the one that fails "
	if !slices.IsSorted(places) {
		return fixes + "is different: it may never occur in the project's own runs."
	}
	seen := t.MinimalOrder
	if t.FailingOrder != nil {
		seen = t.FailingOrder.Order
	}
	first, last := places[0], places[len(places)-1]
	if slices.ContainsFunc(own[first:last+1], func(child suite.Order) bool { return len(childrenIn([]suite.Order{child}, seen)) == 0 }) {
		return fixes + "leaves out tests in between: it may never occur in the project's own runs, which run these."
	}
	return ""
}

// childrenOf returns the tests of each child of a group, without empty children. The order of the
// children is fixed, but not the order of the tests in a child.
func childrenOf(group *suite.Node) []suite.Order {
	var out []suite.Order
	for _, c := range group.Children {
		if o := (&suite.Suite{Root: c}).Order(); len(o) > 0 {
			out = append(out, o)
		}
	}
	return out
}

// childrenIn returns the indexes of the children to which the tests of an order belong, in the order
// of the tests and without repetitions.
func childrenIn(children []suite.Order, o suite.Order) []int {
	var out []int
	for _, t := range o {
		i := slices.IndexFunc(children, func(child suite.Order) bool { return child.Index(t) >= 0 })
		if i >= 0 && (len(out) == 0 || out[len(out)-1] != i) {
			out = append(out, i)
		}
	}
	return out
}

// fixedGroups returns n and the groups below it whose children have a fixed order.
func fixedGroups(n *suite.Node) []*suite.Node {
	if n == nil {
		return nil
	}
	var out []*suite.Node
	if n.Fixed {
		out = append(out, n)
	}
	for _, c := range n.Children {
		out = append(out, fixedGroups(c)...)
	}
	return out
}

// maxFixedNames is how many groups with a fixed order are named.
const maxFixedNames = 3

// HiddenOrders names the groups whose order detection keeps. Dependences on this order stay
// undetected. It returns "" if there are no such groups.
func HiddenOrders(s *suite.Suite) string {
	var names []string
	for _, g := range fixedGroups(s.Root) {
		if len(childrenOf(g)) > 1 {
			names = append(names, g.Name)
		}
	}
	n := len(names)
	if n == 0 {
		return ""
	}
	text := strings.Join(names[:min(n, maxFixedNames)], ", ")
	if n > maxFixedNames {
		text += fmt.Sprintf(" and %d more", n-maxFixedNames)
	}
	verb := "fixes the order of its tests"
	if n > 1 {
		verb = "fix the order of their tests"
	}
	return text + " " + verb + " (@TestMethodOrder, @FixMethodOrder, suite(), parameters or the like), which every order here keeps. Dependences " +
		"between these tests are not detected."
}
