package session

import (
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/budget"
	"github.com/odfix/odfix/internal/engine/enginetest"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

func TestExpected(t *testing.T) {
	for _, c := range []struct {
		tests               int
		took, start, budget time.Duration
		want                string
	}{
		{163, 1500 * time.Millisecond, 700 * time.Millisecond, 11 * time.Minute,
			"163 tests took 2s in the last run. Each cause takes less than a minute as a rule, and all 11 minutes at most."},
		{1000, 16 * time.Second, time.Second, 16 * time.Minute,
			"1000 tests took 16s in the last run. Each cause takes up to 3 minutes as a rule, and all 16 minutes at most."},
		{1, 16 * time.Second, time.Second, 90 * time.Second,
			"1 test took 16s in the last run. One cause may take 3 minutes, and odfix stops after 2 minutes; --budget gives it more."},
	} {
		if got := expected(lastRun(c.tests, c.took), c.took, c.start, c.budget); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// A job without a budget gets the time that fits its tests once half of them have run in a new
// process, or fewer that take long. Other runs show less.
func TestTheBudgetFitsTheTests(t *testing.T) {
	all := suite.Order{"a.ATest#one", "a.ATest#two", "a.ATest#three", "a.ATest#four"}
	notes := map[string]string{
		"all tests":         "4 tests take about 60s here. Each cause takes up to 7 minutes as a rule, and all 30 minutes at most.",
		"half of the tests": "4 tests take about 120s here. Each cause takes up to 13 minutes as a rule, and all 50 minutes at most.",
		"one test": "One process with few tests takes about 60s here. Each cause takes up to 52 minutes as a rule, and all 52 " +
			"minutes at most.",
	}
	for name, c := range map[string]struct {
		budget time.Duration
		order  suite.Order
		trial  repair.Trial
		crash  *suite.Crash
		want   time.Duration
	}{
		"all tests":           {0, all, repair.Trial{Price: suite.Fresh}, nil, 30 * time.Minute},
		"a budget":            {12 * time.Minute, all, repair.Trial{Price: suite.Fresh}, nil, 12 * time.Minute},
		"half of the tests":   {0, all[2:], repair.Trial{Price: suite.Fresh}, nil, 50 * time.Minute},
		"one test":            {0, all[:1], repair.Trial{Price: suite.Fresh}, nil, 52 * time.Minute},
		"a warm process":      {0, all, repair.Trial{Price: suite.Warm}, nil, job.DefaultBudget},
		"with a patch":        {0, all, repair.Trial{Price: suite.Fresh, Overlay: "patched"}, nil, job.DefaultBudget},
		"a process that ends": {0, all, repair.Trial{Price: suite.Fresh}, &suite.Crash{Kind: "exit"}, job.DefaultBudget},
	} {
		said := ""
		synctest.Test(t, func(t *testing.T) {
			s := New(job.Job{Budget: c.budget}, Options{Log: zap.NewNop(), Progress: func(e job.Event) { said = e.Note }})
			end, cancel := budget.Extendable(t.Context(), s.budget(), ErrBudget)
			defer cancel()
			s.end = end
			l := &Lab{Base: enginetest.StandIn{Answer: func(o suite.Order) *suite.Run {
				return &suite.Run{Order: o, Nanos: int64(time.Minute), Crash: c.crash}
			}}, Original: all, timed: func(tests int, took time.Duration) { s.fit(tests, len(all), took, time.Second) }}
			if _, err := l.Run(end, c.order, c.trial); err != nil {
				t.Fatal(err)
			}
			if got := budget.Share(end, 1); got != c.want {
				t.Errorf("%s: %s are left, want %s", name, got, c.want)
			}
		})
		if said != notes[name] {
			t.Errorf("%s: said %q, want %q", name, said, notes[name])
		}
	}
}
