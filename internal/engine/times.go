package engine

import (
	"context"
	"sync"
	"time"

	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// times holds how long tests take: the mean of their passes, since processes that run side by side
// slow each other down. A failure may end a test early. It counts only if the test has not passed.
type times struct {
	mu           sync.Mutex
	pass, failed map[suite.TestID]mean
}

type mean struct {
	all time.Duration
	of  int
}

// note adds the times of a run; nil holds none.
func (t *times) note(run *suite.Run) {
	if run == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.pass == nil {
		t.pass, t.failed = map[suite.TestID]mean{}, map[suite.TestID]mean{}
	}
	for _, r := range run.Results {
		of := t.failed
		switch r.Outcome {
		case suite.Pass:
			of = t.pass
		case suite.Fail:
		default:
			continue
		}
		m := of[r.Test]
		of[r.Test] = mean{m.all + time.Duration(r.Nanos), m.of + 1}
	}
}

// took returns how long a test takes; 0: it has not run.
func (t *times) took(test suite.TestID) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	m := t.pass[test]
	if m.of == 0 {
		m = t.failed[test]
	}
	return m.all / time.Duration(max(1, m.of))
}

// timing builds sites whose runs are noted.
type timing struct {
	repair.Builder
	times *times
}

// Build implements repair.Builder.
func (b timing) Build(ctx context.Context, files map[string]string) (repair.Site, error) {
	site, err := b.Builder.Build(ctx, files)
	if err != nil {
		return nil, err
	}
	return timedSite{site, b.times}, nil
}

// timedSite is a site whose runs are noted.
type timedSite struct {
	repair.Site
	times *times
}

// Run implements repair.Site.
func (s timedSite) Run(ctx context.Context, o suite.Order) (*suite.Run, error) {
	run, err := s.Site.Run(ctx, o)
	s.times.note(run)
	return run, err
}

// Alone implements repair.Site.
func (s timedSite) Alone() repair.Site { return timedSite{s.Site.Alone(), s.times} }
