package kube

import (
	"context"
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
}

// patience is a state that may last for a bounded time.
type patience struct {
	about string // the pod and what it waits for
	since time.Time
}

// follow reports a Job that ends without an answer, and gives signs of life until its pod does.
func (w *Worker) follow(ctx context.Context, name string, changes <-chan struct{}) {
	f := &follower{w: w, log: w.Log.With(zap.String("job", name)), name: name}
	if s := f.state(); s.ended && s.err == nil || !f.read(ctx, changes) {
		return
	}
	f.log = f.log.With(zap.String("task", f.task.ID))
	ctx, cancel := context.WithDeadline(ctx, f.task.Deadline.Add(Stop+time.Minute))
	defer cancel()
	if why, over := f.toItsEnd(ctx, changes); why != nil {
		ctx := context.WithoutCancel(ctx)
		f.log.Warn("a task's pod has no answer", zap.String("code", why.Code), zap.String("why", why.Message), zap.String("detail", why.Detail))
		w.fail(ctx, f.log, f.task, why)
		if !over {
			w.remove(ctx, f.log, name)
		}
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

// toItsEnd returns why there is no report, or nil. over is false if the Job has not ended.
func (f *follower) toItsEnd(ctx context.Context, changes <-chan struct{}) (why *job.Error, over bool) {
	beat := time.NewTicker(time.Duration(max(f.task.Beat, 1)) * time.Second)
	defer beat.Stop()
	for {
		s := f.state()
		if s.ended { // by the Job, or by a pod that can never start
			a := f.attempt()
			return s.err, a == nil || judge(a.job, nil, 0).ended
		}
		left, late := f.left(s)
		if late {
			return s.late, false
		}
		select {
		case <-ctx.Done():
			if time.Now().Before(f.task.Deadline) {
				return nil, false // this worker stops
			}
			return overdue(), false
		case <-changes:
		case <-left:
		case <-beat.C:
			if s.patience > 0 && f.unwanted(ctx) {
				return &job.Error{Code: dispatch.CodeStopped, Message: "stopped before the runner had started"}, false
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
