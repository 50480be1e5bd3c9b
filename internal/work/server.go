package work

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/store"
)

// ServerOptions are for NewServer. Store and Source are required. Zero times take defaults.
type ServerOptions struct {
	Store *store.Store
	// Source writes the packed sources of a commit. An error that wraps ErrRefused would come
	// again.
	Source func(ctx context.Context, installation int64, s job.Source, w io.Writer) error
	Log    *zap.Logger // nil: none

	Beat    time.Duration // between two signs of life of a worker
	Silence time.Duration // without one, after which a task is offered again
	Poll    time.Duration // between two looks for what another replica stored
	Wait    time.Duration // for a worker
	Slack   time.Duration // beyond a job's budget, for unpacking and for the runner's end
	Grace   time.Duration // from the request to stop until the worker's answer
}

// Defaults of ServerOptions, and limits.
const (
	defaultBeat    = 5 * time.Second
	defaultSilence = time.Minute
	defaultPoll    = 2 * time.Second
	defaultWait    = 6 * time.Hour
	defaultSlack   = 10 * time.Minute
	defaultGrace   = dispatch.DefaultGrace + 20*time.Second

	mostAttempts = 3   // of a task whose workers are lost
	mostFetches  = 3   // of the sources, in one attempt
	mostEvents   = 200 // that are kept until they are passed on
)

// Server has jobs run by workers. It is the dispatcher of the server's investigations, and the
// tasks of its handler. Several servers with one database share their tasks.
type Server struct {
	o     ServerOptions
	offer bell // rings when a task may have come
	mu    sync.Mutex
	bells map[string]*bell     // by task: rings when events or the end have come
	last  time.Time            // of the last search for tasks that have to end
	asked map[string]time.Time // by worker: when it was last recorded that it asks for tasks
	begun time.Time
}

var (
	_ dispatch.Dispatcher = (*Server)(nil)
	_ Tasks               = (*Server)(nil)
)

// NewServer makes a server.
func NewServer(o ServerOptions) *Server {
	for _, f := range []struct {
		field *time.Duration
		value time.Duration
	}{{&o.Beat, defaultBeat}, {&o.Silence, defaultSilence}, {&o.Poll, defaultPoll}, {&o.Wait, defaultWait}, {&o.Slack, defaultSlack},
		{&o.Grace, defaultGrace}} {
		*f.field = cmp.Or(*f.field, f.value)
	}
	o.Beat = max(min(o.Beat, o.Silence/5), time.Second)
	o.Log = cmp.Or(o.Log, zap.NewNop())
	return &Server{o: o, bells: map[string]*bell{}, asked: map[string]time.Time{}, begun: time.Now()}
}

// content is a task's content in the database, and what it is about: the same without what only the
// worker needs, such as the order of the tests.
type content struct {
	Job    job.Job    `json:"job"`
	Source job.Source `json:"source"`
	JDK    int        `json:"jdk,omitempty"`
}

// ending is the result of a task in the database: one of both.
type ending struct {
	Report *job.Report `json:"report,omitempty"`
	Error  *job.Error  `json:"error,omitempty"`
}

func (e ending) text() []byte {
	text, err := json.Marshal(e)
	if err != nil { // a report comes from JSON
		text, _ = json.Marshal(ending{Error: &job.Error{Code: dispatch.CodeGarbled, Message: err.Error()}})
	}
	return text
}

var (
	errStopped = &job.Error{Code: dispatch.CodeStopped, Message: "stopped before there was anything to report"}
	endings    = store.Endings{
		Untaken: ending{Error: &job.Error{Code: CodeUntaken, Message: "no worker took the job in time",
			Hint: "The operator of odfix starts workers with `odfix worker`."}}.text(),
		Overdue: ending{Error: &job.Error{Code: dispatch.CodeOverdue, Message: "the worker did not answer within the job's budget"}}.text(),
		Lost: ending{Error: &job.Error{Code: CodeLost, Message: "each worker that took the job sent no sign of life any more",
			Hint: "The machine of the workers may be out of memory; the operator of odfix finds more in their logs."}}.text(),
		Stopped: ending{Error: errStopped}.text(),
	}
)

// Run implements dispatch.Dispatcher. If there is a task for the job's key, it waits for that one,
// also if it has ended: so a server that was restarted runs nothing twice. Only one that was
// cancelled, or whose failure says nothing about the job, is opened again (repeats). If ctx ends
// with the cause dispatch.ErrLeave, the task goes on; else it is cancelled.
func (s *Server) Run(ctx context.Context, j job.Job, on func(job.Event)) (*job.Report, error) {
	if ctx.Err() != nil {
		return nil, errStopped
	}
	c := content{Job: j, Source: j.Source, JDK: j.JDK}
	c.Job.Budget = cmp.Or(max(j.Budget, 0), job.FittingBudget(j.Took)) // the task's limit depends on it
	c.Job.Work, c.Job.Out, c.Job.Runtime = "", "", ""
	c.Job.Version = cmp.Or(j.Version, job.Version)
	text, err := json.Marshal(c)
	if err != nil {
		return nil, &job.Error{Code: dispatch.CodeJob, Message: "the job cannot be written as JSON: " + err.Error()}
	}
	about, err := json.Marshal(content{Job: job.Job{Kind: j.Kind, MaxReport: j.MaxReport}, Source: c.Source, JDK: c.JDK})
	if err != nil {
		return nil, err // it is a part of the job
	}
	var t store.Task
	var created bool
	err = s.o.Store.Do(ctx, func(tx *store.Tx) (err error) {
		open := store.Task{Key: j.Key, Installation: j.Installation, Repository: j.Source.Repository, About: about, Content: text,
			Limit: c.Job.Budget + s.o.Slack}
		if t, created, err = tx.OpenTask(open, s.o.Wait); err != nil || !t.State.Ended() || !t.Stop && !repeats(t.Result) {
			return err
		}
		if err = tx.ForgetTask(t.ID); err == nil {
			t, created, err = tx.OpenTask(open, s.o.Wait)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if created {
		s.offer.ring()
	} else {
		s.o.Log.Info("task adopted", zap.String("task", t.ID), zap.String("key", t.Key), zap.String("state", string(t.State)))
	}
	return s.follow(ctx, t.ID, on)
}

// follow passes a task's events on and waits for its end.
func (s *Server) follow(ctx context.Context, id string, on func(job.Event)) (*job.Report, error) {
	b := s.bell(id)
	defer s.unbell(id)
	var passed int64
	done, until := ctx.Done(), (<-chan time.Time)(nil)
	free := context.WithoutCancel(ctx)
	for {
		heard := b.heard()
		s.reap(free)
		t, events, err := s.news(free, id, passed)
		if err != nil { // the database may answer again
			s.o.Log.Warn("a task cannot be read", zap.String("task", id), zap.Error(err))
		}
		for _, e := range events {
			passed = e.Number
			pass(e.Content, on)
		}
		if len(events) > 0 {
			if err := s.o.Store.Do(free, func(tx *store.Tx) error { return tx.PassTaskEvents(id, passed) }); err != nil {
				s.o.Log.Warn("events of a task are not removed", zap.String("task", id), zap.Error(err))
			}
			if ctx.Err() == nil {
				continue
			}
		}
		switch {
		case err == nil && t.State.Ended() && t.Stop && done != nil:
			return nil, errors.New("the task was cancelled, for an earlier call") // no *job.Error: another call begins anew
		case err == nil && t.State.Ended():
			return result(t.Result)
		}
		select {
		case <-heard:
		case <-time.After(s.o.Poll):
		case <-until:
			return nil, errStopped
		case <-done:
			if errors.Is(context.Cause(ctx), dispatch.ErrLeave) {
				return nil, errStopped
			}
			done, until = nil, time.After(s.o.Grace+2*s.o.Poll)
			s.stop(free, id)
		}
	}
}

// news are the state of a task and its next events.
func (s *Server) news(ctx context.Context, id string, after int64) (t store.Task, events []store.TaskEvent, err error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	err = s.o.Store.View(ctx, func(tx *store.Tx) (err error) {
		if t, err = tx.Task(id); err == nil {
			events, err = tx.TaskEvents(id, after, mostEvents)
		}
		return err
	})
	return t, events, err
}

func pass(text []byte, on func(job.Event)) {
	var m Message
	if on == nil || json.Unmarshal(text, &m) != nil {
		return
	}
	if len(m.Contacted) > 0 {
		m.Event = &job.Event{Time: time.Now(), Phase: job.PhaseBuild, Contacted: m.Contacted}
	}
	if m.Event != nil {
		on(*m.Event)
	}
}

func result(text []byte) (*job.Report, error) {
	var e ending
	if err := json.Unmarshal(text, &e); err != nil {
		return nil, &job.Error{Code: dispatch.CodeGarbled, Message: "the stored result cannot be read: " + err.Error()}
	}
	if repeats(text) && e.Error.Code == CodeStopping {
		return nil, fmt.Errorf("%w: %s", dispatch.ErrUnanswered, e.Error.Message)
	}
	if repeats(text) {
		return nil, fmt.Errorf("no worker could begin the job: %s", e.Error.Message)
	}
	if e.Report == nil {
		return nil, cmp.Or(e.Error, errStopped)
	}
	e.Report.Tidy()
	return e.Report, nil
}

// repeats reports whether a result says nothing about the job: the workers did not get the sources, or
// each was being stopped. Another call of Run begins anew.
func repeats(text []byte) bool {
	var e ending
	return json.Unmarshal(text, &e) == nil && e.Error != nil && (e.Error.Code == CodeSource || e.Error.Code == CodeStopping)
}

// stop cancels a task. The worker learns it with its next sign of life.
func (s *Server) stop(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	if err := s.o.Store.Do(ctx, func(tx *store.Tx) error { return tx.StopTask(id, s.o.Grace) }); err != nil {
		s.o.Log.Warn("a task is not cancelled", zap.String("task", id), zap.Error(err))
	}
}

// reap ends tasks and offers them again, where that is due. Servers call it while they wait for a
// task, and workers cause it by asking for one.
func (s *Server) reap(ctx context.Context) {
	s.mu.Lock()
	due := time.Since(s.last) > s.o.Poll
	if due {
		s.last = time.Now()
	}
	s.mu.Unlock()
	if !due {
		return
	}
	silence := s.o.Silence
	if time.Since(s.begun) < silence {
		silence = 24 * time.Hour // the workers could not send a sign of life while there was no server
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	var n int64
	err := s.o.Store.Do(ctx, func(tx *store.Tx) (err error) {
		n, err = tx.ReapTasks(silence, mostAttempts, s.o.Wait, endings)
		return err
	})
	if err != nil {
		s.o.Log.Warn("tasks without a sign of life are not looked for", zap.Error(err))
	}
	if n > 0 {
		s.o.Log.Warn("tasks that were cancelled, sent no sign of life, or are after their deadline", zap.Int64("tasks", n))
		s.offer.ring()
	}
}
