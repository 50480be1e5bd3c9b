package investigate

import (
	"context"
	"errors"

	"github.com/riverqueue/river"
	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/store"
)

// mostAttempts is how often an investigation is given to a runner whose process dies.
const mostAttempts = 3

// reap ends investigations that are past their deadline. It queues investigations again if their
// process died. Then it cancels the tasks of those that have ended. It logs what is paused.
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
	return errors.Join(err, s.store.Do(ctx, s.cancelTasks), s.logPauses(ctx))
}

// cancelTasks cancels the tasks of investigations that have ended or are paused. The server that
// waits for a task does the same. This is for tasks that no server waits for, since the last one
// was stopped.
func (s *Service) cancelTasks(tx *store.Tx) error {
	tasks, err := tx.TaskKeys()
	if err != nil {
		return err
	}
	for task, key := range tasks {
		i, err := tx.Investigation(investigationOf(key))
		over := err == nil && i.State.Ended()
		if err == nil && !over {
			_, perr := tx.PauseOf(i.Installation, i.Repository)
			over = perr == nil
		}
		if over {
			s.log.Info("the task of an investigation that has ended or is paused", zap.String("investigation", i.ID), zap.String("task", task))
			err = tx.StopTask(task, s.o.Pace.Silence)
		}
		if ignoreMissing(err) != nil {
			return err
		}
	}
	return nil
}

// revive gives waiting investigations another job, since the process of their job may have died.
// The queue itself repeats such a job only after the longest time that a job may take. A second job
// does no harm, since each step checks the state of its investigation first.
func (s *Service) revive(tx *store.Tx) error {
	list, err := tx.Stalled(s.o.Pace.Stall)
	runs := 0
	for _, i := range list {
		var again river.JobArgs
		switch i.State {
		case store.Collecting:
			again = collectArgs{ID: i.ID}
		case store.Reporting:
			again = publishArgs{ID: i.ID}
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
