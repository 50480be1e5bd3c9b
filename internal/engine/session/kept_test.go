package session

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/odfix/odfix/internal/engine/enginetest"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// builds is a project that counts the runs of its sites.
type builds struct {
	enginetest.StandIn
	runs        *atomic.Int64
	built, open *atomic.Int64 // sites
}

func (b builds) Build(context.Context, map[string]string) (repair.Site, error) {
	b.built.Add(1)
	b.open.Add(1)
	return patchedSite{b.runs, b.open}, nil
}

func (builds) Sequential() {}

type patchedSite struct{ runs, open *atomic.Int64 }

func (s patchedSite) Run(_ context.Context, o suite.Order) (*suite.Run, error) {
	s.runs.Add(1)
	return &suite.Run{Order: o}, nil
}

func (s patchedSite) Alone() repair.Site { return s }
func (patchedSite) Parallel() int        { return 1 }
func (s patchedSite) Close() error       { s.open.Add(-1); return nil }

// A proof uses the runs that an earlier proof of the same patch made, each once, and never those of
// another patch. It uses the site of the proof before if the patch is the same. Once parallel
// processes are distrusted, it uses none.
func TestProofsOfOnePatchShareRuns(t *testing.T) {
	b := builds{runs: &atomic.Int64{}, built: &atomic.Int64{}, open: &atomic.Int64{}}
	l := &Lab{Base: b}
	o := suite.Order{"a.A#one", "a.A#two"}
	proof := func(text string, times int) (made int64) {
		t.Helper()
		before := b.runs.Load()
		site, err := keeping{l}.Build(t.Context(), map[string]string{"A.java": text})
		if err != nil {
			t.Fatal(err)
		}
		seen := map[*suite.Run]bool{}
		for range times {
			run, err := site.Run(t.Context(), o)
			if err != nil || seen[run] {
				t.Errorf("%v, %v is used twice", err, run)
			}
			seen[run] = true
		}
		if _, err := site.Alone().Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if err := site.Close(); err != nil || b.open.Load() != 1 {
			t.Errorf("%v, %d sites are open", err, b.open.Load())
		}
		return b.runs.Load() - before - 1 // without the exclusive one
	}
	for i, c := range []struct {
		text        string
		times, want int
	}{{"a", 2, 2}, {"a", 3, 1}, {"b", 2, 2}, {"a", 3, 0}} {
		if made := proof(c.text, c.times); made != int64(c.want) {
			t.Errorf("proof %d of %q made %d runs, want %d", i, c.text, made, c.want)
		}
	}
	l.AskSequentially()
	if made := proof("a", 2); made != 2 {
		t.Errorf("after parallel processes were distrusted, a proof made %d runs, want 2", made)
	}
	if l.closeSite(); b.built.Load() != 3 || b.open.Load() != 0 {
		t.Errorf("%d sites were built, want 3; %d are still open", b.built.Load(), b.open.Load())
	}
}
