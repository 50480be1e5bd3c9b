package repair

import (
	"context"
	"errors"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// Helpers that take long to find are searched only if no statement restores the state.
func TestLateHelpers(t *testing.T) {
	own := suite.Order{"C#clean"}
	for _, tt := range []struct {
		name, resets string
		asked        int
	}{
		{"a reset is good enough", "Registry.reset();", 0},
		{"no reset helps", "Registry.other();", 1},
	} {
		w, cause := uncleaned()
		w.scripts[own.Key()] = []Statement{{ID: "own", Role: "body"}}
		w.effects["own"] = w.effects["Registry.reset();"]
		asked := 0
		cause.Later = func(context.Context) ([]suite.Order, error) {
			asked++
			return []suite.Order{own}, nil
		}
		best := candidates(t, w, cause, &thinker{made: calls(tt.resets)})[0]
		if asked != tt.asked || (best.Edit.Made == nil) != (tt.asked > 0) {
			t.Errorf("%s: helpers were searched %d times; the patch is %s", tt.name, asked, labels(best))
		}
	}
}

// A search for helpers that fails leaves the reason why resets gave no patch.
func TestLateHelpersFail(t *testing.T) {
	w, cause := uncleaned()
	cause.Later = func(context.Context) ([]suite.Order, error) { return nil, errors.New("the search failed") }
	p := &Patcher{Groups: groups, Editor: w, Runner: w, Finder: &thinker{made: calls("Registry.other();")}}
	if cs, err := p.Candidates(context.Background(), cause); len(cs) > 0 || !errors.Is(err, ErrNoReset) {
		t.Errorf("%d candidates, %v", len(cs), err)
	}
}
