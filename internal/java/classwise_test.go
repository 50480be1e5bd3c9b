package java

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// Every class runs in its own process. A crash affects the results of its class only.
func TestClasswise(t *testing.T) {
	o := suite.Order{"a.A#1", "b.B#1", "a.A#2", "c.C#1", "b.B#2"}
	var mu sync.Mutex
	var ran []string
	run, err := classwise(context.Background(), o, 2, func(_ context.Context, o suite.Order) (*suite.Run, error) {
		mu.Lock()
		defer mu.Unlock()
		ran = append(ran, o.Key())
		r := &suite.Run{Order: o, Price: suite.Fresh, Nanos: 1}
		for i, id := range o {
			if id == "b.B#2" {
				r.Crash = &suite.Crash{Kind: "exit", During: id}
				break
			}
			r.Results = append(r.Results, suite.Result{Test: id, Outcome: suite.Pass, Position: i})
		}
		return r, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(ran)
	if want := []string{suite.Order{"a.A#1", "a.A#2"}.Key(), suite.Order{"b.B#1", "b.B#2"}.Key(),
		suite.Order{"c.C#1"}.Key()}; !slices.Equal(ran, want) {
		t.Errorf("processes %q", ran)
	}
	for i, id := range o {
		res := run.At(i)
		want := suite.Pass
		if id == "b.B#2" {
			want = suite.Unresolved
		}
		if res.Test != id || res.Position != i || res.Outcome != want {
			t.Errorf("position %d: %+v", i, res)
		}
	}
	if run.Crash == nil || run.Nanos != 3 || run.Price != suite.Fresh {
		t.Errorf("%+v", run)
	}
}
