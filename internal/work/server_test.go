package work

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/dispatch/dispatchtest"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/store/storetest"
)

func TestMain(m *testing.M) {
	dispatchtest.Main()
	storetest.Main(m)
}

// remote is a server with its database and its HTTP.
type remote struct {
	t      *testing.T
	place  string
	store  *store.Store
	server *Server
	http   *httptest.Server
	client *Client
}

// serving starts a server. More servers can have the same database.
func serving(t *testing.T, place string, o ServerOptions) *remote {
	t.Helper()
	r := &remote{t: t, place: place, store: storetest.Open(t, place, store.Options{})}
	o.Store, o.Beat, o.Poll = r.store, time.Second, 50*time.Millisecond
	if o.Silence == 0 {
		o.Silence = time.Hour
	}
	if o.Source == nil {
		o.Source = func(_ context.Context, _ int64, _ job.Source, w io.Writer) error {
			_, err := w.Write(packed(t, map[string]string{"pom.xml": "<project/>", "sub/a.txt": "a"}))
			return err
		}
	}
	r.server = NewServer(o)
	r.http = httptest.NewServer(NewHandler(HandlerOptions{Tasks: r.server, Tokens: func() []string { return []string{secret, "older"} }}))
	t.Cleanup(r.http.Close)
	c, err := NewClient(r.http.URL, func() (string, error) { return secret, nil })
	if err != nil {
		t.Fatal(err)
	}
	r.client = c
	return r
}

// packed is an archive as GitHub makes them.
func packed(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	for name, text := range files {
		h := &tar.Header{Name: "owner-name-abc/" + name, Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(text))}
		_, err := io.WriteString(w, "")
		if err = errors.Join(err, w.WriteHeader(h)); err == nil {
			_, err = io.WriteString(w, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// work starts a worker of the server. It ends with the test, or before.
func (r *remote) work(d dispatch.Dispatcher) (kill func()) {
	claim, tasks := r.t.Context(), r.t.Context()
	claim, stop := context.WithCancel(claim)
	tasks, end := context.WithCancel(tasks)
	w := &Worker{Client: r.client, Name: "w", Slots: 2, Dispatcher: d, Dir: r.t.TempDir()}
	var done sync.WaitGroup
	done.Go(func() {
		if err := w.Serve(claim, tasks); err != nil {
			r.t.Error(err)
		}
	})
	kill = func() {
		stop()
		end()
		done.Wait()
	}
	r.t.Cleanup(kill)
	return kill
}

// in makes a job for a commit's sources out of a job for a folder.
type in struct{ to dispatch.Dispatcher }

func (d in) Run(ctx context.Context, j job.Job, on func(job.Event)) (*job.Report, error) {
	dir := j.Dir
	j.Dir, j.Source = ".", job.Source{Repository: 1, Owner: "owner", Name: "name", SHA: "abc"}
	report, err := d.to.Run(ctx, j, on)
	if report != nil && report.Project.Dir == "." {
		report.Project.Dir = dir
	}
	return report, err
}

func fake(l dispatchtest.Limits) *dispatch.Local {
	return &dispatch.Local{Runner: os.Args[0], Env: append(os.Environ(), dispatchtest.Env+"=1"), Grace: l.Grace,
		Slack: time.Millisecond, Quiet: l.Quiet}
}

// TestServer: with a worker over HTTP, the server is a dispatcher as any other.
func TestServer(t *testing.T) {
	dispatchtest.Conformance(t, func(t *testing.T, l dispatchtest.Limits) dispatch.Dispatcher {
		r := serving(t, storetest.SQLite(t), ServerOptions{})
		r.work(fake(l))
		return in{r.server}
	})
}

// TestCheckout: the same without a server.
func TestCheckout(t *testing.T) {
	dispatchtest.Conformance(t, func(t *testing.T, l dispatchtest.Limits) dispatch.Dispatcher {
		return in{&Checkout{Dispatcher: fake(l), Dir: t.TempDir(), Source: func(_ context.Context, _ job.Job, w io.Writer) error {
			_, err := w.Write(packed(t, map[string]string{"a": "a"}))
			return err
		}}}
	})
}

// held is a dispatcher whose jobs end when the test says so.
type held struct {
	begun  chan job.Job
	answer chan *job.Report
}

func newHeld() *held {
	return &held{begun: make(chan job.Job, 10), answer: make(chan *job.Report, 10)}
}

func (h *held) Run(ctx context.Context, j job.Job, on func(job.Event)) (*job.Report, error) {
	on(job.Event{Phase: job.PhaseBuild, Message: "begun"})
	h.begun <- j
	select {
	case r := <-h.answer:
		return r, nil
	case <-ctx.Done():
		return nil, errStopped
	}
}

// hasty is held, with an unfinished report when it is stopped.
type hasty struct{ *held }

func (h hasty) Run(ctx context.Context, j job.Job, on func(job.Event)) (*job.Report, error) {
	r, err := h.held.Run(ctx, j, on)
	if ctx.Err() != nil {
		return report("unfinished"), nil
	}
	return r, err
}

func report(tool string) *job.Report { return &job.Report{Version: job.Version, Tool: tool} }

func keyed(key string) job.Job {
	return job.Job{Key: key, Dir: "sub", Budget: time.Minute, MaxReport: 1 << 20, Installation: 7, JDK: 21, Source: job.Source{SHA: "abc"}}
}

// TestARestartedServerAdoptsItsTask: the server stops while a job runs. The next one waits for the
// same job, and so does one that comes after its end.
func TestARestartedServerAdoptsItsTask(t *testing.T) {
	storetest.Each(t, func(t *testing.T, place string) {
		first, second := serving(t, place, ServerOptions{}), serving(t, place, ServerOptions{})
		h := newHeld()
		first.work(h)
		ctx, stop := context.WithCancelCause(t.Context())
		stopped := make(chan error, 1)
		go func() {
			_, err := first.server.Run(ctx, keyed("fix/1"), nil)
			stopped <- err
		}()
		if j := <-h.begun; j.Installation != 7 || j.Tests != nil || filepath.Base(j.Dir) != "sub" {
			t.Errorf("the job is %+v", j)
		}
		stop(dispatch.ErrLeave)
		if err := <-stopped; err == nil {
			t.Error("the first server has an answer")
		}
		h.answer <- report("once")
		for range 2 {
			r, err := second.server.Run(t.Context(), keyed("fix/1"), nil)
			if err != nil || r.Tool != "once" {
				t.Errorf("%+v, %v", r, err)
			}
		}
		if len(h.begun) > 0 {
			t.Error("the job ran twice")
		}
	})
}

// TestTheTaskOfALostWorkerIsOfferedAgain: the first worker takes the task and sends nothing.
func TestTheTaskOfALostWorkerIsOfferedAgain(t *testing.T) {
	r := serving(t, storetest.SQLite(t), ServerOptions{Silence: time.Hour})
	got := make(chan *job.Report, 1)
	go func() {
		report, err := r.server.Run(t.Context(), keyed("k"), nil)
		if err != nil {
			t.Error(err)
		}
		got <- report
	}()
	c, err := r.client.Claim(t.Context(), Request{Worker: "lost", Slots: 1, Wait: 20})
	if err != nil || c == nil {
		t.Fatal(c, err)
	}
	err = r.store.Do(t.Context(), func(tx *store.Tx) error { // as if it had been silent for an hour
		_, err := tx.ReapTasks(0, mostAttempts, time.Hour, endings)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	h := newHeld()
	h.answer <- report("second")
	r.work(h)
	if answer := <-got; answer == nil || answer.Tool != "second" {
		t.Errorf("%+v", answer)
	}
	late := r.client.Task(*c)
	if _, err := late.Send(t.Context(), Message{Report: report("late")}); !errors.Is(err, ErrDenied) {
		t.Errorf("the token of the earlier attempt: %v", err)
	}
}

// TestCheck: whether a token has its task is no sign of life.
func TestCheck(t *testing.T) {
	r := serving(t, storetest.SQLite(t), ServerOptions{Silence: time.Hour})
	go func() { _, _ = r.server.Run(t.Context(), keyed("k"), nil) }()
	claim := func() (Claim, time.Time) {
		t.Helper()
		c, err := r.client.Claim(t.Context(), Request{Worker: "w", Slots: 1, Wait: 20})
		if err != nil || c == nil {
			t.Fatal(c, err)
		}
		task, err := store.Read(t.Context(), r.store, func(tx *store.Tx) (store.Task, error) { return tx.Task(c.ID) })
		if err != nil {
			t.Fatal(err)
		}
		return *c, task.Heartbeat
	}
	check := func(c Claim, want error) {
		t.Helper()
		if err := r.client.Check(t.Context(), c); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	first, began := claim()
	check(first, nil)
	task, err := store.Read(t.Context(), r.store, func(tx *store.Tx) (store.Task, error) { return tx.HeldTask(first.ID, first.Token) })
	if err != nil || !task.Heartbeat.Equal(began) {
		t.Errorf("sign of life %v, want %v; %v", task.Heartbeat, began, err)
	}
	if err := r.client.Task(first).Fail(t.Context(), &job.Error{Code: CodeStopping, Message: "m"}); err != nil {
		t.Fatal(err)
	}
	check(first, ErrDenied)
	second, _ := claim()
	check(first, ErrDenied)
	check(second, nil)
	if _, err := r.client.Task(second).Send(t.Context(), Message{Report: report("done")}); err != nil {
		t.Fatal(err)
	}
	check(first, ErrDenied)
	check(second, ErrOver)
	r.http.Close()
	if err := r.client.Check(t.Context(), second); err == nil || Final(err) {
		t.Errorf("a server that is away: %v", err)
	}
}

// TestAStoppedWorkerGivesItsTaskBack: the next worker has it at once.
func TestAStoppedWorkerGivesItsTaskBack(t *testing.T) {
	r := serving(t, storetest.SQLite(t), ServerOptions{Silence: time.Hour})
	got := make(chan *job.Report, 1)
	go func() {
		report, err := r.server.Run(t.Context(), keyed("k"), nil)
		if err != nil {
			t.Error(err)
		}
		got <- report
	}()
	h := newHeld()
	kill := r.work(hasty{h})
	<-h.begun
	kill()
	h.answer <- report("second")
	r.work(h)
	if answer := <-got; answer == nil || answer.Tool != "second" {
		t.Errorf("%+v", answer)
	}
}

// TestCancelledTask: the worker learns it with its next message, and the next task of its slot
// comes.
func TestCancelledTask(t *testing.T) {
	r := serving(t, storetest.SQLite(t), ServerOptions{Silence: time.Hour})
	h := newHeld()
	r.work(h)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := r.server.Run(ctx, keyed("k"), func(e job.Event) {
		if e.Message == "begun" {
			cancel()
		}
	})
	wantCode(t, err, dispatch.CodeStopped)
	c, err := r.client.Claim(t.Context(), Request{Worker: "w", Slots: 1})
	if c != nil || err != nil {
		t.Errorf("a cancelled task is offered: %+v, %v", c, err)
	}
}

// TestCancelledTaskBeginsAnew: what a cancelled task answered, which may be a part, is not the
// answer of a later call for the same step.
func TestCancelledTaskBeginsAnew(t *testing.T) {
	r := serving(t, storetest.SQLite(t), ServerOptions{Silence: time.Hour})
	h := newHeld()
	r.work(hasty{h})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	first, err := r.server.Run(ctx, keyed("k"), func(e job.Event) {
		if e.Message == "begun" {
			cancel()
		}
	})
	if err != nil || first.Tool != "unfinished" {
		t.Fatalf("%+v, %v", first, err)
	}
	h.answer <- report("whole")
	if again, err := r.server.Run(t.Context(), keyed("k"), func(job.Event) {}); err != nil || again.Tool != "whole" {
		t.Errorf("%+v, %v", again, err)
	}
}

// TestSourcesThatAreRefused end the task with their error.
func TestSourcesThatAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		source func(context.Context, int64, job.Source, io.Writer) error
		code   string
	}{
		"no archive": {func(_ context.Context, _ int64, _ job.Source, w io.Writer) error {
			_, err := io.WriteString(w, "no archive")
			return err
		}, CodeUnpacked},
		"gone": {func(context.Context, int64, job.Source, io.Writer) error { return ErrRefused }, CodeUnpacked},
	} {
		t.Run(name, func(t *testing.T) {
			r := serving(t, storetest.SQLite(t), ServerOptions{Source: c.source})
			r.work(newHeld())
			_, err := r.server.Run(t.Context(), keyed("k"), nil)
			wantCode(t, err, c.code)
		})
	}
}

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	var e *job.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Errorf("want %s, got %+v", code, err)
	}
}
