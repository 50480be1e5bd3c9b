package diagnose

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// Where the tests take long, the first polluter is repaired before further ones are looked for.
func TestFurtherPollutersOfSlowTests(t *testing.T) {
	for _, tt := range []struct {
		each time.Duration
		all  bool
		want int
	}{{time.Millisecond, false, 2}, {time.Minute, false, 1}, {time.Minute, true, 2}} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld()
			w.nanos = map[suite.TestID]int64{}
			w.add("b.PollTest#first", sets("x", 1))
			w.add("c.PollTest#second", sets("x", 1))
			slow := w.add("d.SlowTest#t", nil)
			w.nanos[slow] = int64(tt.each)
			v := w.add("v.VTest#v", needs("x", 0))
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			res, err := Diagnose(ctx, w, Input{Groups: groups, Suite: w.suite(), Failing: []suite.TestID{v}, Seen: seen(w.all), FindAll: tt.all})
			if err != nil {
				t.Fatal(err)
			}
			if r := res.Tests[0]; r.Verdict != suite.Victim || len(r.Polluters) != tt.want || (len(r.Notes) > 0) != (tt.want == 1) {
				t.Errorf("%v: %s after %v, notes %q", tt.each, r.Verdict, r.Polluters, r.Notes)
			}
		})
	}
}
