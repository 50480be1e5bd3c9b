package investigate

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/riverqueue/river"
	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/store"
)

// mostAttempts is how often an investigation is given to a runner whose process dies.
const mostAttempts = 3

// reap ends investigations that are past their deadline. It queues investigations again if their
// process died. Then it cancels tasks that nobody needs. It logs what is paused.
func (s *Service) reap(ctx context.Context, _ reapArgs) error {
	err := s.store.Do(ctx, func(tx *store.Tx) error {
		r, err := tx.Reap(s.o.Pace.Silence, mostAttempts)
		if err != nil {
			return err
		}
		for _, i := range r.Requeued {
			s.log.Warn("an investigation's process sends no heartbeat", zap.String("investigation", i.ID))
			if err := tx.Enqueue(s.in(runArgs{i.ID}, 0)); err != nil {
				return err
			}
		}
		for _, i := range r.Expired {
			s.log.Warn("an investigation expired", zap.String("investigation", i.ID), zap.String("reason", i.Reason))
			if err := tx.Enqueue(s.in(publishArgs{ID: i.ID}, 0)); err != nil {
				return err
			}
		}
		return s.revive(tx)
	})
	return errors.Join(err, s.cancelTasks(ctx), s.logPauses(ctx))
}

// cancelTasks cancels the tasks of investigations that have ended, and those whose repository the
// operator does not let odfix work for now. The server that waits for a task does the same. This is
// for tasks that no server waits for, since the last one was stopped.
func (s *Service) cancelTasks(ctx context.Context) error {
	accounts := s.accounts()
	return s.store.Do(ctx, func(tx *store.Tx) error {
		tasks, err := tx.LiveTasks()
		if err != nil {
			return err
		}
		for _, t := range tasks {
			why, err := s.over(tx, accounts, t)
			if err == nil && why != "" {
				s.log.Info("a task is cancelled", zap.String("task", t.ID), zap.String("key", t.Key), zap.String("because", why))
				err = tx.StopTask(t.ID, s.o.Pace.Silence)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// over is why a task is cancelled, or empty.
func (s *Service) over(tx *store.Tx, accounts []string, t store.Task) (why string, err error) {
	if err := s.permitted(tx, accounts, t.Installation, t.Repository); stopped(err) {
		return err.Error(), nil
	} else if err != nil {
		return "", err
	}
	i, err := tx.Investigation(investigationOf(t.Key))
	if err == nil && i.State.Ended() {
		why = "its investigation has ended"
	}
	return why, ignoreMissing(err)
}

// revive gives waiting investigations another job, since the process of their job may have died.
// The queue itself repeats such a job only after the longest time that a job may take. A second job
// does no harm, since each step checks the state of its investigation first.
func (s *Service) revive(tx *store.Tx) error {
	list, err := tx.Stalled(s.o.Pace.Stall)
	if err != nil || len(list) == 0 {
		return err
	}
	given, err := tx.Deadly(publishArgs{}.Kind())
	if err != nil {
		return err
	}
	deadly := map[string]bool{}
	for _, args := range given {
		var a publishArgs
		if json.Unmarshal(args, &a) == nil {
			deadly[a.ID] = true
		}
	}
	runs := 0
	for _, i := range list {
		var again river.JobArgs
		switch i.State {
		case store.Collecting:
			again = collectArgs{ID: i.ID}
		case store.Reporting:
			if !deadly[i.ID] { // else it ends at its deadline
				again = publishArgs{ID: i.ID}
			}
		case store.Queued:
			if runs++; runs > 1 {
				continue // one job is enough: it takes the next investigation in the queue
			}
			again = runArgs{i.ID}
		}
		if again != nil {
			err = errors.Join(err, tx.Enqueue(s.in(again, 0)))
		}
	}
	return err
}
