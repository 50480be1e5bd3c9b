package repair

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// TestFurtherPolluters checks that a patch that cleans up after one polluter also cleans up after
// another one that no order has shown, and that a polluter of other state is only named.
func TestFurtherPolluters(t *testing.T) {
	for _, c := range []struct {
		name   string
		breaks string // the state that the other polluter changes
		also   []suite.TestID
	}{
		{"same state", "dirty", []suite.TestID{"Q#other"}},
		{"other state", "broken", nil},
	} {
		w, cause := uncleaned()
		clean := func(s map[string]bool) bool { return !s["dirty"] && !s["broken"] }
		w.tests["V#one"], w.tests["V#two"], w.tests["W#three"] = clean, clean, clean
		w.tests["Q#other"] = func(s map[string]bool) bool { s[c.breaks] = true; return true }
		w.tests["Q#again"] = w.tests["Q#other"]
		p := &Patcher{Groups: groups, Editor: w, Runner: w}
		best := candidates(t, w, cause, &thinker{made: calls("Registry.reset();")})[0]
		all := suite.Order{"P#pollute", "Q#other", "Q#again", "V#one", "V#two", "W#three"}
		wider, bad, err := p.FurtherPolluters(context.Background(), cause, best, all)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]suite.Order{{"Q#other", "V#one"}, {"Q#other", "V#two"}, {"Q#other", "W#three"}}, bad); d != "" {
			t.Errorf("%s: orders in which a test still fails: %s", c.name, d)
		}
		if (wider != nil) != (c.also != nil) || wider != nil && !slices.Equal(wider.Edit.Also, c.also) {
			t.Errorf("%s: candidate %+v, want it also at %v", c.name, wider, c.also)
		}
	}
}

// A patch at the end of one test does not clean up after the others of its class.
func TestFurtherPolluterOfOneClass(t *testing.T) {
	w, cause := uncleaned()
	w.tests["P#again"] = w.tests["P#pollute"]
	p := &Patcher{Groups: groups, Editor: w, Runner: w, Place: patch.PolluterEnd, Finder: &thinker{made: calls("Registry.reset();")}}
	cs, err := p.Candidates(t.Context(), cause)
	if err != nil {
		t.Fatal(err)
	}
	wider, bad, err := p.FurtherPolluters(t.Context(), cause, cs[0], suite.Order{"P#pollute", "P#again", "V#one", "V#two", "W#three"})
	if err != nil || len(bad) == 0 || wider == nil || !slices.Equal(wider.Edit.Also, []suite.TestID{"P#again"}) {
		t.Errorf("%v, %v, %+v", err, bad, wider)
	}
}
