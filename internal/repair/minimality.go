package repair

import (
	"context"
	"errors"

	"github.com/odfix/odfix/internal/suite"
)

// minimality: without any one of its statements the patch no longer helps.
// Patches of one statement need no question: that they fail without it is shown already.
func (pr *prover) minimality(ctx context.Context) error {
	keep := pr.c.Edit.Keep
	if len(keep) == 0 {
		return nil // only the text is known, not the statements: nothing is claimed
	}
	check := Check{Name: "no statement of the patch can go", OK: true, Repeats: 1, Patched: true}
	for i := range keep {
		if len(keep) < 2 {
			break
		}
		ok, err := pr.p.worksWithout(ctx, pr.c.Edit, i, pr.in.Minimal, suite.Fresh)
		if err != nil {
			return err
		}
		if ok {
			check.OK, check.Detail = false, "it works without: "+keep[i]
		}
	}
	if check.OK {
		if err := pr.everySpot(ctx, &check); err != nil {
			return err
		}
	}
	pr.add(check)
	return nil
}

// everySpot: a patch that stands in several places helps less without any one of them.
func (pr *prover) everySpot(ctx context.Context, check *Check) error {
	spots := pr.c.Edit.spots()
	for i := range spots {
		if len(spots) < 2 {
			break
		}
		ok, err := pr.curesAll(ctx, pr.c.Edit.withoutSpot(i))
		if err != nil {
			return err
		}
		if ok {
			check.OK, check.Detail = false, "it works without its statements at "+string(spots[i])
		}
	}
	return nil
}

// curesAll reports whether with the edit all failing orders pass, long ones included.
func (pr *prover) curesAll(ctx context.Context, e Edit) (bool, error) {
	built, err := pr.p.Editor.Build(ctx, e)
	var unfit *UnfitError
	if errors.As(err, &unfit) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, o := range append(append([]suite.Order(nil), pr.in.Minimal...), maximal(pr.in.Failing)...) {
		run, err := pr.p.Lab.Run(ctx, o, Trial{Price: suite.Fresh, Overlay: built.Overlay})
		if err != nil {
			return false, err
		}
		if failed(o, run, pr.cures) != "" {
			return false, nil
		}
	}
	return true, nil
}
