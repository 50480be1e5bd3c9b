//go:build unix

package harness

import (
	"errors"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// series runs the order with each of these switches and returns the outcomes of the last test.
func series(t *testing.T, p *Pool, o suite.Order, switches ...string) (out []suite.Outcome, err error) {
	t.Helper()
	err = p.Series(t.Context(), o, Question{}, func(last *suite.Run) (string, bool) {
		if last != nil {
			out = append(out, last.Last().Outcome)
		}
		if len(out) == len(switches) {
			return "", false
		}
		return switches[len(out)], true
	})
	return out, err
}

func TestSeriesOfOneProcess(t *testing.T) {
	p := newTestPool(t, Config{Spares: -1, Exact: fakeSpec("")})
	got, err := series(t, p, order("pass", "passes when on"), "1", "0", "1")
	if want := []suite.Outcome{suite.Pass, suite.Fail, suite.Pass}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	if st := p.Stats(); st.Starts != 1 || st.Questions[suite.Batched] != 3 || st.Tests != 6 {
		t.Errorf("%+v", st)
	}
}

// A series ends with its process. A refused order leaves no process running.
func TestSeriesThatBreaksOff(t *testing.T) {
	p := newTestPool(t, Config{Spares: -1, Exact: fakeSpec("")})
	got, err := series(t, p, order("dies when off", "pass"), "1", "0", "1", "1")
	if want := []suite.Outcome{suite.Pass, suite.Unresolved}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	var refused *RefusedError
	p = newTestPool(t, Config{Spares: -1, Exact: fakeSpec("refuses")})
	if _, err := series(t, p, order("pass", "pass"), "1"); !errors.As(err, &refused) {
		t.Errorf("%v", err)
	}
	if _, err := series(t, p, order("pass"), "2"); err == nil {
		t.Error("switches other than 0 and 1 were taken")
	}
}
