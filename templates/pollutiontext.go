package templates

import (
	"fmt"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// How much `odfix pollution` shows on a terminal; the file contains everything.
const (
	shownPolluters = 40
	shownFields    = 6
	shownReaders   = 3
)

// pollutionView is what `odfix pollution` shows.
type pollutionView struct {
	Headline string
	Tests    []polluterView
	More     int // tests that are not shown
	Resets   int // tests that only restore what others changed
	Notes    []string
	Run      string
	Report   string
}

// polluterView is a test that leaves state changed.
type polluterView struct {
	Test   string
	Breaks bool
	Fields []leftView
	More   string
}

// leftView is one field, or other piece of state, that a test leaves changed.
type leftView struct{ State, Effect, Writer string }

// Pollution is the answer to `odfix pollution`. Tests that break others come first. report is the
// file that contains everything.
func Pollution(p *state.Pollutions, notes []string, report string, o Options) string {
	tests := slices.DeleteFunc(slices.Clone(p.Tests), onlyResets)
	v := pollutionView{Headline: pollutionHeadline(tests, p.Observed), Report: report, Resets: len(p.Tests) - len(tests)}
	slices.SortStableFunc(tests, func(a, b state.Polluter) int { return worst(a) - worst(b) })
	for _, t := range tests {
		if worst(t) >= slices.Index(state.Labels, state.Unread) && len(v.Tests) > 0 || len(v.Tests) == shownPolluters {
			break
		}
		v.Tests = append(v.Tests, newPolluterView(t))
	}
	v.More = len(tests) - len(v.Tests)
	for _, n := range notes {
		v.Notes = append(v.Notes, Harmless(n, false))
	}
	v.Run = fmt.Sprintf("%s; %s and %s that they lead to, compared %s in %.1f s", count(p.Observed, "test"),
		count(p.Roots, "field"), count(p.Objects, "object"), count(p.Captures, "time"), p.Seconds)
	return render("pollution.txt.tmpl", v, o)
}

func pollutionHeadline(tests []state.Polluter, observed int) string {
	if len(tests) == 0 {
		return fmt.Sprintf("None of %s was seen to leave shared state changed.", count(observed, "test"))
	}
	number := map[state.Label]int{}
	for _, t := range tests {
		number[state.Labels[worst(t)]]++
	}
	var parts []string
	for _, l := range state.Labels {
		if n := number[l]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, pollutionCounts[l][min(n, 2)-1]))
		}
	}
	return fmt.Sprintf("%d of %s %s shared state changed: %s.", len(tests), count(observed, "test"),
		plural(len(tests), "leaves", "leave"), strings.Join(parts, ", "))
}

// pollutionCounts say what one test, or several tests, do to others.
var pollutionCounts = map[state.Label][2]string{
	state.Breaks:     {"breaks another test", "break other tests"},
	state.Failing:    {"changes what a failing test reads", "change what a failing test reads"},
	state.Read:       {"changes what other tests read", "change what other tests read"},
	state.Unobserved: {"changes state whose readers odfix cannot observe", "change state whose readers odfix cannot observe"},
	state.Unread:     {"changes what no other test reads", "change what no other test reads"},
	state.Cache:      {"only fills a cache", "only fill a cache"},
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

func newPolluterView(t state.Polluter) polluterView {
	v := polluterView{Test: Harmless(string(t.Test), false), Breaks: state.Labels[worst(t)] == state.Breaks}
	list := slices.Clone(t.Pollutes)
	slices.SortStableFunc(list, func(a, b state.Pollution) int {
		return slices.Index(state.Labels, a.Label) - slices.Index(state.Labels, b.Label)
	})
	type head struct {
		field string
		label state.Label
	}
	seen := map[head]int{}
	for _, q := range list {
		h := head{q.Field, q.Label}
		if seen[h]++; seen[h] > 1 || len(v.Fields) == shownFields {
			continue // only one difference of each field is shown
		}
		v.Fields = append(v.Fields, leftView{Effect: onOthers(q), Writer: Harmless(q.WrittenBy, false),
			State: fmt.Sprintf("%s: %s → %s", Harmless(q.Path, false), Harmless(q.Before, false), Harmless(q.After, false))})
	}
	if rest := len(list) + t.More - len(v.Fields); rest > 0 {
		v.More = fmt.Sprintf("… and %d more, below these", rest)
		if fields := len(seen) - len(v.Fields); fields > 0 {
			v.More += " and " + count(fields, "other field")
		}
	}
	return v
}

// onOthers says in words what the change does to other tests, and which code left it.
func onOthers(q state.Pollution) string {
	var s string
	switch q.Label {
	case state.Breaks:
		s = fmt.Sprintf("breaks %s: %s alone, and %s directly after this test", someTests(q.Breaks, 0),
			plural(len(q.Breaks), "it passes", "they pass"), plural(len(q.Breaks), "fails", "fail"))
	case state.Failing:
		s = fmt.Sprintf("read by %s, of which one fails later in this run; the reason is not known", someTests(q.Readers, q.MoreReaders))
	case state.Read:
		s = fmt.Sprintf("read by %s; none was seen to fail", someTests(q.Readers, q.MoreReaders))
	case state.Unobserved:
		s = "unknown: odfix cannot observe who reads this"
	case state.Unread:
		s = "none: no other test reads it"
	case state.Cache:
		s = "none: it is a cache, made when it is first needed, and not changed later"
	}
	if q.During != state.DuringTest && q.During != "" {
		s += "; left by the " + string(q.During)
	}
	if q.Resets {
		s += "; this is the initial value"
	}
	if q.Restored {
		s += "; the class teardown restores it"
	}
	return s
}

func someTests(list []suite.TestID, more int) string {
	var out []string
	for _, t := range list[:min(len(list), shownReaders)] {
		out = append(out, Harmless(string(t), false))
	}
	s := strings.Join(out, ", ")
	if more += len(list) - len(out); more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}
