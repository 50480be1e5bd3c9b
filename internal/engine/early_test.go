package engine

import (
	"context"
	"sync/atomic"
	"testing"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/repair"
)

// slowBuilds waits with each build until it is told to go on.
type slowBuilds struct {
	builds
	goOn chan struct{}
}

func (b slowBuilds) Build(ctx context.Context, files map[string]string) (repair.Site, error) {
	select {
	case <-b.goOn:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return b.builds.Build(ctx, files)
}

func (slowBuilds) Parallel() int { return 2 }

// A patch that is built early is not built again for its proof. If another one is proved, the early build
// ends, and nothing of it stays.
func TestEarlySite(t *testing.T) {
	b := slowBuilds{builds{runs: &atomic.Int64{}, built: &atomic.Int64{}, open: &atomic.Int64{}}, make(chan struct{})}
	l := &lab{base: b, log: zap.NewNop()}
	proof := func(text string) {
		t.Helper()
		if _, err := (keeping{l}).Build(t.Context(), map[string]string{"A.java": text}); err != nil || l.early != nil {
			t.Fatal(err)
		}
	}
	ctx, end := context.WithCancel(t.Context())
	l.buildEarly(ctx, map[string]string{"A.java": "a"})
	l.buildEarly(ctx, map[string]string{"A.java": "b"}) // one at a time
	close(b.goOn)
	if proof("a"); b.built.Load() != 1 {
		t.Errorf("%d builds of one patch", b.built.Load())
	}
	l.buildEarly(ctx, map[string]string{"A.java": "a"}) // its site is open
	if l.early != nil {
		t.Error("the patch of the open site is built again")
	}
	b.goOn = make(chan struct{})
	l.base = b
	l.buildEarly(ctx, map[string]string{"A.java": "c"}) // waits for ever
	l.base = b.builds
	if proof("d"); b.built.Load() != 2 || b.open.Load() != 1 {
		t.Errorf("%d builds, %d sites are open", b.built.Load(), b.open.Load())
	}
	l.base = b
	l.buildEarly(ctx, map[string]string{"A.java": "e"})
	end() // as the end of the budget
	if _, err := (keeping{l}).Build(ctx, map[string]string{"A.java": "e"}); err == nil {
		t.Error("a site of a build that was ended")
	}
	close(b.goOn)
	l.buildEarly(t.Context(), map[string]string{"A.java": "f"})
	<-l.early.done
	l.dropEarly()
	if l.closeSite(); b.open.Load() != 0 {
		t.Errorf("%d sites are still open", b.open.Load())
	}
}
