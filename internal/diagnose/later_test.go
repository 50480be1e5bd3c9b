package diagnose

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// slowVictim returns a world in which each run of the victim takes that long.
func slowVictim(each time.Duration) (w *world, v suite.TestID) {
	w = newWorld()
	w.fill("a", 10, 4)
	w.add("b.PollTest#pollutes", sets("x", 1))
	w.add("c.CleanTest#cleans", sets("x", 0))
	v = w.add("d.VictimTest#fails", needs("x", 0))
	w.nanos = map[suite.TestID]int64{v: int64(each)}
	return w, v
}

// With CleanersLater, cleaners are searched when the caller asks for them, unless all are wanted.
func TestCleanersLater(t *testing.T) {
	for _, tt := range []struct {
		each time.Duration
		in   Input
		now  bool
	}{
		{2 * time.Second, Input{CleanersLater: true}, false},
		{2 * time.Second, Input{}, true},
		{2 * time.Second, Input{CleanersLater: true, FindAll: true}, true},
		{time.Millisecond, Input{CleanersLater: true}, false},
	} {
		w, v := slowVictim(tt.each)
		tt.in.Failing, tt.in.Seen = []suite.TestID{v}, seen(suite.Order{"b.PollTest#pollutes", v})
		res := w.diagnose(t, tt.in)
		r := res.Tests[0]
		expect(t, r, suite.Victim)
		if r.CleanersLater == tt.now || (len(r.Cleaners) > 0) != tt.now {
			t.Errorf("%v, %+v: later %v, cleaners %v", tt.each, tt.in, r.CleanersLater, r.Cleaners)
		}
		if tt.now {
			continue
		}
		got, err := res.Clean(context.Background(), v)
		if err != nil || len(got.Tests) != 1 {
			t.Fatalf("%+v, %v", got, err)
		}
		r = got.Tests[0]
		if r.CleanersLater || len(r.Cleaners) != 1 || !slices.Equal(r.Cleaners[0].Cleaner, suite.Order{"c.CleanTest#cleans"}) {
			t.Errorf("cleaners later: %v, still later %v", r.Cleaners, r.CleanersLater)
		}
		ran := w.runs
		if again, _ := res.Clean(context.Background(), v); len(again.Tests[0].Cleaners) != 1 || w.runs > ran+1 {
			t.Errorf("asked again: %v after %d runs", again.Tests[0].Cleaners, w.runs-ran)
		}
	}
}

// The caller may ask while the diagnosis is not over.
func TestCleanersLaterWhileExplained(t *testing.T) {
	w, v := slowVictim(2 * time.Second)
	var found *Result
	in := Input{CleanersLater: true, Failing: []suite.TestID{v}, Seen: seen(w.all)}
	in.Explained = func(ctx context.Context, sofar *Result) (err error) {
		found, err = sofar.Clean(ctx, v)
		return err
	}
	if r := w.diagnose(t, in).Tests[0]; len(found.Tests[0].Cleaners) != 1 || len(r.Cleaners) != 1 || r.CleanersLater {
		t.Errorf("found %v; in the result %v, later %v", found.Tests, r.Cleaners, r.CleanersLater)
	}
}

// A search that ran out of time is not complete, and finds the cleaner when it is made again.
func TestCleanersLaterInTwoParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, v := slowVictim(2 * time.Second)
		res := w.diagnose(t, Input{CleanersLater: true, Failing: []suite.TestID{v}, Seen: seen(suite.Order{"b.PollTest#pollutes", v})})
		w.takes = 6 * time.Second
		short, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if got, _ := res.Clean(short, v); len(got.Tests[0].Cleaners) > 0 || !got.Tests[0].CleanersLater {
			t.Fatalf("in ten seconds: %+v", got.Tests[0].Cleaners)
		}
		if got, err := res.Clean(t.Context(), v); err != nil || len(got.Tests[0].Cleaners) != 1 || got.Tests[0].CleanersLater {
			t.Errorf("without a limit: %+v, %v", got.Tests[0].Cleaners, err)
		}
	})
}

// A cleaner of the first polluter that does not clean up after the second one is no reason not to
// search the second one's.
func TestCleanersOfTwoStates(t *testing.T) {
	w := newWorld()
	w.add("b.PollTest#one", sets("x", 1))
	w.add("bb.OtherTest#two", sets("y", 1))
	w.add("c.CleanTest#resetsX", sets("x", 0))
	w.add("c.CleanTest#resetsY", sets("y", 0))
	v := w.add("d.VictimTest#fails", func(p *proc) suite.Outcome { return passIf(p.vars["x"] == 0 && p.vars["y"] == 0) })
	r := w.only(t, Input{Failing: []suite.TestID{v}, Seen: seen(suite.Order{"b.PollTest#one", "bb.OtherTest#two", v})})
	if len(r.Polluters) != 2 || len(r.Cleaners) != 2 || r.Cleaners[0].Cleaner[0] == r.Cleaners[1].Cleaner[0] {
		t.Errorf("polluters %v, cleaners %v", r.Polluters, r.Cleaners)
	}
}
