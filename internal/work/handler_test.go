package work

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/job"
)

const secret = "the-workers-credential"

// one is the server's only task.
type one struct {
	mu     sync.Mutex
	claim  *Claim
	taken  []Message
	failed *job.Error
	over   bool
	lose   int // answers to Take that get lost
	cancel bool
}

var _ Tasks = (*one)(nil)

func (o *one) Claim(context.Context, string, time.Duration) (*Claim, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	c := o.claim
	o.claim = nil
	return c, nil
}

func (o *one) check(id, token string) error {
	switch {
	case id != "t1" || token != "one-job":
		return ErrDenied
	case o.over:
		return ErrOver
	}
	return nil
}

func (o *one) Held(_ context.Context, id, token string) (Held, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return Held{MaxReport: 1 << 20}, o.check(id, token)
}

func (o *one) Source(_ context.Context, id, token string, w io.Writer) error {
	if err := o.check(id, token); err != nil {
		return err
	}
	_, err := w.Write([]byte("packed"))
	return err
}

func (o *one) Take(_ context.Context, id, token string, first int64, all []Message) (Status, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.check(id, token); err != nil {
		return Status{}, err
	}
	have := int64(len(o.taken))
	if first > have+1 {
		return Status{}, &GapError{have + 1}
	}
	o.taken = append(o.taken, all[min(have+1-first, int64(len(all))):]...)
	if o.lose--; o.lose >= 0 {
		return Status{}, errors.New("the answer is lost")
	}
	return Status{Next: int64(len(o.taken)) + 1, Cancelled: o.cancel}, nil
}

func (o *one) Fail(_ context.Context, id, token string, e *job.Error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.check(id, token); err != nil {
		return err
	}
	o.failed, o.over = e, true
	return nil
}

// opened is a client of a server with one task.
func opened(t *testing.T, token string) (*one, *Client, *httptest.Server) {
	o := &one{claim: &Claim{ID: "t1", Token: "one-job", Installation: 4711, JDK: 21, Commit: "abc",
		Job: job.Job{Dir: "sub", Tests: []string{"a.B#c"}}}}
	s := httptest.NewServer(NewHandler(HandlerOptions{Tasks: o, Tokens: func() []string { return []string{"older", secret, ""} }}))
	t.Cleanup(s.Close)
	c, err := NewClient(s.URL, func() (string, error) { return token, nil })
	if err != nil {
		t.Fatal(err)
	}
	c.pause = time.Millisecond
	return o, c, s
}

func claimed(t *testing.T, c *Client) *Task {
	t.Helper()
	claim, err := c.Claim(t.Context(), Request{Worker: "w", Slots: 1})
	if err != nil || claim == nil {
		t.Fatal(claim, err)
	}
	return c.Task(*claim)
}

func TestATaskFromClaimToReport(t *testing.T) {
	o, c, _ := opened(t, secret)
	task := claimed(t, c)
	if task.Job.Dir != "sub" || task.JDK != 21 || task.Installation != 4711 || task.Commit != "abc" {
		t.Errorf("claimed %+v", task.Claim)
	}
	if none, err := c.Claim(t.Context(), Request{Worker: "w", Slots: 1}); none != nil || err != nil {
		t.Errorf("another claim got %+v, %v", none, err)
	}
	var packed bytes.Buffer
	if err := task.Source(t.Context(), &packed, 100); err != nil || packed.String() != "packed" {
		t.Errorf("sources %q, %v", packed.String(), err)
	}
	if err := task.Source(t.Context(), io.Discard, 3); !errors.Is(err, ErrRefused) {
		t.Errorf("more than the limit: %v", err)
	}
	o.cancel = true
	s, err := task.Send(t.Context(), Message{Event: &job.Event{Message: "m"}}, Message{Alive: true},
		Message{Contacted: []job.Contact{{Host: "h:1", Allowed: true, Times: 2}}})
	if err != nil || s.Next != 4 || !s.Cancelled {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err = task.Post(t.Context()); err != nil || s.Next != 4 {
		t.Errorf("a sign of life: %+v, %v", s, err)
	}
	if _, err := task.Send(t.Context(), Message{Report: &job.Report{Version: job.Version, Tool: "x"}}); err != nil {
		t.Error(err)
	}
	if len(o.taken) != 4 || o.taken[0].Event.Message != "m" || !slices.Equal(o.taken[2].Contacted, []job.Contact{{Host: "h:1", Allowed: true, Times: 2}}) ||
		o.taken[3].Report.Tool != "x" {
		t.Errorf("taken %+v", o.taken)
	}
}

func TestARepeatedPostCountsOnce(t *testing.T) {
	o, c, _ := opened(t, secret)
	task := claimed(t, c)
	o.lose = 2
	for _, m := range []string{"1", "2"} {
		if _, err := task.Send(t.Context(), Message{Event: &job.Event{Message: m}}); err != nil {
			t.Fatal(err)
		}
	}
	if len(o.taken) != 2 {
		t.Errorf("taken %+v", o.taken)
	}
	task.sent = 7
	var answer *statusError
	if _, err := task.Post(t.Context()); !errors.As(err, &answer) || answer.Next != 3 || !Final(err) {
		t.Errorf("a gap: %v", err)
	}
}

func TestAFailedTaskIsOver(t *testing.T) {
	o, c, _ := opened(t, secret)
	task := claimed(t, c)
	if err := task.Fail(t.Context(), &job.Error{Code: "c", Message: "m", Hint: "h"}); err != nil || o.failed.Hint != "h" {
		t.Errorf("%+v, %v", o.failed, err)
	}
	if _, err := task.Post(t.Context()); !errors.Is(err, ErrOver) {
		t.Errorf("after the end: %v", err)
	}
}

func TestCredentials(t *testing.T) {
	for token, ok := range map[string]bool{secret: true, "older": true, "": false, "other": false, secret + "x": false} {
		_, c, _ := opened(t, token)
		if claim, err := c.Claim(t.Context(), Request{Worker: "w", Slots: 1}); (claim != nil) != ok || errors.Is(err, ErrDenied) == ok {
			t.Errorf("%q: %+v, %v", token, claim, err)
		}
	}
}

func TestServersAddress(t *testing.T) {
	for _, bad := range []string{"", "odfix:80", "ftp://odfix", "https://u:p@odfix", "https://odfix?x=y"} {
		if _, err := NewClient(bad, nil); err == nil || !strings.Contains(err.Error(), "address") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
