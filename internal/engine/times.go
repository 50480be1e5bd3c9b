package engine

import (
	"context"
	"sync"
	"time"

	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// times holds how long tests take: the shortest time of a pass, since other processes may have
// slowed longer ones down. A failure may end a test early. It counts only if the test has not
// passed.
type times struct {
	mu           sync.Mutex
	pass, failed map[suite.TestID]time.Duration
}

// note adds the times of a run; nil holds none.
func (t *times) note(run *suite.Run) {
	if run == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.pass == nil {
		t.pass, t.failed = map[suite.TestID]time.Duration{}, map[suite.TestID]time.Duration{}
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
		took := time.Duration(r.Nanos)
		if known, ok := of[r.Test]; !ok || took < known {
			of[r.Test] = took
		}
	}
}

// took returns how long a test takes; 0: it has not run.
func (t *times) took(test suite.TestID) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if took, ok := t.pass[test]; ok {
		return took
	}
	return t.failed[test]
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
