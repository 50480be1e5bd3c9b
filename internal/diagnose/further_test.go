package diagnose

import (
	"context"
	"fmt"
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

// TestFurtherPollutersOfSlowProcesses: where the tests are fast and starting them takes long, the
// search for further polluters ends, too. All are found if all are wanted.
func TestFurtherPollutersOfSlowProcesses(t *testing.T) {
	for _, tt := range []struct {
		start time.Duration
		all   bool
		want  func(found int) bool
	}{
		{time.Millisecond, false, func(n int) bool { return n == handful }},
		{10 * time.Second, false, func(n int) bool { return n == 2 }},
		{10 * time.Second, true, func(n int) bool { return n == handful+1 }},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld()
			for n := range handful + 1 {
				w.add(suite.TestID(fmt.Sprintf("p%d.PollTest#t", n)), sets("x", 1))
			}
			v := w.add("v.VTest#v", needs("x", 0))
			w.before = func(int, suite.Order) error { time.Sleep(tt.start); return nil }
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Hour)
			defer cancel()
			res, err := Diagnose(ctx, w, Input{Groups: groups, Suite: w.suite(), Failing: []suite.TestID{v}, Seen: seen(w.all), FindAll: tt.all})
			if err != nil {
				t.Fatal(err)
			}
			if n := len(res.Tests[0].Polluters); !tt.want(n) {
				t.Errorf("a process takes %v to start, all %v: %d polluters", tt.start, tt.all, n)
			}
		})
	}
}
