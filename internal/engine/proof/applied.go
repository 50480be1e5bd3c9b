package proof

import (
	"context"

	"github.com/odfix/odfix/internal/engine/session"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/repair"
)

// WithPatch builds a copy of the project with a unified diff applied to it.
func WithPatch(ctx context.Context, p *session.Module, diff string) (repair.Site, error) {
	files, _, err := apply(p, diff)
	if err != nil {
		return nil, err
	}
	return p.Base.Build(ctx, files)
}

// apply reads the files that a diff changes from the checkout, and applies the diff to their text.
func apply(p *session.Module, diff string) (after, before map[string]string, err error) {
	before = map[string]string{}
	after, err = patch.ApplyAll(diff, func(path string) (text string, err error) {
		before[path], err = p.Base.Source(path)
		return before[path], err
	})
	if err != nil {
		return nil, nil, badPatch(err)
	}
	return after, before, nil
}

// badPatch is the error of a patch that cannot be applied.
func badPatch(err error) error {
	return &job.Error{Code: "bad-patch", Message: "the patch does not apply: " + err.Error(),
		Hint: "Perhaps it is applied already; else it was made for another state of the sources: run `odfix fix` again."}
}
