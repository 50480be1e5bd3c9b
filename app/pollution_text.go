package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// How much is shown on a terminal; the file contains everything.
const (
	shownTests   = 40
	shownFields  = 6
	shownReaders = 3
)

// pollutionText returns the report for people. Tests that break other tests come first.
func pollutionText(p polluted, file string) string {
	var b strings.Builder
	if p.Observed > 0 {
		fmt.Fprintf(&b, "%s\n", pollutionHeadline(p))
	}
	tests := slices.DeleteFunc(slices.Clone(p.Tests), onlyResets)
	resets := len(p.Tests) - len(tests)
	slices.SortStableFunc(tests, func(a, b state.Polluter) int { return worst(a) - worst(b) })
	shown := 0
	for _, t := range tests {
		if worst(t) >= slices.Index(state.Labels, state.Unread) && shown > 0 || shown == shownTests {
			break
		}
		shown++
		polluterText(&b, t)
	}
	if more := len(tests) - shown; more > 0 {
		fmt.Fprintf(&b, "\n%s state changed: see the report.\n", suite.Count(more, "more test leaves", "more tests leave"))
	}
	if resets > 0 {
		fmt.Fprintf(&b, "\n%s state to its initial value.\n", suite.Count(resets, "test only restores", "tests only restore"))
	}
	for _, n := range p.Notes {
		fmt.Fprintf(&b, "\nNote: %s\n", clean(n))
	}
	if p.Observed > 0 {
		fmt.Fprintf(&b, "\n%s; %d states with at most %d objects below %d fields compared in %.1f s.\n",
			suite.Count(p.Observed, "test", "tests"), p.Captures, p.Objects, p.Roots, p.Seconds)
	}
	if p.Observed > 0 {
		fmt.Fprintf(&b, "Report: %s\n", file)
	}
	return b.String()
}

func pollutionHeadline(p polluted) string {
	count := map[state.Label]int{}
	for _, t := range p.Tests {
		count[state.Labels[worst(t)]]++
	}
	if len(p.Tests) == 0 {
		return fmt.Sprintf("None of %d tests was seen to leave shared state changed.", p.Observed)
	}
	var parts []string
	for _, l := range state.Labels {
		if n := count[l]; n > 0 {
			words := headlineWords[l]
			if n == 1 && l == state.Breaks {
				words = "breaks other tests"
			}
			parts = append(parts, fmt.Sprintf("%d %s", n, words))
		}
	}
	return fmt.Sprintf("%d of %d tests leave shared state changed: %s.", len(p.Tests), p.Observed, strings.Join(parts, ", "))
}

var headlineWords = map[state.Label]string{
	state.Breaks: "break other tests", state.Failing: "where a test that reads it fails",
	state.Read:       "where other tests read it and none was seen to fail",
	state.Unobserved: "where reads are not observed", state.Unread: "where no other test reads it",
	state.Cache: "only a cache",
}

// onlyResets reports whether a test only restores what others changed.
func onlyResets(t state.Polluter) bool {
	return !slices.ContainsFunc(t.Pollutes, func(q state.Pollution) bool { return !q.Resets || q.Label == state.Breaks })
}

// worst returns the index of the test's worst label.
func worst(t state.Polluter) int {
	out := len(state.Labels) - 1
	for _, q := range t.Pollutes {
		out = min(out, slices.Index(state.Labels, q.Label))
	}
	return max(out, 0)
}

func polluterText(b *strings.Builder, t state.Polluter) {
	fmt.Fprintf(b, "\n%s\n", clean(string(t.Test)))
	list := slices.Clone(t.Pollutes)
	slices.SortStableFunc(list, func(a, b state.Pollution) int {
		return slices.Index(state.Labels, a.Label) - slices.Index(state.Labels, b.Label)
	})
	type head struct {
		field string
		label state.Label
	}
	more, shown := map[head]int{}, 0
	for _, q := range list {
		h := head{q.Field, q.Label}
		if more[h]++; more[h] > 1 || shown == shownFields {
			continue // only one difference of each field is shown
		}
		shown++
		fmt.Fprintf(b, "  %s: %s → %s\n", clean(q.Path), clean(q.Before), clean(q.After))
		fmt.Fprintf(b, "      %s%s%s\n", q.Label, origin(q), concerned(q))
	}
	rest, others := len(list)+t.More-shown, ""
	switch fields := len(more) - shown; fields {
	case 0:
	case 1:
		others = " and another field"
	default:
		others = fmt.Sprintf(" and %d other fields", fields)
	}
	if rest > 0 {
		fmt.Fprintf(b, "  and %d more, below these%s\n", rest, others)
	}
}

// origin says which code left the change.
func origin(q state.Pollution) string {
	var s string
	if q.WrittenBy != "" {
		s += ", written by " + clean(q.WrittenBy)
	}
	if q.During != state.DuringTest {
		s += ", in the " + string(q.During)
	}
	if q.Resets {
		s += ", which is the initial value"
	}
	if q.Restored {
		s += ", restored by the class teardown"
	}
	return s
}

// concerned names the tests that the change breaks, or those that read the state.
func concerned(q state.Pollution) string {
	list, verb, more := q.Readers, "read by", q.MoreReaders
	if len(q.Breaks) > 0 {
		list, verb, more = q.Breaks, "breaks", 0
	}
	if len(list) == 0 {
		return ""
	}
	return fmt.Sprintf("\n      %s %s", verb, names(list, more))
}

func names(list []suite.TestID, more int) string {
	var out []string
	for _, t := range list[:min(len(list), shownReaders)] {
		out = append(out, clean(string(t)))
	}
	s := strings.Join(out, ", ")
	if more += len(list) - len(out); more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}

// clean replaces control characters, which a terminal would interpret.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return '\uFFFD'
		}
		return r
	}, s)
}
