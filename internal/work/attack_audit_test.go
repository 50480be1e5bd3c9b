package work

import (
	"context"
	"fmt"
	"slices"
	"strings"
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
