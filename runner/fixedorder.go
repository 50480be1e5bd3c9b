package main

import (
	"slices"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// tellFixed notes of victims that their project's own runs may not meet the order in which they fail: a class of theirs
// fixes the order of its tests, and this one is another, or leaves some out.
func tellFixed(s *suite.Suite, tests []job.TestReport) {
	for i := range tests {
		t := &tests[i]
		if t.Verdict != job.Victim && t.Verdict != job.VictimBrittle {
			continue
		}
		for _, group := range fixedGroups(s.Root) {
			if note := againstFixed(group, t); note != "" {
				t.Notes = append(t.Notes, note)
			}
		}
	}
}

// againstFixed says how the order that fails differs from the group's; "" where it does not, or has nothing to do with it.
func againstFixed(group *suite.Node, t *job.TestReport) string {
	own := (&suite.Suite{Root: group}).Order()
	places := placesIn(own, t.MinimalOrder)
	if len(places) < 2 {
		return ""
	}
	fixes := group.Name + " fixes the order of its tests (@TestMethodOrder, @FixMethodOrder or the like), and the one that fails "
	if !slices.IsSorted(places) {
		return fixes + "is another: runs of the project's own meet it only where that annotation goes."
	}
	seen := t.MinimalOrder
	if t.FailingOrder != nil {
		seen = t.FailingOrder.Order
	}
	if all := places[len(places)-1] - places[0] + 1; len(placesIn(own[places[0]:places[len(places)-1]+1], seen)) < all {
		return fixes + "leaves out tests in between: runs of the project's own meet it only where these are not selected, or disabled."
	}
	return ""
}

// placesIn are the places in a group's own order of those of its tests that the other order runs.
func placesIn(own, o suite.Order) []int {
	var out []int
	for _, t := range o {
		if i := own.Index(t); i >= 0 {
			out = append(out, i)
		}
	}
	return out
}

// fixedGroups are the groups below n whose children have an order that the project fixes.
func fixedGroups(n *suite.Node) []*suite.Node {
	if n == nil {
		return nil
	}
	if n.Fixed {
		return []*suite.Node{n}
	}
	var out []*suite.Node
	for _, c := range n.Children {
		out = append(out, fixedGroups(c)...)
	}
	return out
}
