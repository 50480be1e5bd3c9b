package work

import (
	"context"
	"strings"
	"testing"
	"time"

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

// TestAttackManyEvents: they cost neither the report nor the list of hosts, and the server gets few.
func TestAttackManyEvents(t *testing.T) {
	r := serving(t, storetest.SQLite(t), ServerOptions{Silence: 1500 * time.Millisecond})
	r.work(flooding{})
	size, hosts := 0, 0
	answer, err := r.server.Run(t.Context(), keyed("k"), func(e job.Event) {
		size, hosts = size+len(e.Message), hosts+len(e.Contacted)
	})
	if err != nil || answer.Tool != "flooded" || hosts != 1 || size > 2*maxWaiting {
		t.Errorf("%+v, %v, %d hosts, %d bytes", answer, err, hosts, size)
	}
}
