package diagnose

import (
	"context"
	"slices"
	"testing"
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

// Where probing takes long, cleaners are searched when the caller asks for them.
func TestCleanersLater(t *testing.T) {
	for _, tt := range []struct {
		each time.Duration
		in   Input
		now  bool
	}{
		{2 * time.Second, Input{CleanersLater: true}, false},
		{2 * time.Second, Input{}, true},
		{2 * time.Second, Input{CleanersLater: true, FindAll: true}, true},
		{time.Millisecond, Input{CleanersLater: true}, true},
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
		confirmed, _, err := res.Clean(context.Background(), v)
		if err != nil || len(confirmed) != 1 || !slices.Equal(confirmed[0].Cleaner, suite.Order{"c.CleanTest#cleans"}) {
			t.Errorf("cleaners later: %v, %v", confirmed, err)
		}
		ran := w.runs
		if again, _, _ := res.Clean(context.Background(), v); len(again) != 1 || w.runs > ran {
			t.Errorf("asked again: %v after %d runs", again, w.runs-ran)
		}
	}
}

// The caller may ask while the diagnosis is not over.
func TestCleanersLaterWhileExplained(t *testing.T) {
	w, v := slowVictim(2 * time.Second)
	var found []suite.Cleaner
	in := Input{CleanersLater: true, Failing: []suite.TestID{v}, Seen: seen(w.all)}
	in.Explained = func(ctx context.Context, sofar *Result) (err error) {
		found, _, err = sofar.Clean(ctx, v)
		return err
	}
	if r := w.diagnose(t, in).Tests[0]; len(found) != 1 || len(r.Cleaners) != 1 || r.CleanersLater {
		t.Errorf("found %v; in the result %v, later %v", found, r.Cleaners, r.CleanersLater)
	}
}
