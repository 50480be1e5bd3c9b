package work

import (
	"strings"
	"sync"
	"testing"

	"github.com/odfix/odfix/internal/job"
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

// TestAttackBothProofs: a worker does not get the proof of a job that it has done, also under another
// name, while a worker with another credential is connected. One that is alone gets it.
func TestAttackBothProofs(t *testing.T) {
	r := serving(t, storetest.SQLite(t), ServerOptions{})
	other, err := NewClient(r.http.URL, func() (string, error) { return "older", nil })
	if err != nil {
		t.Fatal(err)
	}
	var ends sync.WaitGroup
	queue := func(key string) {
		t.Helper()
		created := r.server.offer.heard()
		j := job.Job{Dir: ".", Key: key, Source: job.Source{Repository: 1, Owner: "owner", Name: "name", SHA: "abc"}}
		ends.Go(func() {
			if _, err := r.server.Run(t.Context(), j, nil); err != nil {
				t.Error(err)
			}
		})
		<-created
	}
	ask := func(c *Client, name string, want bool) {
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
	queue("fix/one/abc")
	ask(r.client, "a", true)
	queue("verify/one/abc")
	ask(r.client, "a", true) // there is no other worker
	queue("fix/two/abc")
	ask(r.client, "a", true)
	ask(other, "b", false)
	queue("verify/two/abc")
	ask(r.client, "a", false)
	ask(r.client, "b", false)
	ask(other, "b", true)
	queue("fix/three/abc")
	ask(r.client, "a", true)
	queue("verify/four/abc") // of a job whose worker is not known any more
	ask(r.client, "a", true)
	ends.Wait()
}
