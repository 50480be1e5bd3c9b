package budget

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestExtendable(t *testing.T) {
	used := errors.New("used up")
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		ctx, cancel := Extendable(t.Context(), time.Minute, used)
		defer cancel()
		derived, end := context.WithCancel(ctx)
		defer end()
		short, over := context.WithTimeout(ctx, 50*time.Second)
		defer over()
		if !ctx.Until(began.Add(5*time.Minute)) || ctx.Until(began.Add(4*time.Minute)) {
			t.Error("an end can become later, and not earlier")
		}
		if got := Share(derived, 1); got != 5*time.Minute {
			t.Errorf("%s are left, want 5 minutes", got)
		}
		<-short.Done()
		if got := time.Since(began); got != 50*time.Second || derived.Err() != nil {
			t.Errorf("a limit of its own ended after %s; %v", got, derived.Err())
		}
		<-derived.Done()
		if got := time.Since(began); got != 5*time.Minute || context.Cause(derived) != used {
			t.Errorf("it ended after %s: %v", got, context.Cause(derived))
		}
		if ctx.Until(began.Add(time.Hour)) {
			t.Error("an end that has passed became later")
		}
	})
	if ctx, cancel := Extendable(t.Context(), time.Nanosecond, used); context.Cause(ctx) != used {
		t.Error("a limit that is too short for anything is not over at once")
	} else {
		cancel()
	}
	synctest.Test(t, func(t *testing.T) {
		outer, end := context.WithTimeout(t.Context(), time.Second)
		defer end()
		ctx, cancel := Extendable(outer, time.Minute, used)
		defer cancel()
		if got := Share(ctx, 1); got != time.Second {
			t.Errorf("%s are left, want those of the outer context", got)
		}
		<-ctx.Done()
		if context.Cause(ctx) == used {
			t.Error("the outer context ended")
		}
	})
}

// TestPause: the time of a pause does not count.
func TestPause(t *testing.T) {
	used := errors.New("used up")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := Extendable(t.Context(), time.Minute, used)
		defer cancel()
		time.Sleep(20 * time.Second)
		resume := ctx.Pause()
		if _, limited := ctx.Deadline(); limited {
			t.Error("an end in a pause")
		}
		ctx.Pause()() // a second pause changes nothing
		time.Sleep(5 * time.Minute)
		if ctx.Err() != nil {
			t.Fatal("the time ended in a pause")
		}
		resume()
		resume()
		if got := Share(ctx, 1); got != 40*time.Second {
			t.Errorf("%s are left, want 40 seconds", got)
		}
		time.Sleep(41 * time.Second)
		if context.Cause(ctx) != used {
			t.Errorf("%v", context.Cause(ctx))
		}
		ctx.Pause()()
		if ctx.Err() == nil {
			t.Error("an end that has passed is gone")
		}
		within, over := Pausable(t.Context(), time.Minute, used)
		defer over()
		derived, end := context.WithCancel(within)
		defer end()
		resume = Pause(derived)
		time.Sleep(time.Hour)
		resume()
		if derived.Err() != nil {
			t.Error("the time ended in a pause of a derived context")
		}
		Pause(t.Context())() // which has no end
	})
}
