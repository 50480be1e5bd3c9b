package proof

import (
	"context"
	"errors"
	"slices"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/engine/session"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// Setting proves a setting as a patch is proved. worse says that it is refused because of another
// test than the fixed ones.
func Setting(ctx context.Context, s *session.Session, p *session.Module, site repair.Site, fixes []suite.TestID, in repair.ProofInput) (
	out job.Proof, worse bool, err error) {
	patcher := p.Patcher(s, "")
	checks, proved, err := patcher.ProveSite(ctx, site, fixes, in)
	if err == nil && !proved {
		s.Log.Info("setting refused", zap.Any("checks", checks))
	}
	worse = slices.ContainsFunc(checks, func(c repair.Check) bool { return c.Worse })
	for i := range checks {
		checks[i].Name = suite.CheckOfSetting(checks[i].Name)
	}
	return Of(checks, proved), worse, err
}

// alternative proves the setting of an earlier report again.
func (v *verifier) alternative(ctx context.Context) (*job.Alternative, error) {
	out := *v.old.Alternative
	at, ok := v.p.Base.(project.Configurable)
	if !ok || !slices.Contains(job.Settings, out.Setting) {
		return nil, badReport("the report names a setting of the test runner that odfix does not know")
	}
	if err := v.claims(out.Fixes); err != nil {
		return nil, err
	}
	site, err := at.Configured(out.Setting)
	if err != nil {
		return nil, err
	}
	in := v.proofInput(out.Fixes)
	surround(v.p, &in, steady(v.old, out.Fixes), out.Fixes, v.s.Job.FindAll)
	if out.Proof, _, err = Setting(ctx, v.s, v.p, site, out.Fixes, in); err == nil && out.Proof.Proved {
		var passes repair.Check
		if passes, err = v.passInAnOrder(ctx, in.Plain, out.Fixes); !passes.OK {
			out.Proof = Of([]repair.Check{passes}, false)
		}
	}
	return &out, errors.Join(err, site.Close())
}
