package fix

import (
	"slices"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/diagnose"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

func victim(t, polluter suite.TestID, cleaners ...suite.TestID) diagnose.TestResult {
	r := diagnose.TestResult{Test: t, Verdict: suite.Victim, Polluters: []suite.Order{{polluter}}}
	for _, c := range cleaners {
		r.Cleaners = append(r.Cleaners, suite.Cleaner{Polluter: suite.Order{polluter}, Cleaner: suite.Order{c}})
	}
	return r
}

func TestVictimsOfOnePolluterAreOneCause(t *testing.T) {
	causes := causesOf([]diagnose.TestResult{
		victim("a.A#one", "p.P#p", "c.C#x"),
		victim("a.B#two", "p.P#p", "c.C#y", "c.C#x"),
		{Test: "a.G#genuine", Verdict: suite.Genuine},
		victim("a.D#three", "q.Q#q"),
	})
	if len(causes) != 2 || len(causes[0].Cases) != 2 {
		t.Fatalf("%+v", causes)
	}
	want := []suite.Order{{"c.C#x"}, {"c.C#y"}}
	if !slices.EqualFunc(causes[0].Helpers, want, slices.Equal) {
		t.Errorf("helpers %v", causes[0].Helpers)
	}
	// A cause without cleaners borrows those of another, also of one that was handed over before.
	causes, all := lend(causes, nil)
	noteLater, _ := lend(causesOf([]diagnose.TestResult{victim("a.E#four", "r.R#r")}), all)
	if !slices.EqualFunc(noteLater[0].Helpers, want[:1], slices.Equal) {
		t.Errorf("lent later %v", noteLater[0].Helpers)
	}
	if !slices.EqualFunc(causes[1].Helpers, want[:1], slices.Equal) {
		t.Errorf("lent %v", causes[1].Helpers)
	}
	rest := causes[0].Without([]suite.TestID{"a.A#one"})
	if len(rest.Cases) != 1 || rest.Cases[0].Test != "a.B#two" || len(causes[0].Cases) != 2 {
		t.Errorf("uncured: %+v", rest)
	}
}

func TestBrittleIsCausedByAStateNobodySet(t *testing.T) {
	causes := causesOf([]diagnose.TestResult{{Test: "a.A#b", Verdict: suite.Brittle, StateSetters: []suite.Order{{"s.S#s"}}}})
	if len(causes) != 1 || !causes[0].Brittle() || !slices.Equal(causes[0].Cases[0].Failing[0], suite.Order{"a.A#b"}) {
		t.Fatalf("%+v", causes)
	}
}

// TestWithoutLong: orders that take long are left to the proof.
func TestWithoutLong(t *testing.T) {
	quick, slow := suite.Order{"p.P#p", "v.V#v"}, suite.Order{"s.S#slow", "p.P#p", "v.V#v"}
	took := func(o suite.Order) time.Duration { return time.Duration(len(o)) * 2 * time.Second }
	got := withoutLong([]repair.Cause{{Whole: []suite.Order{quick, slow}}, {}}, took)
	if len(got) != 2 || len(got[0].Whole) != 1 || !slices.Equal(got[0].Whole[0], quick) {
		t.Errorf("%v", got)
	}
}
