package investigate

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
)

// TestRequests bounds the requests to GitHub of one red build of a repository that odfix does not know yet.
// Each step looks whether the pull request still has its head (5). Besides, there are
//   - for tokens: contents, reading builds, writing checks, writing comments; the organisation's .github (5),
//   - the configuration in four places (4),
//   - the run, its jobs, the two red jobs' logs, the artifacts (5),
//   - the check: looking for an earlier one, creating it, two updates, its address, its end (6),
//   - which commit CI tested (1), its sources, for two runners and for the server (4), the change (1),
//   - for the comment: the diff, the file at two commits, the App's name, earlier comments of two kinds, and
//     the comment (7).
//
// If another job of the run is still under way, the build is read a second time (5).
func TestRequests(t *testing.T) {
	for name, c := range map[string]struct {
		underWay bool
		most     int
	}{
		"all at once":            {false, 38},
		"a job is under way yet": {true, 43},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHubWith(t, func(h *hub) {
				h.adjust = func(o *Options) { o.Pace = Pace{Beat: o.Pace.Beat} }
				h.runner.During = func(context.Context) error { h.advance(8 * time.Minute); return nil }
			})
			p := h.Pull(nil)
			merge, before := h.mergeOf(p), len(h.Requests())
			h.redBuild(p, merge, c.underWay)
			h.settled(p, 1)
			if s := h.Posted(p); len(s.Causes()) != 1 || s.Checks[0].GetConclusion() != "neutral" {
				t.Fatalf("%d comments", len(s.Causes()))
			}
			count := map[string]int{}
			for _, r := range h.Requests()[before:] {
				count[r.Operation]++
			}
			all, lines := 0, []string(nil)
			for _, name := range slices.Sorted(maps.Keys(count)) {
				all += count[name]
				lines = append(lines, fmt.Sprintf("%d %s", count[name], name))
			}
			if all > c.most {
				t.Errorf("%d requests:\n%s", all, strings.Join(lines, "\n"))
			}
		})
	}
}

// mergeOf is the merge that GitHub has made for CI.
func (h *hub) mergeOf(p *githubtest.PullRequest) string {
	h.t.Helper()
	now, _, err := h.Client(h.App, h.Inst).PullRequests.Get(h.Ctx, "acme", "shop", p.Number)
	h.Must(err)
	return now.GetMergeCommitSHA()
}

// redBuild lets a build fail whose log names the merge. Its second job is red, too,
// perhaps only after the check is queued.
func (h *hub) redBuild(p *githubtest.PullRequest, merge string, underWay bool) {
	h.t.Helper()
	log := "2026-05-04T03:02:01.0000001Z [command]/usr/bin/git fetch origin +" + merge +
		":refs/remotes/pull/1/merge\n" + string(investigatetest.Recording(h.t, "demo.log"))
	run := h.redUnderWay(p, []byte(log))
	for underWay && len(h.Posted(p).Checks) == 0 && h.step() {
		h.Must(h.Drain(h.Ctx))
	}
	run.Job("deploy").Complete(h.Ctx, "failure", []byte("2026-05-04T03:02:01.0000001Z no such host\n"))
	run.Complete(h.Ctx, "failure")
}
