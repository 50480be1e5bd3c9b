package java

import (
	"context"
	"fmt"
	"path/filepath"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/java/maven"
	"github.com/odfix/odfix/internal/suite"
)

// copies are working copies of the project, one for each process that runs at a
// time: tests that write into their folder then do not meet each other's files.
type copies struct {
	l    *processes
	free chan *harness.Pool
	all  []*harness.Pool
	dirs []string
	tidy map[*harness.Pool]*tidy // undoes in each copy what a run wrote, before the next run there
}

// workingCopies are the copies in which a fresh run of the project as it is goes on beside others;
// nil: it runs in the project's own copy. They are made at the first such run after tests were
// seen to write into the project's folder.
func (l *processes) workingCopies(ctx context.Context, q harness.Question) *copies {
	if l.copy == nil || q.Price != suite.Fresh || q.Alone || !l.tidy.seen() || l.Parallel() < 2 {
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

// maxCopied bounds what all working copies may take, in bytes.
const maxCopied = 8 << 30

// makeCopies makes a working copy for each process; the reason why there is none is for people.
func (p *Project) makeCopies(ctx context.Context) (*copies, error) {
	n := p.Parallel()
	size := p.build.Size()
	if size*int64(n) > maxCopied {
		return nil, fmt.Errorf("%d copies of the project would take %d MiB, more than the %d MiB that are allowed", n, size*int64(n)>>20, int64(maxCopied)>>20)
	}
	c := &copies{l: p.processes, tidy: map[*harness.Pool]*tidy{}, free: make(chan *harness.Pool, n)}
	for i := range n {
		if err := p.addCopy(ctx, c, filepath.Join(p.work, fmt.Sprintf("copy-%d", i))); err != nil {
			c.close()
			return nil, err
		}
	}
	p.notes = append(p.notes, fmt.Sprintf("The tests write into the project's folder (%s), so that each of %d processes side by side has a working copy of its own.", p.written(), len(c.all)))
	return c, nil
}

// written names what tests were seen to write into the project's folder, for people.
func (p *Project) written() string {
	files := p.tidy.told()
	if len(files) == 0 {
		return "files that are removed again"
	}
	first, _ := filepath.Rel(p.build.Checkout(), p.build.Source(filepath.Join(p.build.Tree(), files[0])))
	return howMany(len(files), filepath.ToSlash(first))
}

func (p *Project) addCopy(ctx context.Context, c *copies, dir string) error {
	c.dirs = append(c.dirs, dir)
	launch := p.launch
	err := p.tidy.still(func() (err error) {
		launch, err = p.build.Duplicate(ctx, dir, p.launch)
		return err
	})
	if err != nil {
		return err
	}
	exact, quick, err := p.specs(launch, "")
	if err != nil {
		return err
	}
	pool, err := p.base.With(exact, quick)
	if err != nil {
		return err
	}
	c.all = append(c.all, pool.NoSpares())
	tree := filepath.Join(dir, filepath.Base(p.build.Tree()))
	c.tidy[pool] = newTidy(ctx, p.log, &p.litters, func(ctx context.Context, kept string) (*maven.Pristine, error) {
		return maven.Remember(ctx, tree, kept)
	}, dir+".kept")
	c.free <- pool
	return nil
}

// run runs an order in a copy that no other process uses.
func (c *copies) run(ctx context.Context, o suite.Order, q harness.Question) (*suite.Run, error) {
	var pool *harness.Pool
	select {
	case pool = <-c.free:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { c.free <- pool }()
	return c.l.ask(ctx, pool, c.tidy[pool], o, q)
}

// close ends the processes of the copies and removes them. A nil copies has none.
func (c *copies) close() {
	if c == nil {
		return
	}
	for _, p := range c.all {
		_ = p.Close()
	}
	for _, d := range c.dirs {
		_ = maven.RemoveAll(d)
		_ = maven.RemoveAll(d + ".kept")
	}
}

func howMany(files int, first string) string {
	if files == 1 {
		return first
	}
	return fmt.Sprintf("%d files, such as %s", files, first)
}
