package investigate

import (
	"context"
	"fmt"

	"github.com/odfix/odfix/internal/ci"
	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/github"
)

// mostChecks bounds the red checks whose annotations are read.
const mostChecks = 10

// checks reads the annotations of red check runs: of other CI systems, whose logs odfix cannot
// read, and of steps that report tests.
func (g *gathering) checks(ctx context.Context, headSHA string, cfg config.CI) error {
	list, err := g.at.client.RedChecks(ctx, g.at.repo, headSHA)
	if err != nil {
		return err
	}
	n := 0
	for _, k := range list {
		if !cfg.LooksAtCheck(k.Name) {
			continue
		}
		if n++; n > mostChecks {
			g.note("more than %d checks are red; the others are left out", mostChecks)
			return nil
		}
		notes, err := g.at.client.Notes(ctx, g.at.repo, k.ID)
		if err != nil {
			return err
		}
		g.notesOf(k, notes)
	}
	return nil
}

func (g *gathering) notesOf(k github.OtherCheck, notes []github.Annotation) {
	var list []ci.Annotation
	for _, a := range notes {
		list = append(list, ci.Annotation{Path: a.Path, Title: a.Title, Message: a.Message})
	}
	if ev := ci.Annotated(list, fmt.Sprintf("annotations of the check %q", k.Name)); len(ev.Failed) > 0 {
		g.keep(sourced{ev: ev, job: redJob{k.Name, k.URL}})
	}
}
