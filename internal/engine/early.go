package engine

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/repair"
)

// earlySite is a site that is being built, or was built, before its proof begins.
type earlySite struct {
	of   [sha256.Size]byte
	stop context.CancelFunc
	done chan struct{} // closed when site and err are known
	site repair.Site
	err  error
}

// buildEarly begins to build the site of a patch that will probably be proved. The build takes some
// seconds, mostly of one processor, and the search for the best patch runs one process at a time then.
func (l *lab) buildEarly(ctx context.Context, files map[string]string) {
	of, err := sumOf(files)
	if err != nil || l.early != nil || l.site != nil && l.siteOf == of || l.base.Parallel() < 2 {
		return
	}
	ctx, stop := context.WithCancel(ctx)
	e := &earlySite{of: of, stop: stop, done: make(chan struct{})}
	l.early = e
	base := l.base
	go func() {
		defer close(e.done)
		e.site, e.err = base.Build(ctx, files)
	}()
}

// built returns the site of a patch: the early one if that has this patch, else a new one.
func (l *lab) built(ctx context.Context, of [sha256.Size]byte, files map[string]string) (repair.Site, error) {
	e := l.early
	if e == nil || e.of != of {
		l.dropEarly()
		return l.base.Build(ctx, files)
	}
	l.early = nil
	<-e.done // it ends soon after ctx, whose child it has
	e.stop()
	return e.site, e.err
}

// dropEarly ends an early build, and closes its site.
func (l *lab) dropEarly() {
	e := l.early
	if e == nil {
		return
	}
	l.early = nil
	e.stop()
	if <-e.done; e.err == nil {
		e.err = e.site.Close()
	}
	if e.err != nil && !errors.Is(e.err, context.Canceled) {
		l.log.Debug("a patched copy that is not needed", zap.Error(e.err))
	}
}

// sumOf identifies a patch.
func sumOf(files map[string]string) (sum [sha256.Size]byte, err error) {
	text, err := json.Marshal(files) // sorted by name
	if err == nil {
		sum = sha256.Sum256(text)
	}
	return sum, err
}
