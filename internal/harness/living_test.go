//go:build unix

package harness

import (
	"errors"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// asked runs orders of one test each in a living process. It returns their outcomes and the pool's
// statistics.
func asked(t *testing.T, spec Spec, tests ...string) (out []suite.Outcome, s Stats) {
	t.Helper()
	p := newTestPool(t, Config{Spares: -1, Exact: spec})
	l := p.Living()
	defer l.Close()
	for _, name := range tests {
		run, err := l.Run(t.Context(), order(name), Question{})
		if err != nil {
			t.Fatal(err)
		}
		if run.Price != suite.Batched {
			t.Errorf("%s: price %s", name, run.Price)
		}
		out = append(out, run.Last().Outcome)
	}
	return out, p.Stats()
}

func TestLivingProcessAnswersManyOrders(t *testing.T) {
	out, s := asked(t, fakeSpec(""), "pass", "fail", "pass", "skip", "pass")
	if s.Starts != 1 || s.Questions[suite.Batched] != 5 || s.Recycled != 0 || out[1] != suite.Fail || out[4] != suite.Pass {
		t.Errorf("%v, %+v", out, s)
	}
}

func TestLivingProcessIsReplaced(t *testing.T) {
	for _, c := range []struct {
		name                string
		tests               []string
		starts, recycled, n int
	}{
		{"a test leaves something", []string{"pass", "leaves a server", "pass", "pass"}, 2, 1, 4},
		{"its memory grows", []string{"pass", "grows", "pass", "grows", "grows", "pass", "pass"}, 2, 1, 7},
		{"a test ends it", []string{"pass", "dies later", "pass"}, 2, 0, 4},
		{"the first test ends it", []string{"dies", "pass"}, 2, 0, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, s := asked(t, fakeSpec(""), c.tests...)
			if s.Starts != c.starts || s.Recycled != c.recycled || s.Questions[suite.Batched] != c.n {
				t.Errorf("%+v", s)
			}
		})
	}
}

func TestLivingProcessReceivesThatFilesWereWritten(t *testing.T) {
	p := newTestPool(t, Config{Spares: -1, Exact: fakeSpec("")})
	l := p.Living()
	defer l.Close()
	ask := func() suite.Outcome {
		run, err := l.Run(t.Context(), order("passes when files are outdated"), Question{})
		if err != nil {
			t.Fatal(err)
		}
		return run.Last().Outcome
	}
	if l.Forget(); ask() != suite.Fail {
		t.Error("a new process received that files were written")
	}
	if l.Forget(); ask() != suite.Pass || ask() != suite.Fail {
		t.Error("a process did not receive exactly once that files were written")
	}
}

// A refused order does not change the process.
func TestLivingProcessRefuses(t *testing.T) {
	p := newTestPool(t, Config{Spares: -1, Exact: fakeSpec("refuses")})
	l := p.Living()
	defer l.Close()
	for range 3 {
		var refused *RefusedError
		if _, err := l.Run(t.Context(), order("pass", "pass"), Question{}); !errors.As(err, &refused) {
			t.Fatal(err)
		}
	}
	if s := p.Stats(); s.Starts != 1 || !l.Runs() {
		t.Errorf("%+v", s)
	}
	if l.Close(); l.Runs() {
		t.Error("it runs after its end")
	}
}
