package kube

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/work"
)

// follower watches one Job to its end.
type follower struct {
	w       *Worker
	log     *zap.Logger
	name    string
	task    work.Claim
	pending *patience
	refused int // answers in a row that the pod's token does not have the task
}

// patience is a state that may last for a bounded time.
type patience struct {
	about string // the pod and what it waits for
	since time.Time
}

// follow reports a Job that ends without an answer, and gives signs of life until its pod does. It
// removes a Job whose pod cannot start, is late, or no longer has the task.
func (w *Worker) follow(ctx context.Context, name string, changes <-chan struct{}) {
	f := &follower{w: w, log: w.Log.With(zap.String("job", name)), name: name}
	if s := f.state(); s.ended && s.err == nil || !f.read(ctx, changes) {
		return
	}
	f.log = f.log.With(zap.String("task", f.task.ID))
	ctx, cancel := context.WithDeadline(ctx, f.task.Deadline.Add(Stop+time.Minute))
	defer cancel()
	why, remove := f.toItsEnd(ctx, changes)
	ctx = context.WithoutCancel(ctx)
	if why != nil {
		f.log.Warn("a task's pod has no answer", zap.String("code", why.Code), zap.String("why", why.Message), zap.String("detail", why.Detail))
		w.fail(ctx, f.log, f.task, why)
	}
	if remove {
		w.remove(ctx, f.log, name)
	}
}

// read gets the task from the Secret, which is created shortly after the Job.
func (f *follower) read(ctx context.Context, changes <-chan struct{}) bool {
	for f.attempt() != nil && ctx.Err() == nil {
		t, err := f.w.cluster.task(ctx, f.name)
		if err == nil {
			f.task = t
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-changes:
		case <-time.After(pause):
			f.log.Debug("a Job's Secret cannot be read yet", zap.Error(err))
		}
	}
	return false
}

func (f *follower) attempt() *attempt { return f.w.cluster.seen.look(f.w.cluster.o.Namespace, f.name) }

func (f *follower) state() state {
	a := f.attempt()
	if a == nil {
		return state{ended: true, err: gone("the runner's Job was deleted")}
	}
	return judge(a.job, a.pod, f.w.cluster.o.StartWithin.or(DefaultStartWithin))
}

// toItsEnd returns why there is no report, or nil, and whether the Job has to be removed.
func (f *follower) toItsEnd(ctx context.Context, changes <-chan struct{}) (why *job.Error, remove bool) {
	beat := time.NewTicker(time.Duration(max(f.task.Beat, 1)) * time.Second)
	defer beat.Stop()
	for {
		s := f.state()
		if s.ended { // by the Job, or by a pod that can never start
			a := f.attempt()
			return s.err, a != nil && !judge(a.job, nil, 0).ended
		}
		left, late := f.left(s)
		if late {
			return s.late, true
		}
		select {
		case <-ctx.Done():
			if time.Now().Before(f.task.Deadline) {
				return nil, false // this worker stops
			}
			return overdue(), true
		case <-changes:
		case <-left:
		case <-beat.C:
			started := s.patience <= 0
			if !started && f.unwanted(ctx) {
				return &job.Error{Code: dispatch.CodeStopped, Message: "stopped before the runner had started"}, true
			}
			if started && f.disowned(ctx) {
				f.log.Warn("a pod still runs although it no longer has its task, and is removed")
				return nil, true
			}
		}
	}
}

// left is how long the state may still last; nil: until the deadline. late is true if it is over.
func (f *follower) left(s state) (left <-chan time.Time, late bool) {
	if s.patience <= 0 {
		f.pending = nil
		return nil, false
	}
	about := s.late.Code
	if a := f.attempt(); a != nil && a.pod != nil {
		about += " " + string(a.pod.UID)
	}
	if f.pending == nil || f.pending.about != about {
		f.pending = &patience{about, time.Now()}
	}
	d := s.patience - time.Since(f.pending.since)
	return time.After(d), d <= 0
}

// unwanted gives a sign of life for a pod that has not started, and reports whether the server does
// not want the task any more.
func (f *follower) unwanted(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, pause)
	defer cancel()
	status, err := f.w.client.Task(f.task).Post(ctx)
	return status.Cancelled || work.Final(err)
}

// refusals is how often in a row the server has to say that a running pod no longer has its task
// until the pod is removed. A pod that has just sent its report, or that learns this with its next
// message, ends by itself meanwhile.
const refusals = 3

// disowned reports whether the pod no longer has its task: tests can stop the worker in their pod,
// and run on after the task was offered again. To ask is no sign of life. Only a clear answer of the
// server counts, which an error, or one that asks to come again, is not.
func (f *follower) disowned(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, pause)
	defer cancel()
	switch err := f.w.client.Check(ctx, f.task); {
	case err == nil:
		f.refused = 0
	case errors.Is(err, work.ErrDenied), errors.Is(err, work.ErrOver):
		f.refused++
	}
	return f.refused >= refusals
}
