package investigate

import (
	"errors"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/store"
)

// Runners that are stopped, as in an update of the workers, leave their jobs to others. A job's
// tests can also stop their runner, each time that the job is run. So a job is run again a few
// times only.

// unanswered reports whether the job gets no further runner, since so many were stopped while they
// had it. A restart of this process does not count, nor does a pause, nor what GitHub refuses this
// process before a runner has the job.
func (r *running) unanswered(err error) bool {
	return errors.Is(err, dispatch.ErrUnanswered) && r.ev.Unanswered+1 >= mostAttempts
}

// countUnanswered counts in the stored evidence. Nothing else of it changes.
func countUnanswered(tx *store.Tx, id string) error {
	var ev evidence
	if err := tx.Evidence(id, &ev); err != nil {
		return err
	}
	ev.Unanswered++
	return tx.SaveEvidence(id, ev)
}
