package java

import (
	"context"
	"fmt"
	"path/filepath"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/suite"
)

// copies are working copies of the project, one for each process that runs at a time. They keep
// tests from seeing the files that other processes write.
type copies struct {
	free chan *clone
	all  []*clone
}

// workingCopies returns the copies for fresh runs that work at the same time. It returns nil if
// they run in the project's own copy. The first such run after tests were seen to write into the
// project's folder makes the copies.
func (l *processes) workingCopies(ctx context.Context, q harness.Question) *copies {
	if l.copy == nil || q.Price != suite.Fresh || q.Alone || !l.tidy.knownToWrite() || l.Parallel() < 2 {
		return nil
	}
	l.copying.Lock()
	defer l.copying.Unlock()
	if l.tried {
		return l.copies
	}
	l.tried = true
	c, err := l.copy(ctx)
	switch {
	case ctx.Err() != nil:
		l.tried = false
	case err != nil:
		l.log.Warn("working copies", zap.Error(err))
		l.notes = append(l.notes, fmt.Sprintf("The tests write into the project's folder, and processes share it: %v.", err))
	default:
		l.copies = c
	}
	return l.copies
}

// maxCopied bounds the size of all working copies, in bytes.
const maxCopied = 8 << 30

// makeCopies makes a working copy for each process. Its error is shown to people.
func (p *Project) makeCopies(ctx context.Context) (*copies, error) {
	n := p.Parallel()
	size := p.build.Size()
	if size*int64(n) > maxCopied {
		return nil, fmt.Errorf("%d copies of the project would take %d MiB, more than the %d MiB that are allowed",
			n, size*int64(n)>>20, int64(maxCopied)>>20)
	}
	c := &copies{free: make(chan *clone, n)}
	for i := range n {
		one, err := p.clone(ctx, filepath.Join(p.work, fmt.Sprintf("copy-%d", i)), func() error { return nil })
		if err != nil {
			c.close()
			return nil, err
		}
		c.all = append(c.all, one)
		c.free <- one
	}
	p.notes = append(p.notes, fmt.Sprintf("The tests write into the project's folder (%s), so that each of %d "+
		"processes side by side has a working copy of its own.", p.written(), len(c.all)))
	return c, nil
}

// written names the files that tests wrote into the project's folder, for people.
func (p *Project) written() string {
	files := p.tidy.takeWritten()
	if len(files) == 0 {
		return "files that are removed again"
	}
	first, _ := filepath.Rel(p.build.Checkout(), p.build.Source(filepath.Join(p.build.Tree(), files[0])))
	return howMany(len(files), filepath.ToSlash(first))
}

// run runs an order in a copy that no other process uses.
func (c *copies) run(ctx context.Context, o suite.Order, q harness.Question, overlay string) (*suite.Run, error) {
	select {
	case one := <-c.free:
		defer func() { c.free <- one }()
		return one.run(ctx, o, q, overlay)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// close ends the processes of the copies and removes the copies. It accepts a nil copies.
func (c *copies) close() {
	if c == nil {
		return
	}
	for _, one := range c.all {
		_ = one.close()
	}
}

func howMany(files int, first string) string {
	if files == 1 {
		return first
	}
	return fmt.Sprintf("%d files, such as %s", files, first)
}
