package repair

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// A cleaner's only statement makes the victims pass, and leaves a test's own data. A reset method
// restores what was there before, so it comes first, although the cleaner's patch is as short.
func TestExactRestoreBeforeAnotherTestsData(t *testing.T) {
	w, cause := uncleaned()
	own := suite.Order{"C#clean"}
	cause.Helpers = []suite.Order{own}
	w.scripts[own.Key()] = []Statement{{ID: "ownData", Role: "body"}}
	w.effects["ownData"] = w.effects["Registry.reset();"]
	f := &thinker{made: calls("Registry.reset();"), left: func(overlay string) int {
		if slices.Contains(w.edits[overlay].Keep, "ownData") {
			return 2
		}
		return 0
	}}
	all := candidates(t, w, cause, f)
	if best := all[0]; best.Edit.Made == nil || best.Left != 0 || best.Edit.Location != patch.PolluterTeardown {
		t.Fatalf("first: %s, which leaves %d", labels(best), best.Left)
	}
	for _, c := range all {
		if c.Edit.Made == nil && c.Left != 2 {
			t.Errorf("%s: the cleaner's statement counts as exact", labels(c))
		}
	}
	if n := len(all); n != 2 { // one location of each
		t.Errorf("%d candidates: a later location of a single statement restores no more than the first", n)
	}
	f.left = nil
	f.asked = 0
	if best := candidates(t, w, cause, f)[0]; best.Edit.Made != nil || f.asked > 0 {
		t.Errorf("without a difference the first patch is %s, after %d searches for others", labels(best), f.asked)
	}
}

// A new Spring context comes after every other patch that fixes as much, and does not end the
// search for one.
func TestNewContextComesLast(t *testing.T) {
	w, cause := uncleaned()
	f := &thinker{made: append(calls("Registry.other();"),
		patch.Made{Annotate: []string{patch.DirtiesContext}, Resets: "dirty"})}
	only := candidates(t, w, cause, f)
	if len(only) == 0 || !only[0].Edit.Made.RenewsContext() || only[0].Edit.At != "P#pollute" {
		t.Fatalf("nothing else helps: %+v", only)
	}
	two := []patch.Made{{Statements: []string{"Registry.open();", "Registry.reset();"}, Resets: "Registry.state"}}
	w.effects["Registry.reset();"] = w.effects["reset"]
	w.effects["Registry.open();"] = w.effects["open"]
	f.made = slices.Concat(calls("Registry.other();"), []patch.Made{{Annotate: []string{patch.DirtiesContext}, Resets: "dirty"}}, two)
	if best := candidates(t, w, cause, f)[0]; best.Edit.Made.RenewsContext() {
		t.Errorf("first: %s, although two statements restore the state", labels(best))
	}
}

// A patch that saves a value may leave other state changed, as a shorter one does. Then the shorter
// one is better.
func TestSavedValueIsMeasuredBesideAShorterPatch(t *testing.T) {
	for _, c := range []struct {
		saved int // what it leaves
		want  bool
	}{{0, true}, {2, false}} {
		w, cause := uncleaned()
		w.effects["0.1"] = w.effects["Registry.reset();"]
		saves := patch.Made{Fields: []string{"State saved = Registry.state()"}, Statements: []string{"Registry.set(saved);"}, Resets: "Registry.state"}
		f := &thinker{made: append(calls("Registry.reset();"), saves), left: func(overlay string) int {
			if made := w.edits[overlay].Made; made != nil && len(made.Fields) > 0 {
				return c.saved
			}
			return 2
		}}
		best := candidates(t, w, cause, f)[0]
		if best.saves() != c.want || best.Left != c.saved {
			t.Errorf("first: %s, which leaves %d", labels(best), best.Left)
		}
	}
}

// hurried is a Finder whose time ends while it measures what a helper's statements leave.
type hurried struct {
	thinker
	w *world
}

func (h *hurried) Left(ctx context.Context, cause Cause, overlay string) (int, bool, error) {
	if h.w.edits[overlay].Made == nil {
		<-ctx.Done()
		return 0, false, ctx.Err()
	}
	return 1, true, nil
}

// A candidate that was not measured in time comes after one that was.
func TestUnmeasuredComesLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, cause := uncleaned()
		own := suite.Order{"C#clean"}
		w.scripts[own.Key()] = []Statement{{ID: "ownData", Role: "body"}}
		w.effects["ownData"] = w.effects["Registry.reset();"]
		cause.Later = func(context.Context) ([]suite.Order, error) { return []suite.Order{own}, nil }
		all := candidates(t, w, cause, &hurried{thinker{made: calls("Registry.reset();")}, w})
		if len(all) < 2 || all[0].Edit.Made == nil || all[0].unmeasured || !all[len(all)-1].unmeasured {
			t.Errorf("%d candidates; first: %s", len(all), labels(all[0]))
		}
	})
}
