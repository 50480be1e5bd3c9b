package investigate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
)

// redUnderWay starts a run of two jobs, one of which is red. The other one is under way.
func (h *hub) redUnderWay(p *githubtest.PullRequest, log []byte) *githubtest.Run {
	h.t.Helper()
	run, err := h.Repo.StartRun(h.Ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"test (17)", "deploy"}})
	h.Must(err)
	run.Job("test (17)").Complete(h.Ctx, "failure", log)
	return run
}

// requests counts the requests with this in their path.
func (h *hub) requests(part string) (n int) {
	for _, r := range h.Requests() {
		if strings.Contains(r.Path, part) {
			n++
		}
	}
	return n
}

// TestCheckDuringTheRun: the check is queued while other jobs of the run are under way. The runner
// waits for them.
func TestCheckDuringTheRun(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	p := h.Pull(nil)
	run := h.redUnderWay(p, investigatetest.Recording(t, "demo.log"))
	h.Must(h.Drain(h.Ctx))
	for len(h.Posted(p).Checks) == 0 && h.step() {
	}
	s := h.Posted(p)
	if n := h.requests("/actions/runs?"); len(s.Checks) != 1 || s.Checks[0].GetStatus() != "queued" || n != 1 || len(h.asked()) > 0 {
		t.Fatalf("%d checks, %d jobs, after odfix has looked at the runs %d times", len(s.Checks), len(h.asked()), n)
	}
	wantIn(t, s.Checks[0].GetOutput().GetSummary(), "ReceiptTest")
	run.Complete(h.Ctx, "failure")
	h.settled(p, 1)
	if s := h.Posted(p); len(s.Checks) != 1 || s.Checks[0].GetConclusion() != "neutral" || len(s.Causes()) != 1 || len(h.asked()) != 1 {
		t.Errorf("at the end: %d checks, %d comments, %d jobs", len(s.Checks), len(s.Causes()), len(h.asked()))
	}
}

// TestCheckDuringTheRunCounts: the check that is queued early does not use up the day's
// investigations for its own one.
func TestCheckDuringTheRunCounts(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	h.Configure("budgets: {investigations-per-day: 1}\n")
	p := h.Pull(nil)
	h.redUnderWay(p, investigatetest.Recording(t, "demo.log"))
	h.settled(p, 1)
	if s := h.Posted(p); len(s.Causes()) != 1 || len(h.asked()) != 1 {
		t.Errorf("%d comments, %d jobs", len(s.Causes()), len(h.asked()))
	}
}

// TestForeignToolDuringTheRun: tests that odfix cannot run wait for those of the run's other jobs.
func TestForeignToolDuringTheRun(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	p := h.Pull(nil)
	text, err := os.ReadFile(filepath.Join("..", "ci", "testdata", "logs", "gradle-8-default.log"))
	h.Must(err)
	run := h.redUnderWay(p, text)
	h.Must(h.Drain(h.Ctx))
	for h.requests("/logs") == 0 && h.step() {
	}
	run.Job("deploy").Complete(h.Ctx, "failure", investigatetest.Recording(t, "demo.log"))
	run.Complete(h.Ctx, "failure")
	list := h.settled(p, 1)
	if s := h.Posted(p); len(list) != 1 || len(s.Checks) != 1 || len(s.Causes()) != 1 || len(h.asked()) != 1 {
		t.Errorf("%d investigations, %d checks, %d comments, %d jobs", len(list), len(s.Checks), len(s.Causes()), len(h.asked()))
	}
}

// TestDeliveriesAtOnce: while one job reads the logs, other deliveries about the same push start no
// other.
func TestDeliveriesAtOnce(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	h.red(h.Pull(nil), "demo.log") // two jobs and their run
	h.Must(h.Drain(h.Ctx))
	now, later := 0, 0
	for now+later < 3 && h.step() {
		h.Must(h.queue.QueryRowContext(h.Ctx, `SELECT count(*) FILTER (WHERE state = 'available'), count(*) FILTER (WHERE state = 'scheduled')
FROM river_job WHERE kind = 'collect'`).Scan(&now, &later))
	}
	if now != 1 || later != 2 {
		t.Errorf("%d jobs that read logs now, %d later", now, later)
	}
}

// TestOneWaits: of the jobs about several red jobs of a run one waits for the run's end, whether
// the red jobs have failing tests or not, and also if its process is killed meanwhile. The end of
// the run ends the wait.
func TestOneWaits(t *testing.T) {
	for name, c := range map[string]struct {
		log    string
		checks int
	}{"a test": {string(investigatetest.Recording(t, "demo.log")), 1}, "no test": {"2026-05-04T03:02:01.0000001Z line too long\n", 0}} {
		t.Run(name, func(t *testing.T) {
			h := newHub(t, githubtest.Config{}, "demo.report.json")
			p := h.Pull(nil)
			run, err := h.Repo.StartRun(h.Ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"test (17)", "test (21)", "test (25)", "deploy"}})
			h.Must(err)
			for _, j := range []string{"test (17)", "test (21)", "test (25)"} {
				run.Job(j).Complete(h.Ctx, "failure", []byte(c.log))
			}
			waiting := func() (n int) {
				h.Must(h.queue.QueryRowContext(h.Ctx, `SELECT count(*) FROM river_job WHERE kind = 'collect' AND state = 'available'`).Scan(&n))
				return n
			}
			h.Must(h.Drain(h.Ctx))
			for range 30 { // each job several times, as if it were killed and repeated
				_, err := h.queue.ExecContext(h.Ctx, `UPDATE river_job SET state = 'available', scheduled_at = datetime('now', 'subsec')
WHERE state = 'scheduled'`)
				h.Must(err)
				h.step()
				h.mu.Lock()
				h.later = 0
				h.mu.Unlock()
			}
			if s := h.Posted(p); waiting() != 1 || len(s.Checks) != c.checks || len(h.asked()) > 0 {
				t.Fatalf("%d wait, %d checks, %d jobs", waiting(), len(s.Checks), len(h.asked()))
			}
			run.Job("deploy").Complete(h.Ctx, "success", nil)
			run.Complete(h.Ctx, "failure")
			h.settled(p, 1)
			if s := h.Posted(p); len(s.Checks) != c.checks || len(s.Causes()) != c.checks || len(h.asked()) != c.checks {
				t.Errorf("at the end: %d checks, %d comments, %d jobs", len(s.Checks), len(s.Causes()), len(h.asked()))
			}
		})
	}
}

// TestReadOnce: once the check is queued, logs are read one time more, when the run or the wait
// ends. A run without failing tests, all of whose red jobs were read, costs nothing more when it
// ends.
func TestReadOnce(t *testing.T) {
	for name, log := range map[string]string{"a test": string(investigatetest.Recording(t, "demo.log")),
		"no test": "2026-05-04T03:02:01.0000001Z src/A.java:3: line too long\n"} {
		t.Run(name, func(t *testing.T) {
			h := newHub(t, githubtest.Config{}, "demo.report.json")
			p := h.Pull(nil)
			run := h.redUnderWay(p, []byte(log))
			h.settled(p, 1)
			run.Job("deploy").Complete(h.Ctx, "success", nil)
			run.Complete(h.Ctx, "failure")
			h.settled(p, 1)
			if logs, lists := h.requests("/logs"), h.requests("/actions/runs?"); logs != 2 || lists != 3 {
				t.Errorf("%d logs, %d lists of runs", logs, lists)
			}
		})
	}
}
