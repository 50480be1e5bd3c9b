package engine

import (
	"context"
	"slices"

	"github.com/odfix/odfix/internal/suite"
	"github.com/odfix/odfix/internal/worktree"
)

// touched returns the tests that the change since a revision touches: tests whose class comes from
// a changed file, or that can reach a class of the project that does.
func (d *detection) touched(ctx context.Context) ([]suite.TestID, error) {
	files, err := worktree.ChangedFiles(ctx, d.p.about.Root, d.opts.ChangedSince)
	if err != nil {
		return nil, err
	}
	affected, rest, err := d.p.base.AffectedBy(ctx, files)
	if err != nil {
		return nil, err
	}
	if len(rest) > 0 {
		d.note("Of the %d changed files, %d are no sources of this module's code and were not taken into account (%s …).",
			len(files), len(rest), rest[0])
	}
	can := map[suite.TestID]bool{}
	for _, t := range d.tests.Order() {
		can[t] = true
	}
	out := slices.DeleteFunc(affected, func(t suite.TestID) bool { return !can[t] })
	if len(out) == 0 {
		d.note("The change since %s touches no test of this module.", d.opts.ChangedSince)
	}
	return out, nil
}
