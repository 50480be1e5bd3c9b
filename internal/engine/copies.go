package engine

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
	l    *lab
	free chan *harness.Pool
	all  []*harness.Pool
	dirs []string
	tidy map[*harness.Pool]*tidy // what is written in a copy stays in no other's way, nor in the next one's
}

// maxCopied bounds what all working copies may take, in bytes.
const maxCopied = 8 << 30

// makeCopies makes a working copy for each process; the reason why there is none is for people.
func (p *project) makeCopies(ctx context.Context) (*copies, error) {
	n := p.Parallel()
	size := p.build.Size()
	if size*int64(n) > maxCopied {
		return nil, fmt.Errorf("%d copies of the project would take %d MiB, more than the %d MiB that are allowed", n, size*int64(n)>>20, int64(maxCopied)>>20)
	}
	c := &copies{l: p.lab, tidy: map[*harness.Pool]*tidy{}, free: make(chan *harness.Pool, n)}
	for i := range n {
		if err := p.addCopy(ctx, c, filepath.Join(p.work, fmt.Sprintf("copy-%d", i))); err != nil {
			c.close()
			return nil, err
		}
	}
	return c, nil
}

func (p *project) addCopy(ctx context.Context, c *copies, dir string) error {
	c.dirs = append(c.dirs, dir)
	launch := p.launch
	err := p.lab.tidy.still(func() (err error) {
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
	c.tidy[pool] = newTidy(ctx, p.lab.log, &p.lab.litters, func(ctx context.Context, kept string) (*maven.Pristine, error) {
		return maven.Remember(ctx, tree, kept)
	}, dir+".kept")
	c.free <- pool
	return nil
}

// run runs an order in a copy that no other process uses.
func (c *copies) run(ctx context.Context, o suite.Order) (*suite.Run, error) {
	var pool *harness.Pool
	select {
	case pool = <-c.free:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { c.free <- pool }()
	run, err := c.l.ask(ctx, pool, c.tidy[pool], o, harness.Question{Price: suite.Fresh, Alone: c.l.sequential.Load()})
	c.l.ends.heard(run)
	return run, err
}

func (c *copies) close() {
	for _, p := range c.all {
		_ = p.Close()
	}
	for _, d := range c.dirs {
		_ = maven.RemoveAll(d)
		_ = maven.RemoveAll(d + ".kept")
	}
}

// apart runs the suite's own order with nothing beside and, where it writes into
// the project's folder, gives every process a working copy of its own from there on.
func (m *remembering) apart(ctx context.Context, o suite.Order) (*suite.Run, error) {
	m.lab.tidy.told()
	run, err := m.ask(ctx, o, true)
	if err == nil {
		m.wrote(ctx, m.lab.tidy.told())
	}
	return run, err
}

// wrote gives every process a working copy where the suite's own order left these files, or others that went again.
func (m *remembering) wrote(ctx context.Context, files []string) {
	switch {
	case m.lab.Parallel() < 2 || m.copies != nil:
	case len(files) > 0:
		first, _ := filepath.Rel(m.d.p.build.Checkout(), m.d.p.build.Source(filepath.Join(m.d.p.build.Tree(), files[0])))
		m.separate(ctx, howMany(len(files), filepath.ToSlash(first)))
	case m.lab.tidy.seen():
		m.separate(ctx, "files that are removed again")
	}
}

func howMany(files int, first string) string {
	if files == 1 {
		return first
	}
	return fmt.Sprintf("%d files, such as %s", files, first)
}

// writes is under what kind it stands in the ledger that the tests write files.
const writes = "writes"

// separate makes the working copies, since the tests write such files.
func (m *remembering) separate(ctx context.Context, files string) {
	c, err := m.d.p.makeCopies(ctx)
	if err != nil {
		m.d.w.log.Warn("working copies", zap.Error(err))
		m.d.later("The tests write into the project's folder (%s), and processes share it: %v.", files, err)
		return
	}
	m.mu.Lock()
	m.copies, m.looked = c, true
	m.mu.Unlock()
	m.d.out.Copies = len(c.all)
	m.d.later("The tests write into the project's folder (%s), so that each of %d processes side by side has a working copy of its own.", files, len(c.all))
	if m.ledger != nil {
		if err := m.ledger.Keep(ctx, writes, "", files); err != nil {
			m.d.w.log.Warn("keeping that files are written", zap.Error(err))
		}
	}
}

// recall makes the working copies that an interrupted search had.
func (m *remembering) recall(ctx context.Context) {
	var files string
	if m.ledger == nil || !m.d.opts.Resume {
		return
	}
	if ok, err := m.ledger.Kept(ctx, writes, "", &files); ok && err == nil {
		m.separate(ctx, files)
	}
}
