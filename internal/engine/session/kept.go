package session

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"sync"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// keeping builds sites for proofs, one after the other. A patch that is proved for further tests
// has run in most orders of its proof before: the proofs of one patch share their runs, and the
// site if no other was built meanwhile. A proof uses each run once, so that its repeats come from
// as many processes as before.
type keeping struct{ l *Lab }

// Builder returns a builder of sites for the proofs of patches.
func (l *Lab) Builder() repair.Builder { return keeping{l} }

// Build implements repair.Builder.
func (k keeping) Build(ctx context.Context, files map[string]string) (repair.Site, error) {
	text, err := json.Marshal(files) // sorted by name
	if err != nil {
		return nil, err
	}
	patch := sha256.Sum256(text)
	if k.l.site == nil || k.l.siteOf != patch {
		k.l.closeSite()
		site, err := k.l.Base.Build(ctx, files)
		if err == nil && ctx.Err() != nil { // it may lack what undoes files
			err = errors.Join(ctx.Err(), site.Close())
		}
		if err != nil {
			return nil, err
		}
		k.l.site, k.l.siteOf = site, patch
	}
	return &keptSite{Site: k.l.site, runs: k.l.runsOf(patch), used: map[string]int{}}, nil
}

// closeSite closes the site of the last proof.
func (l *Lab) closeSite() {
	if l.site == nil {
		return
	}
	if err := l.site.Close(); err != nil {
		l.log.Warn("closing the patched copy", zap.Error(err))
	}
	l.site = nil
}

// keptSite is the project with a patch in it, for one proof. Its Alone runs are not kept. Its Close
// leaves it open for the next proof.
type keptSite struct {
	repair.Site
	runs *patchedRuns

	mu   sync.Mutex
	used map[string]int // runs of an order that this proof has used
}

// Run implements repair.Site.
func (s *keptSite) Run(ctx context.Context, o suite.Order) (*suite.Run, error) {
	key := o.Key()
	s.mu.Lock()
	n := s.used[key]
	s.used[key]++
	s.mu.Unlock()
	if run := s.runs.at(key, n); run != nil {
		return run, nil
	}
	run, err := s.Site.Run(ctx, o)
	if err == nil {
		s.runs.add(key, run)
	}
	return run, err
}

// Close implements repair.Site.
func (s *keptSite) Close() error { return nil }

// patchedRuns are fresh runs of the project with one patch, by order.
type patchedRuns struct {
	mu      sync.Mutex
	byOrder map[string][]*suite.Run
	tests   int // in all of them
}

// keepPatched is how many outcomes of tests are kept for one patch.
const keepPatched = 1 << 16

func (r *patchedRuns) at(key string, n int) *suite.Run {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n < len(r.byOrder[key]) {
		return r.byOrder[key][n]
	}
	return nil
}

func (r *patchedRuns) add(key string, run *suite.Run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tests += len(run.Order); r.tests <= keepPatched {
		r.byOrder[key] = append(r.byOrder[key], run)
	}
}

// runsOf returns the runs of a patch. Once results of parallel processes are distrusted, earlier
// ones are not used any more.
func (l *Lab) runsOf(patch [sha256.Size]byte) *patchedRuns {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.patched == nil {
		l.patched = map[[sha256.Size]byte]*patchedRuns{}
	}
	r := l.patched[patch]
	if r == nil {
		r = &patchedRuns{byOrder: map[string][]*suite.Run{}}
		l.patched[patch] = r
	}
	return r
}
