//go:build unix

package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/store/storetest"
)

const workersCredential = "a-credential-of-workers-for-tests"

// workerChild starts an `odfix worker` in a separate process.
func workerChild(t *testing.T, server string, flags ...string) (kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"worker", "--server", server, "--stop-with-input", "--work-dir", t.TempDir()}, flags...)...)
	cmd.Env = append(os.Environ(), childMark+"=1", workerToken+"="+workersCredential)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if _, err := cmd.StdinPipe(); err != nil { // it closes with this process
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	killed := false
	kill = func() {
		if !killed {
			killed = true
			cmd.Process.Kill()
			cmd.Wait()
			t.Logf("a worker's log:\n%s", &log)
		}
	}
	t.Cleanup(kill)
	return kill
}

// waitingRunner is a countingRunner that waits for a file before it answers.
func waitingRunner(t *testing.T) (runner, starts, answer string) {
	t.Helper()
	runner, starts = countingRunner(t)
	text, err := os.ReadFile(runner)
	if err != nil {
		t.Fatal(err)
	}
	answer = filepath.Join(t.TempDir(), "now")
	waits := strings.Replace(string(text), "sleep 1", fmt.Sprintf("while [ ! -e '%s' ]; do sleep 0.1; echo '{\"alive\":true}'; done", answer), 1)
	if err := os.WriteFile(runner, []byte(waits), 0o755); err != nil {
		t.Fatal(err)
	}
	return runner, starts, answer
}

// TestServerAndWorkersApart: a server without a worker of its own, and workers in other processes.
// The server is killed while a job runs, and the next one adopts the job. A worker is killed while
// a job runs, and the next one gets it.
func TestServerAndWorkersApart(t *testing.T) {
	h := &hub{Hub: investigatetest.New(t, githubtest.Config{}), t: t}
	runner, starts, now := waitingRunner(t)
	t.Setenv(dispatch.RunnerEnv, runner)
	t.Setenv(paceMark, "30s") // also on a busy machine
	t.Setenv(workerToken, workersCredential+"\nanother-one-during-a-change")
	key := filepath.Join(t.TempDir(), "key.pem")
	h.Must(os.WriteFile(key, h.App.PEM(), 0o600))
	place, address := storetest.SQLite(t), freeAddress(t)
	start := func() *served {
		c := serveChild(t, place, "--app-id", strconv.FormatInt(h.App.ID, 10), "--private-key-file", key, "--github-api", h.URL,
			"--local-worker=false", "--work-listen", address, "--work-dir", t.TempDir(), "--runners", "2")
		h.App.SetWebhookURL(c.url + "/webhook")
		return c
	}
	begun := func() int {
		text, _ := os.ReadFile(starts) // the file does not exist before the first start
		return bytes.Count(text, []byte("\n"))
	}
	answered := func(p *githubtest.PullRequest) func() bool {
		return func() bool {
			s := h.Posted(p)
			return len(s.Checks) == 1 && s.Checks[0].GetStatus() == "completed"
		}
	}
	server := start()
	h.App.Release(nil)
	killWorker := workerChild(t, "http://"+address, "--isolation", "none")

	first := h.Pull(nil)
	h.red(first, "demo.log")
	h.Must(h.Drain(h.Ctx))
	h.until("the first runner", func() bool { return begun() == 1 })
	server.kill()
	server = start()
	h.Must(os.WriteFile(now, nil, 0o600))
	h.until("the answer", answered(first))
	if n := begun(); n != 2 { // one finds the patch, another one proves it again
		t.Errorf("%d runners: a job ran twice", n)
	}
	h.Must(os.Remove(now))

	polluter, err := os.ReadFile(filepath.Join("..", "examples", "demo", investigatetest.PolluterFile))
	h.Must(err)
	second, err := h.Repo.OpenPullRequest(h.Ctx, githubtest.PullSpec{Author: h.Dev, Title: "Import tests", Branch: "import-again",
		Change: githubtest.Change{Files: map[string]string{investigatetest.PolluterFile: string(polluter), "NOTES.md": "again"}}})
	h.Must(err)
	h.red(second, "demo.log")
	h.Must(h.Drain(h.Ctx))
	h.until("the second runner", func() bool { return begun() == 3 })
	killWorker()
	workerChild(t, "http://"+address, "--isolation", "none")
	h.until("another worker", func() bool { return begun() == 4 })
	h.Must(os.WriteFile(now, nil, 0o600))
	h.until("the answer", answered(second))
	if n := begun(); n != 5 {
		t.Errorf("%d runners, want 5", n)
	}
	for _, p := range []*githubtest.PullRequest{first, second} {
		if s := h.Posted(p); len(s.Causes()) != 1 || s.Reviews != 1 || s.Checks[0].GetConclusion() != "neutral" {
			t.Errorf("#%d: %d comments, %d reviews, %s", p.Number, len(s.Causes()), s.Reviews, s.Checks[0].GetConclusion())
		}
	}
	h.Must(server.terminate())
}

// freeAddress is an address that nobody listens on.
func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
