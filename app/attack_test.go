package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/investigate"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/suite"
)

// TestForgedSeries checks that verdicts and phases of a forged report create no metrics.
func TestForgedSeries(t *testing.T) {
	m := newMetrics()
	m.registry.Unregister(stored{nil})
	series := func() (n int) {
		families, err := m.registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range families {
			if name := f.GetName(); name == "odfix_verdicts_total" || name == "odfix_phase_seconds" {
				n += len(f.GetMetric())
			}
		}
		return n
	}
	e := investigate.Ended{State: store.Done, Took: time.Second, Verdicts: []string{string(suite.Victim)},
		Seconds: map[string]float64{job.PhaseProve: 1, "before": 1, "after": 1}}
	m.investigation(e)
	honest := series()
	for i := range 1000 {
		e.Verdicts = append(e.Verdicts, fmt.Sprint("EV1L", i))
		e.Seconds[fmt.Sprint("EV1L", i)] = 1
	}
	m.investigation(e)
	if n := series(); n != honest || honest != 4 {
		t.Errorf("%d series became %d", honest, n)
	}
}
