package work

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/store/storetest"
)

// contacting is a dispatcher that reports lists of hosts again and again.
type contacting struct{}

func (contacting) Run(_ context.Context, _ job.Job, on func(job.Event)) (*job.Report, error) {
	for n := range 50 {
		on(job.Event{Phase: job.PhaseBuild, Contacted: []job.Contact{{Host: fmt.Sprintf("h%d.example:443", n), Times: n}}})
	}
	return report("done"), nil
}

// TestAttackAuditOfJobs: the audit log says which commit ran where, and which hosts it asked for. A
// worker that sends very many lists does not make the log grow without end.
func TestAttackAuditOfJobs(t *testing.T) {
	storetest.Each(t, func(t *testing.T, place string) {
		r := serving(t, place, ServerOptions{})
		r.work(contacting{})
		j := keyed("fix/abc/def")
		j.Source = job.Source{Repository: 4, Owner: "acme", Name: "shop", SHA: "abc"}
		if _, err := r.server.Run(t.Context(), j, func(job.Event) {}); err != nil {
			t.Fatal(err)
		}
		var events []store.AuditEvent
		var hosts []string
		err := store.ReadAudit(t.Context(), place, store.AuditQuery{Installation: 7, Repository: 4}, func(a store.Audit) error {
			if a.FullName != "acme/shop" || a.Commit != "abc" || !strings.HasSuffix(a.Worker, `"w"`) || a.Task != "fix/abc/def" || a.Job != "fix" || a.Attempt != 1 || a.JDK != 21 {
				t.Errorf("%+v", a)
			}
			if a.Event != store.AuditContacted {
				events = append(events, a.Event)
			}
			for _, h := range a.Hosts {
				hosts = append(hosts, h.Host)
			}
			return nil
		})
		if err != nil || !slices.Equal(events, []store.AuditEvent{store.AuditStarted, store.AuditEnded}) {
			t.Errorf("%v, %v", events, err)
		}
		if len(hosts) == 0 || len(hosts) > mostContacts {
			t.Errorf("%d lists of hosts: %v", len(hosts), hosts)
		}
	})
}

// TestAttackListsInOnePost: of the lists of hosts in one post, the last one is recorded, and what is
// recorded of the job is read from a short text.
func TestAttackListsInOnePost(t *testing.T) {
	place := storetest.SQLite(t)
	r := serving(t, place, ServerOptions{})
	long := keyed("fix/abc/def")
	long.Order = &job.ObservedOrder{Tests: slices.Repeat([]string{strings.Repeat("x", 1000)}, 1000)}
	long.Source = job.Source{Repository: 4, Owner: "acme", Name: "shop", SHA: "abc"}
	var posted sync.WaitGroup
	posted.Go(func() {
		c, err := r.client.Claim(t.Context(), Request{Worker: "w", Slots: 1, Wait: 20})
		if err != nil || c == nil {
			t.Error(c, err)
			return
		}
		if c.Job.Order == nil || len(c.Job.Order.Tests) != 1000 {
			t.Error("the worker gets no order")
		}
		held, err := store.Read(t.Context(), r.store, func(tx *store.Tx) (store.Task, error) { return tx.HeldTask(c.ID, c.Token) })
		if err != nil || len(held.About) > 1000 {
			t.Errorf("what the server reads of the job has %d bytes, %v", len(held.About), err)
		}
		var post []Message
		for n := range 100 {
			post = append(post, Message{Contacted: []job.Contact{{Host: fmt.Sprintf("h%d.example:443", n), Times: 1}}})
		}
		_, terr := r.server.Take(t.Context(), c.ID, c.Token, 1, post)
		_, rerr := r.server.Take(t.Context(), c.ID, c.Token, 101, []Message{{Report: report("done")}})
		if err := errors.Join(terr, rerr); err != nil {
			t.Error(err)
		}
	})
	if _, err := r.server.Run(t.Context(), long, func(job.Event) {}); err != nil {
		t.Error(err)
	}
	posted.Wait()
	var hosts []string
	err := store.ReadAudit(t.Context(), place, store.AuditQuery{Installation: 7, Repository: 4}, func(a store.Audit) error {
		for _, h := range a.Hosts {
			hosts = append(hosts, a.Commit+" "+h.Host)
		}
		return nil
	})
	if err != nil || !slices.Equal(hosts, []string{"abc h99.example:443"}) {
		t.Errorf("recorded %q, %v", hosts, err)
	}
}
