package work

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/store/storetest"
)

// flooding is a dispatcher whose code under test writes many long events.
type flooding struct{}

func (flooding) Run(_ context.Context, _ job.Job, on func(job.Event)) (*job.Report, error) {
	for range 3 * mostWaiting {
		on(job.Event{Message: strings.Repeat("m", maxEvent-1000)})
	}
	on(job.Event{Phase: job.PhaseBuild, Contacted: []job.Contact{{Host: "evil.example:443", Times: 1}}})
	return report("flooded"), nil
}

// TestAttackManyEvents: they cost neither the report nor the list of hosts.
func TestAttackManyEvents(t *testing.T) {
	r := serving(t, storetest.SQLite(t), ServerOptions{Silence: 1500 * time.Millisecond})
	r.work(flooding{})
	hosts := 0
	answer, err := r.server.Run(t.Context(), keyed("k"), func(e job.Event) { hosts += len(e.Contacted) })
	if err != nil || answer.Tool != "flooded" || hosts != 1 {
		t.Errorf("%+v, %v, %d hosts", answer, err, hosts)
	}
}

// TestAttackLongEvents: of events that wait, the newest ones are kept, far below the limit of a post.
func TestAttackLongEvents(t *testing.T) {
	p := &poster{fresh: make(chan struct{}, 1)}
	for range 2 {
		_, _ = flooding{}.Run(t.Context(), job.Job{}, p.event)
		lines := p.take()
		size := len(bytes.Join(lines, nil))
		if size > maxWaiting || len(lines) < 2 || !bytes.Contains(lines[len(lines)-1], []byte("evil.example")) {
			t.Errorf("%d lines with %d bytes", len(lines), size)
		}
	}
}

// TestAttackEventsWithoutEnd: there is always another event, and the task is cancelled all the same.
func TestAttackEventsWithoutEnd(t *testing.T) {
	r := serving(t, storetest.SQLite(t), ServerOptions{Grace: 100 * time.Millisecond})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var c *Claim
	sent := int64(1)
	another := func() {
		if sent++; sent == 5 {
			cancel()
		}
		if sent < 1000 {
			_, _ = r.server.Take(t.Context(), c.ID, c.Token, sent, []Message{{Event: &job.Event{Message: "m"}}})
		}
	}
	claimed := make(chan struct{})
	go func() {
		defer close(claimed)
		var err error
		if c, err = r.client.Claim(t.Context(), Request{Worker: "w", Slots: 1, Wait: 20}); err != nil || c == nil {
			t.Error(c, err)
			return
		}
		_, _ = r.server.Take(t.Context(), c.ID, c.Token, 1, []Message{{Event: &job.Event{Message: "m"}}})
	}()
	_, err := r.server.Run(ctx, keyed("k"), func(job.Event) {
		<-claimed
		another()
	})
	wantCode(t, err, dispatch.CodeStopped)
	if <-claimed; sent >= 1000 {
		t.Errorf("%d events", sent)
	}
}

// TestAttackLargePosts: of the events of one post, the server keeps as few as an honest worker
// sends, whoever posts them. The newest ones and the list of hosts are among them.
func TestAttackLargePosts(t *testing.T) {
	r := serving(t, storetest.SQLite(t), ServerOptions{})
	var post []Message
	for range mostWaiting / 2 {
		post = append(post, Message{Event: &job.Event{Message: strings.Repeat("m", maxEvent-1000)}})
	}
	post = append(post, Message{Event: &job.Event{Message: "last"}}, Message{Contacted: []job.Contact{{Host: "evil.example:443", Times: 1}}},
		Message{Event: &job.Event{Message: strings.Repeat("<", maxEvent-1000)}}) // six bytes each as JSON
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	posted := make(chan error, 1)
	go func() {
		err := func() error {
			c, err := r.client.Claim(ctx, Request{Worker: "w", Slots: 1, Wait: 20})
			if err != nil || c == nil {
				return fmt.Errorf("%+v, %w", c, err)
			}
			if _, err := r.server.Take(ctx, c.ID, c.Token, 1, post); err != nil {
				return err
			}
			_, err = r.server.Take(ctx, c.ID, c.Token, int64(len(post)+1), []Message{{Report: report("flooded")}})
			return err
		}()
		if posted <- err; err != nil {
			cancel() // nobody else answers
		}
	}()
	size, hosts, last := 0, 0, ""
	answer, err := r.server.Run(ctx, keyed("k"), func(e job.Event) {
		if hosts += len(e.Contacted); len(e.Contacted) == 0 {
			size, last = size+len(e.Message), e.Message
		}
	})
	if err := errors.Join(err, <-posted); err != nil || answer.Tool != "flooded" {
		t.Fatalf("%+v, %v", answer, err)
	}
	if size == 0 || size > maxWaiting || last != "last" || hosts != 1 {
		t.Errorf("%d KiB of events are kept, the last is %.10q, %d hosts", size>>10, last, hosts)
	}
}
