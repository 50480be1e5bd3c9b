package java

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"

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

// laterCopies are working copies that are made when they are first needed. Nil means that all
// processes work in one folder.
type laterCopies struct {
	copy func(ctx context.Context) (*copies, error) // makes them; its error is shown to people

	mu     sync.Mutex // held while copies are made
	copies *copies    // nil: none yet, or none can be made
	tried  bool       // copies were made, or cannot be
}

// take returns the copies, and once why none can be made. It returns nil if all processes work in
// one folder.
func (p *laterCopies) take(ctx context.Context) (*copies, error) {
	if p == nil {
		return nil, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tried {
		return p.copies, nil
	}
	c, err := p.copy(ctx)
	if ctx.Err() != nil { // the next run tries again; a copy may lack what undoes files
		c.close()
		return nil, nil
	}
	p.tried, p.copies = true, c
	return c, err
}

// count returns how many copies there are.
func (p *laterCopies) count() int {
	if p == nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.copies == nil {
		return 0
	}
	return len(p.copies.all)
}

// close ends the processes of the copies and removes the copies.
func (p *laterCopies) close() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.copies.close()
	p.copies = nil
}

// workingCopies returns the copies for runs that work at the same time. It returns nil if they run in
// the project's own copy. The first such run after tests were seen to write into the project's folder
// makes the copies. Only what runs in one process with other orders does without: it gives hints.
func (l *processes) workingCopies(ctx context.Context, q harness.Question) *copies {
	if q.Price == suite.Batched || q.Alone || !l.tidy.knownToWrite() || l.Parallel() < 2 {
		return nil
	}
	c, err := l.copies.take(ctx)
	if err != nil {
		l.log.Warn("working copies", zap.Error(err))
		l.note(fmt.Sprintf("The tests write into the project's folder, and processes share it: %v.", err))
	}
	return c
}

// maxCopied bounds the size of the working copies of the project, and of each patched project, in
// bytes.
const maxCopied = 8 << 30

// makeCopies makes a working copy for each process. Its error is shown to people.
func (p *Project) makeCopies(ctx context.Context) (*copies, error) {
	n := p.Parallel()
	size := p.copy.Size()
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
	p.note(fmt.Sprintf("The tests write into the project's folder (%s), so that each of %d "+
		"processes side by side has a working copy of its own.", p.written(), len(c.all)))
	return c, nil
}

// copies makes a working copy of the clone for each process but one, which works in the clone
// itself.
func (c *clone) copies(ctx context.Context) (*copies, error) {
	n := c.pool.Parallel()
	if size := c.p.copy.Size(); size*int64(n-1) > maxCopied {
		return nil, fmt.Errorf("%d copies of the project would take more than %d MiB", n-1, int64(maxCopied)>>20)
	}
	out := &copies{free: make(chan *clone, n)}
	for i := range n - 1 {
		dir := fmt.Sprintf("%s-%d", c.dir, i)
		one, err := c.p.cloneBy(ctx, c.tidy, dir, func() error {
			return c.tidy.whileIdle(func() error { return c.p.copy.CloneAgain(ctx, c.dir, dir) })
		})
		if err != nil {
			out.close()
			return nil, err
		}
		out.all = append(out.all, one)
		out.free <- one
	}
	out.free <- c
	return out, nil
}

// written names the files that tests wrote into the project's folder, for people.
func (p *Project) written() string {
	files := p.tidy.takeWritten()
	if len(files) == 0 {
		return "files that are removed again"
	}
	first, _ := filepath.Rel(p.copy.Checkout(), p.copy.Source(filepath.Join(p.copy.Tree(), files[0])))
	return howMany(len(files), filepath.ToSlash(first))
}

// run runs an order in a copy that no other process uses.
func (c *copies) run(ctx context.Context, o suite.Order, q harness.Question, overlay string) (*suite.Run, error) {
	select {
	case one := <-c.free:
		defer func() { c.free <- one }()
		return one.run(ctx, o, q, overlay, true)
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
