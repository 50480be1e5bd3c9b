package java

import (
	"context"
	"errors"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/java/build"
	"github.com/odfix/odfix/internal/suite"
)

// clone is a copy of the project in a folder of its own, and the processes that run there.
type clone struct {
	p      *Project
	dir    string
	launch build.Launch
	pool   *harness.Pool
	tidy   *tidy // undoes what a run wrote before the next run there
}

// clone copies the project into the folder. prepare may change files there before tests run.
func (p *Project) clone(ctx context.Context, dir string, prepare func() error) (*clone, error) {
	return p.cloneBy(ctx, p.tidy, dir, func() error {
		if err := p.tidy.whileIdle(func() error { return p.copy.Clone(ctx, dir) }); err != nil {
			return err
		}
		return prepare()
	})
}

// cloneBy is clone with what fills the folder, from one that of keeps tidy.
func (p *Project) cloneBy(ctx context.Context, of *tidy, dir string, fill func() error) (*clone, error) {
	c := &clone{p: p, dir: dir, launch: p.copy.LaunchInClone(dir, p.launch)}
	err := fill()
	if err == nil {
		c.tidy = newTidy(ctx, p.log, &p.testsWrite, of, p.copy.TreeIn(dir), dir+".kept")
		c.pool, err = c.processes("")
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// processes returns the test processes of the clone. Their class path begins with the overlay's
// classes.
func (c *clone) processes(overlay string) (*harness.Pool, error) {
	exact, quick, err := c.p.specs(c.launch, overlay)
	if err != nil {
		return nil, err
	}
	pool, err := c.p.base.With(exact, quick)
	if err != nil {
		return nil, err
	}
	return pool.NoSpares(), nil
}

// run runs an order in the clone. own keeps other processes out meanwhile.
func (c *clone) run(ctx context.Context, o suite.Order, q harness.Question, overlay string, own bool) (*suite.Run, error) {
	pool := c.pool
	if overlay != "" {
		patched, err := c.processes(overlay)
		if err != nil {
			return nil, err
		}
		defer func() { _ = patched.Close() }()
		pool = patched
	}
	run, err := c.p.ask(ctx, pool, folder{c.tidy, own}, o, q)
	relocate(run, c.p.copy.InClone(c.dir, c.p.copy.Tree()), c.p.checkout)
	return run, err
}

// close ends the clone's processes and removes its files.
func (c *clone) close() error {
	if c.pool != nil {
		_ = c.pool.Close()
	}
	return errors.Join(build.RemoveAll(c.dir), build.RemoveAll(c.dir+".kept"))
}
