package diagnose

import (
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// ranking is a search for cleaners of the polluter p.q.PollTest#setsDefaultLocale and the victim
// p.r.VictimTest#v.
func ranking(all ...suite.TestID) *cleaning {
	const polluter, victim = suite.TestID("p.q.PollTest#setsDefaultLocale"), suite.TestID("p.r.VictimTest#v")
	return &cleaning{session: &session{Groups: groups, all: append(suite.Order{polluter, victim}, all...)},
		c: &failingTest{id: victim}, polluter: suite.Order{"x.X#first", polluter}, crashed: map[suite.TestID]bool{}}
}

func TestScore(t *testing.T) {
	for _, c := range []struct {
		test suite.TestID
		want int
	}{
		{"a.OtherTest#x", 0},
		{"p.q.PollTest#x", 5}, // its class and package
		{"p.r.VictimTest#x", 4},
		{"p.q.OtherTest#x", 1},
		{"p.r.OtherTest#x", 1},
		{"p.OtherTest#x", 0},
		{"a.OtherTest#readsLocale", 2},
		{"a.OtherTest#readsDefaultLocale", 4 + 3},
		{"a.OtherTest#setsDefaultLocale_setsLocale", 4 + 3}, // at most four for words
		{"a.OtherTest#Clears", 3},
		{"a.OtherTest#clearsAndResets", 3},
		{"p.q.PollTest#resetsLocale", 10},
	} {
		if got := ranking().score(c.test); got != c.want {
			t.Errorf("%s: %d, want %d", c.test, got, c.want)
		}
	}
}

func TestWords(t *testing.T) {
	for name, want := range map[string][]string{
		"": nil, "setsTheDefaultLocale": {"sets", "default", "locale"}, "snake_case_name": {"snake", "case", "name"},
		"testThatItReads": {"that", "reads"}, "abcABCDEfghi": {"efghi"}, "Leading": {"leading"}, "four": {"four"}, "two": nil,
	} {
		if got := words(name); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for group, want := range map[string]string{"p.q.PollTest": "p.q", "PollTest": "", "src/a/poll.test.js": "src/a", "/poll.js": ""} {
		if got := folder(group); got != want {
			t.Errorf("%s: %q, want %q", group, got, want)
		}
	}
}

// TestRanked: likely cleaners come first, equal ones in the suite's order, and the polluter's own
// tests last. If only tests of the victim's class may clean, there are no others.
func TestRanked(t *testing.T) {
	k := ranking("a.OtherTest#x", "p.q.PollTest#x", "p.q.PollTest#y", "p.r.VictimTest#w", "a.OtherTest#resets")
	want := suite.Order{"p.q.PollTest#x", "p.q.PollTest#y", "p.r.VictimTest#w", "a.OtherTest#resets", "a.OtherTest#x",
		"x.X#first", "p.q.PollTest#setsDefaultLocale"}
	if got := k.ranked(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	k.crashed["p.q.PollTest#y"] = true
	if got := k.ranked(); slices.Contains(got, "p.q.PollTest#y") {
		t.Errorf("a test that ends the process is a candidate: %v", got)
	}
	k.ownOnly = true
	if got := k.ranked(); !slices.Equal(got, suite.Order{"p.r.VictimTest#w"}) {
		t.Errorf("of the victim's class: %v", got)
	}
}
