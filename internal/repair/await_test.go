package repair

import (
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

func waiting(places ...string) []patch.Made {
	return []patch.Made{{Await: places, Resets: "unfinished " + places[0]}}
}

// TestAwaitBeforeHelpers: a polluter that waits for what it begins comes before statements that clean
// up, which are then not searched.
func TestAwaitBeforeHelpers(t *testing.T) {
	w, cause := fixture()
	f := &thinker{unshare: waiting("a.BoxTest.box")}
	cs := candidates(t, w, cause, f)
	if len(cs) != 1 || cs[0].Edit.Location != patch.PolluterBody || cs[0].Edit.At != "a.BoxTest#fills" || f.asked > 0 {
		t.Fatalf("%d candidates, the first %+v; asked %d times for statements", len(cs), cs[0].Edit, f.asked)
	}
}

// TestAwaitTwice: where a test fails after two polluters that do not wait, the candidate of the first
// is kept as Partial, and joined with that of the second.
func TestAwaitTwice(t *testing.T) {
	w, cause := severalStates()
	pair := suite.Order{"P#break", "V#one"}
	cause.Whole = []suite.Order{pair}
	p := &Patcher{Groups: groups, Editor: w, Runner: w, Finder: &thinker{unshare: waiting("dirty")}}
	if cs, _ := p.Candidates(t.Context(), cause); len(cs) > 0 {
		t.Fatalf("%+v", cs)
	}
	partial := p.Partial()
	if len(partial) == 0 || partial[0].Edit.Location != patch.PolluterBody || !partial[0].Joinable() {
		t.Fatalf("partial: %+v", partial)
	}
	if got := partial[0].StillFailing(); len(got) != 1 || !slices.Equal(got[0], pair) {
		t.Errorf("still failing: %v", got)
	}

	own := Cause{Polluter: pair[:1], Cases: []Case{{Test: "V#one", Failing: []suite.Order{pair}}}}
	next := &Patcher{Groups: groups, Editor: w, Runner: w, Place: patch.PolluterBody, Finder: &thinker{made: waiting("broken")}}
	second, err := next.Candidates(t.Context(), own)
	if err != nil || len(second) == 0 || !second[0].Joinable() {
		t.Fatalf("%+v, %v", second, err)
	}
	got, err := p.Joined(t.Context(), cause, partial[0], second[0])
	if err != nil || got == nil || !slices.Equal(got.Edit.Made.Await, []string{"dirty", "broken"}) || len(got.Edit.Also) > 0 || !got.all(cause) {
		t.Fatalf("%+v, %v", got, err)
	}
	if again, err := p.Joined(t.Context(), cause, got, second[0]); again != nil || err != nil {
		t.Errorf("a place that adds nothing: %+v, %v", again, err)
	}
}

// TestAwaitOnlyWhereNeeded: of several places at which the polluter does not wait, those that matter
// are in the patch.
func TestAwaitOnlyWhereNeeded(t *testing.T) {
	w, cause := fixture()
	cs := candidates(t, w, cause, &thinker{unshare: waiting("a.BoxTest.count", "a.BoxTest.box")})
	if len(cs) == 0 || cs[0].Edit.Location != patch.PolluterBody || !slices.Equal(cs[0].Edit.Keep, []string{"0.1"}) {
		t.Fatalf("%+v", cs)
	}
}

// TestAwaitAtAChosenPlace: a person who wants patches in a teardown gets none in the polluter itself.
func TestAwaitAtAChosenPlace(t *testing.T) {
	w, cause := fixture()
	p := &Patcher{Groups: groups, Editor: w, Runner: w, Place: patch.PolluterTeardown, Finder: &thinker{unshare: waiting("a.BoxTest.box")}}
	cs, err := p.Candidates(t.Context(), cause)
	if err != nil || slices.ContainsFunc(cs, func(c *Candidate) bool { return c.Edit.Location == patch.PolluterBody }) {
		t.Errorf("%+v, %v", cs, err)
	}
}

// TestAwaitThatHarmsThePolluter: a polluter that fails if it waits at once may pass if it waits at its end.
func TestAwaitThatHarmsThePolluter(t *testing.T) {
	w, cause := fixture()
	w.harms = func(e Edit, id suite.TestID) bool { return id == e.At && e.Made.Await[0] == "a.BoxTest.box" }
	f := &thinker{unshare: append(waiting("a.BoxTest.box"), waiting("a.BoxTest.box:end")...)}
	cs := candidates(t, w, cause, f)
	if len(cs) != 1 || !slices.Equal(cs[0].Edit.Made.Await, []string{"a.BoxTest.box:end"}) {
		t.Fatalf("%+v", cs)
	}
}
