package work

import (
	"bytes"
	"context"
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
