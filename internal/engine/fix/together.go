package fix

import (
	"context"

	"github.com/odfix/odfix/internal/engine/proof"
	"github.com/odfix/odfix/internal/job"
)

// together combines the best patches of all tests into one, if there are several, and proves it. It
// reports the patches that it left out in any case.
func (m *Repairing) together(ctx context.Context) error {
	chosen := m.r.Chosen()
	if len(chosen) < 2 {
		return nil
	}
	m.s.Enter(job.PhaseProve)
	c, checks, leftOut, err := proof.Combine(ctx, m.s, m.p, m.r, chosen)
	if c == nil {
		m.r.Notes = append(m.r.Notes, leftOut...)
		return err
	}
	c.Proof.Commands, err = m.artifacts.Commands(checks, c.RawDiff())
	m.r.Combined = c
	return err
}
