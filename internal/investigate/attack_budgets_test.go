package investigate

import (
	"testing"
	"time"

	"github.com/odfix/odfix/internal/githubtest"
)

// TestAttackLongBudgets: a repository asks for the longest jobs, which would keep runners from others. The
// operator's limit holds.
func TestAttackLongBudgets(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	h.s.o.MostJobMinutes = 25
	h.Configure("budgets: {job-minutes: 360, proof-minutes: 360}\n")
	p := h.Pull(nil)
	h.red(p, "demo.log")
	i := h.settled(p, 1)[0]
	jobs := h.asked()
	if len(jobs) == 0 || jobs[0].Budget != 25*time.Minute {
		t.Errorf("%d jobs, the first with %v", len(jobs), jobs)
	}
	if alive := i.Deadline.Sub(i.Created); alive > 2*50*time.Minute+time.Hour {
		t.Errorf("it may last for %v", alive)
	}
}
