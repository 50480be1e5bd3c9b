package work

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/sourcegraph/conc"
	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/pause"
)

// Worker takes tasks from a server and has them run on this machine.
type Worker struct {
	Client     *Client
	Name       string              // for people
	Slots      int                 // tasks at the same time
	Dispatcher dispatch.Dispatcher // for jobs with a checkout on this machine
	Dir        string              // as in Checkout
	JDKs       map[int]string      // as in Checkout
	Log        *zap.Logger         // nil: none
}

// answerWithin is how long a worker that is being stopped tries to send its answer.
const answerWithin = 20 * time.Second

// maxSource bounds the packed sources of a commit, in bytes.
const maxSource = 1 << 30

// Serve takes tasks until claim ends, and returns when those that run have ended. When tasks ends,
// they are stopped, and the server offers them again. The error is the server's refusal of the
// worker's credential, many times in a row.
func (w *Worker) Serve(claim, tasks context.Context) error {
	log := cmp.Or(w.Log, zap.NewNop())
	free := make(chan struct{}, max(w.Slots, 1))
	var running conc.WaitGroup
	defer running.Wait()
	var denials Denials
	wait := w.Client.pause
	for claim.Err() == nil {
		select {
		case free <- struct{}{}:
		case <-claim.Done():
			return nil
		}
		c, err := w.Client.Claim(claim, Request{Worker: w.Name, Slots: cap(free) - len(free) + 1, Wait: int(MaxWait / time.Second)})
		if c == nil {
			<-free
		}
		switch {
		case denials.TooMany(err):
			return err
		case err != nil && claim.Err() == nil:
			log.Warn("no answer from the server", zap.Error(err))
			pause.For(claim, wait)
			wait = min(2*wait, longest*w.Client.pause)
		case c != nil:
			running.Go(func() {
				defer func() { <-free }()
				if code := w.Do(tasks, w.Client.Task(*c)); code == dispatch.CodeFull || code == CodeDisk { // so that another worker takes it
					pause.For(claim, longest*w.Client.pause)
				}
			})
			wait = w.Client.pause
		default:
			wait = w.Client.pause
		}
	}
	return nil
}

// Do does one task: it fetches and unpacks the sources, has the job run, and sends what comes of it.
// It ends when the task has ended, or when the server has given it to another worker. It returns the code
// of the job's error, if there is one.
func (w *Worker) Do(ctx context.Context, t *Task) (code string) {
	log := cmp.Or(w.Log, zap.NewNop()).With(zap.String("task", t.ID))
	log.Info("task begun", zap.String("commit", t.Commit))
	report, err := w.run(ctx, t)
	// The answer is sent until the task's deadline, since the server may be away. It is also sent
	// when the worker is being stopped, then for a short time.
	last, cancel := context.WithDeadline(context.WithoutCancel(ctx), t.Deadline)
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(answerWithin, cancel) })()
	e, failed := errors.AsType[*job.Error](err)
	switch {
	case errors.Is(err, ErrDenied), errors.Is(err, ErrOver):
		log.Info("task left", zap.Error(err))
		return ""
	case err == nil:
		if _, err = t.Send(last, Message{Report: report}); errors.Is(err, ErrRefused) {
			err = refused(last, t, err)
		}
	case errors.Is(err, ErrRefused):
		err = refused(last, t, err)
	case failed && e.Code == dispatch.CodeStopped && ctx.Err() != nil:
		err = t.Fail(last, &job.Error{Code: CodeStopping, Message: "the worker was stopped"})
	case failed:
		code, err = e.Code, t.Fail(last, e)
	default:
		err = t.Fail(last, &job.Error{Code: CodeSource, Message: err.Error()})
	}
	log.Info("task done", zap.Error(err))
	return code
}

// refused ends a task whose messages the server does not take: no other worker would send better ones.
func refused(ctx context.Context, t *Task, because error) error {
	return t.Fail(ctx, &job.Error{Code: CodeLimits, Message: because.Error()})
}

// run has the job run. Meanwhile it sends messages, and ends the job when the server asks for that.
// The worker's context ends when the worker is being stopped.
func (w *Worker) run(worker context.Context, t *Task) (*job.Report, error) {
	ctx, stop := context.WithDeadlineCause(worker, t.Deadline, errOverdue)
	defer stop()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	p := &poster{task: t, fresh: make(chan struct{}, 1), beat: time.Duration(max(t.Beat, 1)) * time.Second}
	posting, over := context.WithCancel(context.WithoutCancel(ctx))
	defer over()
	var side conc.WaitGroup
	side.Go(func() { p.post(posting, end) })
	j := t.Job
	j.Source, j.JDK, j.Installation = job.Source{SHA: cmp.Or(t.Commit, "sources")}, t.JDK, t.Installation
	c := &Checkout{Dispatcher: w.Dispatcher, Dir: w.Dir, JDKs: w.JDKs, Source: func(ctx context.Context, _ job.Job, into io.Writer) error {
		err := t.Source(ctx, into, maxSource)
		if errors.Is(err, ErrRefused) {
			return &job.Error{Code: CodeUnpacked, Message: err.Error()}
		}
		return err
	}}
	report, err := c.Run(ctx, j, p.event)
	over()
	side.Wait()
	if cause := context.Cause(ctx); cause != nil && Final(cause) {
		return nil, cause
	}
	cancelled := errors.Is(context.Cause(ctx), errCancelled)
	if report != nil && !report.Finished && worker.Err() != nil && !cancelled {
		return nil, errStopped // another worker can finish it
	}
	return report, err
}

var (
	errOverdue   = errors.New("the task's deadline has passed")
	errCancelled = errors.New("the server has cancelled the task")
)

// poster sends the events of a job, and signs of life.
type poster struct {
	task  *Task
	beat  time.Duration
	fresh chan struct{}

	mu      sync.Mutex
	waiting [][]byte
	size    int // of those that wait, in bytes
}

// Limits of a poster: messages that wait to be sent, in numbers and bytes, and the time between two
// posts. The code under test can write any number of events, so they are far below those of a post.
const (
	mostWaiting = 200
	maxWaiting  = 256 << 10
	postEvery   = 250 * time.Millisecond
)

// event keeps an event until the next post. If there are too many, the oldest ones are lost.
func (p *poster) event(e job.Event) {
	m := Message{Event: &e}
	if len(e.Contacted) > 0 {
		m = Message{Contacted: e.Contacted[:min(len(e.Contacted), maxContacts)]}
	}
	line, err := json.Marshal(m)
	if err != nil || len(line) > maxEvent {
		return
	}
	p.mu.Lock()
	p.waiting, p.size = append(p.waiting, line), p.size+len(line)
	for len(p.waiting) > mostWaiting || p.size > maxWaiting {
		p.waiting, p.size = p.waiting[1:], p.size-len(p.waiting[0])
	}
	p.mu.Unlock()
	select {
	case p.fresh <- struct{}{}:
	default:
	}
}

func (p *poster) take() [][]byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.waiting
	p.waiting, p.size = nil, 0
	return out
}

// post sends messages until the context ends, and the last ones after that. It ends the job if the
// server asks for that, or does not know the task any more.
func (p *poster) post(ctx context.Context, end context.CancelCauseFunc) {
	for more := true; more; {
		if more = pause.For(ctx, postEvery); more {
			select {
			case <-ctx.Done():
			case <-p.fresh:
			case <-time.After(p.beat - postEvery):
			}
			more = ctx.Err() == nil
		}
		var lines [][]byte
		if len(p.task.pending) < mostWaiting && len(bytes.Join(p.task.pending, nil)) < maxWaiting {
			lines = p.take()
		}
		sending, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		s, err := p.task.Post(sending, lines...)
		cancel()
		switch {
		case Final(err):
			end(err)
			return
		case err == nil && s.Cancelled:
			end(errCancelled)
		}
	}
}
