package work

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/store/storetest"
)

// TestApart: a worker cannot pass for another one by its name, if it has a credential of its own.
func TestApart(t *testing.T) {
	a, b, lies := identity("first", "a"), identity("first", "b"), identity("first", "c")
	c := identity("second", "c")
	for _, x := range []struct {
		worker    string
		connected []string
		want      string
	}{
		{a, nil, ""}, {a, []string{a}, ""},
		{a, []string{a, b}, a},
		{a, []string{a, b, c}, mark(a)},
		{lies, []string{lies, c}, mark(a)},
		{c, []string{a, c}, mark(c)},
	} {
		if got := apart(x.worker, x.connected); got != x.want {
			t.Errorf("%q with %q: %q, want %q", x.worker, x.connected, got, x.want)
		}
	}
	if strings.HasPrefix(identity("first", "ab"), a) {
		t.Error("one identity begins with another one")
	}
	if mark(a) == mark(c) || mark(a) != mark(b) || len(mark(a)) != sizeOfMark {
		t.Errorf("marks %q, %q, %q", mark(a), mark(b), mark(c))
	}
}

// queue has a job run. The context of the test ends it.
func (r *remote) queue(ends *sync.WaitGroup, key string) {
	r.t.Helper()
	created := r.server.offer.heard()
	j := job.Job{Dir: ".", Key: key, Source: job.Source{Repository: 1, Owner: "owner", Name: "name", SHA: "abc"}}
	ends.Go(func() {
		if _, err := r.server.Run(r.t.Context(), j, nil); err != nil {
			r.t.Error(err)
		}
	})
	<-created
}

// ask checks whether a worker gets a task, and does it.
func ask(t *testing.T, c *Client, name string, want bool) {
	t.Helper()
	claim, err := c.Claim(t.Context(), Request{Worker: name, Slots: 1})
	if err != nil || (claim != nil) != want {
		t.Fatalf("%s: %+v, %v", name, claim, err)
	}
	if claim != nil {
		if _, err := c.Task(*claim).Send(t.Context(), Message{Report: &job.Report{Version: job.Version, Tool: "x", Finished: true}}); err != nil {
			t.Fatal(err)
		}
	}
}

// older is a client with another credential.
func (r *remote) older() *Client {
	r.t.Helper()
	c, err := NewClient(r.http.URL, func() (string, error) { return "older", nil })
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

// TestAttackBothProofs: a worker does not get the proof of a job that it has done, also under another
// name, while a worker with another credential is connected. One that is alone gets it.
func TestAttackBothProofs(t *testing.T) {
	r := serving(t, storetest.SQLite(t), ServerOptions{})
	other := r.older()
	var ends sync.WaitGroup
	r.queue(&ends, "fix/one/abc")
	ask(t, r.client, "a", true)
	r.queue(&ends, "verify/one/abc")
	ask(t, r.client, "a", true) // there is no other worker
	r.queue(&ends, "fix/two/abc")
	ask(t, r.client, "a", true)
	ask(t, other, "b", false)
	r.queue(&ends, "verify/two/abc")
	ask(t, r.client, "a", false)
	ask(t, r.client, "b", false)
	ask(t, other, "b", true)
	r.queue(&ends, "fix/three/abc")
	ask(t, r.client, "a", true)
	r.queue(&ends, "verify/four/abc") // of a job whose worker is not known any more
	ask(t, r.client, "a", true)
	ends.Wait()
}

// TestAttackBothProofsAtReplicas: a worker that asks another server counts, too.
func TestAttackBothProofsAtReplicas(t *testing.T) {
	place := storetest.Postgres(t)
	first, second := serving(t, place, ServerOptions{}), serving(t, place, ServerOptions{})
	other := second.older()
	ask(t, other, "b", false)
	var ends sync.WaitGroup
	first.queue(&ends, "fix/one/abc")
	ask(t, first.client, "a", true)
	first.queue(&ends, "verify/one/abc")
	ask(t, first.client, "a", false)
	ask(t, other, "b", true)
	ends.Wait()
}

// TestAttackManyWorkers: whoever has a credential asks with very many names. A bounded number of them is
// recorded, and other credentials' workers are still known.
func TestAttackManyWorkers(t *testing.T) {
	r := serving(t, storetest.SQLite(t), ServerOptions{})
	for i := range store.MostWorkers + 20 {
		if err := r.server.asks(t.Context(), identity("stolen", strconv.Itoa(i))); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.server.asks(t.Context(), identity("another", "w")); err != nil {
		t.Fatal(err)
	}
	known, err := store.Read(t.Context(), r.server.o.Store, func(tx *store.Tx) ([]string, error) { return tx.Workers(time.Minute) })
	if err != nil || len(known) != store.MostWorkers+1 || !slices.Contains(known, identity("another", "w")) ||
		len(r.server.asked) != store.MostWorkers+1 {
		t.Errorf("%d workers in the database, %d in memory, %v", len(known), len(r.server.asked), err)
	}
}
