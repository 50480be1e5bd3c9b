package kube

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.uber.org/zap"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/work"
)

// Worker claims tasks and runs each in a pod. All workers of a namespace watch all its Jobs, so any
// of them reports a pod that failed. What runs goes on while no worker does.
type Worker struct {
	Name    string // for people
	Runners int    // the most Jobs of the namespace at once
	Log     *zap.Logger

	client  *work.Client
	cluster *cluster
}

// NewWorker checks the options. It connects to nothing yet.
func NewWorker(client *work.Client, config *rest.Config, o Options) (*Worker, error) {
	c, err := newCluster(config, o)
	if err != nil {
		return nil, err
	}
	return &Worker{Runners: 1, Log: zap.NewNop(), client: client, cluster: c}, nil
}

// Run claims and watches until ctx ends. Then it leaves the Jobs to the next worker. The error is the
// server's refusal of the worker's credential, many times in a row.
func (w *Worker) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	seen := w.cluster.seen
	seen.follow = func(name string, changes <-chan struct{}) { all.Go(func() { w.follow(ctx, name, changes) }) }
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		seen.run(ctx)
	}()
	defer func() {
		stop()
		<-watching // no follower starts after this
		all.Wait()
	}()
	if !cache.WaitForCacheSync(ctx.Done(), seen.jobs.HasSynced, seen.pods.HasSynced) {
		return nil
	}
	w.Log.Info("watching the runners of the namespace", zap.String("namespace", w.cluster.o.Namespace), zap.Int("running", seen.active()))
	var denials work.Denials
	for ctx.Err() == nil {
		if err := w.one(ctx, &denials); err != nil {
			return err
		}
	}
	return nil
}

// pause is the wait after a claim that failed.
const pause = 5 * time.Second

// one waits until there is room for a Job, and claims a task for it.
func (w *Worker) one(ctx context.Context, denials *work.Denials) error {
	room := w.Runners - w.cluster.seen.active()
	if room <= 0 {
		w.wait(ctx, pause)
		return nil
	}
	t, err := w.client.Claim(ctx, work.Request{Worker: w.Name, Slots: room, Wait: int(work.MaxWait.Seconds())})
	switch {
	case denials.TooMany(err):
		return err
	case err != nil && ctx.Err() == nil:
		w.Log.Warn("no answer from the server", zap.Error(err))
		w.wait(ctx, pause)
	case t != nil:
		w.start(ctx, *t)
	}
	return nil
}

// wait lasts until something changes in the namespace, at most for d.
func (w *Worker) wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-w.cluster.seen.change:
	case <-time.After(d):
	}
}

// start gives a task to a Job and waits until the watch has it, so that it counts.
func (w *Worker) start(ctx context.Context, t work.Claim) {
	log := w.Log.With(zap.String("task", t.ID), zap.String("job", name(t)))
	w.replace(ctx, log, t)
	if err := w.cluster.start(ctx, t); err != nil {
		log.Error("a task did not start", zap.Error(err), zap.String("detail", detail(err)))
		if ctx.Err() != nil {
			err = &job.Error{Code: work.CodeStopping, Message: "the worker was stopped"}
		}
		ctx := context.WithoutCancel(ctx)
		w.fail(ctx, log, t, err)
		w.remove(ctx, log, name(t))
		return
	}
	log.Info("a task started")
	for until := time.Now().Add(pause); w.cluster.seen.look(w.cluster.o.Namespace, name(t)) == nil && time.Now().Before(until); {
		w.wait(ctx, time.Until(until))
	}
}

// replace removes the Jobs of a task's earlier attempts, so that it has one pod. The server is asked
// after they are listed: if this attempt still has the task, none of them is a later one.
func (w *Worker) replace(ctx context.Context, log *zap.Logger, t work.Claim) {
	others := w.cluster.seen.others(t.ID, name(t))
	if len(others) == 0 {
		return
	}
	asking, cancel := context.WithTimeout(ctx, pause)
	defer cancel()
	if err := w.client.Check(asking, t); err != nil {
		log.Warn("the Jobs of a task's other attempts stay for now", zap.Error(err))
		return
	}
	for _, earlier := range others {
		log.Warn("the Job of an earlier attempt has not ended, and is removed", zap.String("earlier", earlier))
		w.remove(ctx, log, earlier)
	}
}

// answerWithin bounds how long a worker tries to report the end of a task to the server or the cluster.
const answerWithin = time.Minute

// fail ends a task at the server.
func (w *Worker) fail(ctx context.Context, log *zap.Logger, t work.Claim, why error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	e, ok := errors.AsType[*job.Error](why)
	if !ok {
		e = &job.Error{Code: CodeCluster, Message: "the runner could not be started; the log of odfix worker has the reason"}
	}
	if err := w.client.Task(t).Fail(ctx, e); err != nil && !work.Final(err) {
		log.Error("the server does not know yet that a task failed", zap.Error(err))
	}
}

// remove deletes a Job before its deadline.
func (w *Worker) remove(ctx context.Context, log *zap.Logger, name string) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	if err := w.cluster.remove(ctx, name); err != nil {
		log.Error("a runner's Job stays until its deadline", zap.Error(err), zap.String("detail", detail(err)))
	}
}

func detail(err error) string {
	if e, ok := errors.AsType[*job.Error](err); ok {
		return e.Detail
	}
	return ""
}
