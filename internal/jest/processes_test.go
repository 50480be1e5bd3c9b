package jest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// TestCloseEndsHints: close ends a hint whose process still starts, and no process starts after it.
func TestCloseEndsHints(t *testing.T) {
	started := filepath.Join(t.TempDir(), "started")
	dir := filepath.Join(t.TempDir(), "copy")
	from, err := copyTree(t.Context(), t.TempDir(), dir)
	if err != nil {
		t.Fatal(err)
	}
	// A process that never says hello.
	spec := harness.Spec{Command: []string{"/bin/sh", "-c", "echo >>" + started + "; exec sleep 1000"}, Dir: dir}
	pool, err := harness.NewPool(harness.Config{Exact: spec, Limits: harness.Limits{Start: 5 * time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	l := newProcesses(zap.NewNop(), from, 1)
	s := &slot{dir: dir, tmp: t.TempDir(), tree: from, pool: pool, living: pool.Living()}
	l.slots = append(l.slots, s)
	l.back(s)
	const hints = 4
	ended := make(chan error)
	for range hints {
		go func() {
			_, err := l.Run(t.Context(), suite.Order{"a.test.js#a"}, repair.Trial{Price: suite.Batched})
			ended <- err
		}()
	}
	// The shell creates the file before it writes the line.
	for text, _ := os.ReadFile(started); len(text) == 0; text, _ = os.ReadFile(started) {
		time.Sleep(time.Millisecond)
	}
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	for range hints {
		if err := <-ended; !errors.Is(err, harness.ErrClosed) {
			t.Errorf("a hint ended with %v", err)
		}
	}
	if text, err := os.ReadFile(started); err != nil || strings.Count(string(text), "\n") != 1 {
		t.Errorf("processes: %q, %v", text, err)
	}
}

// TestAffectedByWaitsNoLonger: a question for which no working copy is free ends with its context.
func TestAffectedByWaitsNoLonger(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := &Project{processes: newProcesses(zap.NewNop(), nil, 1)}
	if tests, _, err := p.AffectedBy(ctx, []string{"a.js"}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", tests, err)
	}
}
