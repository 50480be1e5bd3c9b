//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/store/storetest"
)

// countingRunner answers with the recorded report after a moment, and writes a line for each start.
func countingRunner(t *testing.T) (runner, starts string) {
	t.Helper()
	dir := t.TempDir()
	report, err := job.ParseReport(investigatetest.Recording(t, "demo.report.json"))
	var text []byte
	if err == nil {
		text, err = json.Marshal(map[string]any{"report": report})
	}
	answer := filepath.Join(dir, "answer")
	if err == nil {
		err = os.WriteFile(answer, append(text, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	runner, starts = filepath.Join(dir, "odfix-runner"), filepath.Join(dir, "starts")
	script := fmt.Sprintf("#!/bin/sh\nread -r line\necho x >> '%s'\nsleep 1\ncat '%s'\n", starts, answer)
	if err := os.WriteFile(runner, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return runner, starts
}

// TestReplicasOfServe checks that two `odfix serve` with one PostgreSQL share the red builds. If
// one is killed while it works, the other takes over. Each build gets one check and one comment,
// with no more runners than the kill requires.
func TestReplicasOfServe(t *testing.T) {
	if testing.Short() {
		t.Skip("replicas wait for the silence of a killed one")
	}
	const all, each = 6, 2 // pull requests, runners of a replica
	const needed = 2 * all // one finds the patch, another one proves it again
	h := &hub{Hub: investigatetest.New(t, githubtest.Config{}), t: t}
	runner, starts := countingRunner(t)
	t.Setenv(dispatch.RunnerEnv, runner)
	t.Setenv(paceMark, "30s") // also on a busy machine
	key := filepath.Join(t.TempDir(), "key.pem")
	h.Must(os.WriteFile(key, h.App.PEM(), 0o600))
	place := storetest.Postgres(t)
	var children []*served
	for range 2 {
		children = append(children, serveChild(t, place, "--app-id", strconv.FormatInt(h.App.ID, 10),
			"--private-key-file", key, "--github-api", h.URL,
			"--isolation", "none", "--runners", strconv.Itoa(each), "--work-dir", t.TempDir(), "--log-level", "info"))
	}
	h.App.SetWebhookURL(children[1].url + "/webhook")
	h.App.Release(nil)
	polluter, err := os.ReadFile(filepath.Join("..", "examples", "demo", investigatetest.PolluterFile))
	h.Must(err)
	var pulls []*githubtest.PullRequest
	for n := range all {
		p, err := h.Repo.OpenPullRequest(h.Ctx, githubtest.PullSpec{Author: h.Dev, Title: "Import tests", Branch: fmt.Sprint("import-", n),
			Change: githubtest.Change{Files: map[string]string{investigatetest.PolluterFile: string(polluter),
				"NOTES.md": fmt.Sprint("import ", n)}}})
		h.Must(err)
		h.red(p, "demo.log")
		pulls = append(pulls, p)
	}
	begun := func() int {
		text, _ := os.ReadFile(starts) // the file does not exist before the first start
		return bytes.Count(text, []byte("\n"))
	}
	h.Must(h.Drain(h.Ctx))
	h.until("the first runner", func() bool { return begun() > 0 })
	children[0].kill()
	h.until("every answer", func() bool {
		for _, p := range pulls {
			if s := h.Posted(p); len(s.Checks) != 1 || s.Checks[0].GetStatus() != "completed" {
				return false
			}
		}
		return true
	})
	for _, p := range pulls {
		if s := h.Posted(p); len(s.Checks) != 1 || len(s.Causes()) != 1 || s.Reviews != 1 || s.Checks[0].GetConclusion() != "neutral" {
			t.Errorf("#%d: %d checks, %d comments, %d reviews", p.Number, len(s.Checks), len(s.Causes()), s.Reviews)
		}
	}
	if n := begun(); n < needed || n > needed+each {
		t.Errorf("%d runners where %d are needed and a killed process had %d at most", n, needed, each)
	}
	h.Must(children[1].terminate())
}

// until polls until the condition holds.
func (h *hub) until(what string, is func() bool) {
	h.t.Helper()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-h.Ctx.Done():
			h.t.Fatal("it does not come to " + what)
		}
	}
}
