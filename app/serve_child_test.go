package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/investigate"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/pause"
	"github.com/odfix/odfix/internal/store/storetest"
)

// childMark makes the test binary run as odfix.
const childMark = "ODFIX_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(busyMark) != "" {
		beBusy()
	}
	if file := os.Getenv(signerMark); file != "" && slices.Contains(os.Args, "--key") {
		beSigner(file)
	}
	if os.Getenv(childMark) == "" {
		storetest.Main(m)
		return
	}
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, release)
	stdin := io.Reader(strings.NewReader(""))
	if os.Args[1] == "worker" { // it ends with its input by itself
		stdin = os.Stdin
	} else {
		go endWithInput()
	}
	os.Exit(run(ctx, os.Args[1:], world{stdin: stdin, stdout: os.Stdout, stderr: os.Stderr,
		getenv: os.Getenv, now: time.Now,
		pace: childPace(), budget: childBudget(), child: []string{childMark + "=1"}, runner: childRunner}))
}

// childRunner is the child's dispatcher.
func childRunner(log io.Writer) dispatch.Dispatcher {
	if os.Getenv(cannedMark) != "" {
		return canned{}
	}
	return &dispatch.Local{Log: log}
}

// cannedMark makes a worker answer jobs with a recorded report, and a server use more of GitHub's limits and
// wait for less, since time is compressed. Its value is the time between two sweeps.
const cannedMark = "ODFIX_TEST_CANNED"

func childBudget() github.Budget {
	if os.Getenv(cannedMark) == "" {
		return github.Budget{}
	}
	d := github.DefaultBudget
	return github.Budget{PointsPerMinute: 1000 * d.PointsPerMinute, ContentPerMinute: 1000 * d.ContentPerMinute,
		ContentPerHour: 1000 * d.ContentPerHour}
}

// canned answers after a moment, as a runner would after minutes.
type canned struct{}

// Run implements dispatch.Dispatcher.
func (canned) Run(ctx context.Context, j job.Job, on func(job.Event)) (*job.Report, error) {
	on(job.Event{Phase: job.PhaseDiagnose, Done: 1, Total: 2, Message: "asking"})
	if !pause.For(ctx, 100*time.Millisecond) {
		return nil, &job.Error{Code: dispatch.CodeStopped, Message: "stopped"}
	}
	if j.Kind == job.KindVerify {
		return investigatetest.Echo(j), nil
	}
	return investigatetest.Recorded("demo.report.json"), nil
}

// endWithInput ends the child with its parent, which holds the other end of this pipe.
func endWithInput() {
	io.Copy(io.Discard, os.Stdin)
	os.Exit(3)
}

// paceMark makes the child use a pace without waits that are longer than a test's limit. Its value may
// be the time after which a silent process counts as dead.
const paceMark = "ODFIX_TEST_PACE"

func childPace() investigate.Pace {
	mark := os.Getenv(paceMark)
	if mark == "" {
		return investigate.Pace{}
	}
	if sweep, err := time.ParseDuration(os.Getenv(cannedMark)); err == nil { // a day in minutes
		return investigate.Pace{
			Gather: 5 * time.Second, Look: 200 * time.Millisecond, Beat: time.Second, Silence: 30 * time.Second, Progress: time.Second,
			Patience: time.Minute, Reap: 2 * time.Second, Stall: 30 * time.Second, Sweep: sweep, Redeliver: sweep / 4,
		}
	}
	silence, err := time.ParseDuration(mark)
	if err != nil {
		silence = 5 * time.Second
	}
	return investigate.Pace{
		Look: 100 * time.Millisecond, Beat: 200 * time.Millisecond, Silence: silence, Progress: time.Second,
		Patience: 5 * time.Second,
		Reap:     time.Second, Stall: 8 * time.Second,
	}
}

const childSecret = investigatetest.Secret

// served is an `odfix serve` in a separate process.
type served struct {
	t    testing.TB
	cmd  *exec.Cmd
	stop io.Closer
	url  string // of the webhooks
	ops  string
	work string        // for workers, if there is such an address
	log  *bytes.Buffer // after it has ended
	gone chan struct{}
	code error
}

// serveChild starts a served on free ports and waits until it serves.
func serveChild(t testing.TB, database string, flags ...string) *served {
	t.Helper()
	c := &served{t: t, gone: make(chan struct{}), log: &bytes.Buffer{}}
	args := append([]string{"serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0", "--database-url", database}, flags...)
	c.cmd = exec.Command(os.Args[0], args...)
	c.cmd.Env = append(os.Environ(), childMark+"=1", "ODFIX_WEBHOOK_SECRET="+childSecret)
	var err error
	if c.stop, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.kill() })
	serving := make(chan [2]string, 1)
	go func() {
		defer close(c.gone)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var entry struct{ Msg, Listen, Ops, Work string }
			c.log.Write(append(lines.Bytes(), '\n'))
			if json.Unmarshal(lines.Bytes(), &entry) != nil {
				continue
			}
			switch entry.Msg {
			case "workers can come":
				c.work = "http://" + entry.Work
			case "serving":
				serving <- [2]string{entry.Listen, entry.Ops}
			}
		}
		c.code = c.cmd.Wait()
	}()
	select {
	case at := <-serving:
		c.url, c.ops = "http://"+at[0], "http://"+at[1]
	case <-c.gone:
		t.Fatalf("it ended: %v\n%s", c.code, c.log)
	case <-time.After(quickLife):
		t.Fatal("it does not serve")
	}
	return c
}

// kill ends the process without a chance to clean up, and waits until it has ended.
func (c *served) kill() {
	c.cmd.Process.Kill() // it may have ended
	<-c.gone
}

// terminate asks the process to end, and returns its result.
func (c *served) terminate() error {
	c.t.Helper()
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		c.t.Fatal(err)
	}
	select {
	case <-c.gone:
	case <-time.After(quickLife):
		c.t.Fatal("it does not end")
	}
	return c.code
}

// delivery returns a signed webhook request about one of many commits.
func (c *served) delivery(ctx context.Context, guid string, body []byte) (*http.Request, error) {
	m := hmac.New(sha256.New, []byte(childSecret))
	m.Write(body)
	r, err := http.NewRequestWithContext(ctx, "POST", c.url+"/webhook", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-GitHub-Event", "workflow_job")
	r.Header.Set("X-GitHub-Delivery", guid)
	r.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(m.Sum(nil)))
	return r, nil
}

// send sends a delivery and returns the status.
func (c *served) send(ctx context.Context, client *http.Client, guid string, body []byte) (int, error) {
	r, err := c.delivery(ctx, guid, body)
	if err != nil {
		return 0, err
	}
	a, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	defer a.Body.Close()
	_, err = io.Copy(io.Discard, a.Body)
	return a.StatusCode, err
}

// jobBody returns a failed workflow job of about the size of GitHub's.
func jobBody(n int) []byte {
	steps := strings.Repeat(`{"name":"Run something or other","status":"completed","conclusion":"success","number":1,"started_at":"2026-01-01T00:00:00Z","completed_at":"2026-01-01T00:00:01Z"},`, 12)
	repository := strings.Repeat(`"some_url":"https://api.example.com/repos/acme/shop/things{/thing}",`, 60)
	return fmt.Appendf(nil, `{"action":"completed","workflow_job":{"id":%d,"run_id":1,"run_attempt":1,"name":"test","workflow_name":"CI","head_sha":"%040x","head_branch":"x","conclusion":"failure","html_url":"https://example.com","steps":[%s{}]},"repository":{"id":1,%s"full_name":"acme/shop","default_branch":"main"},"installation":{"id":9},"sender":{"login":"ann","type":"User"}}`,
		n+1, n, steps, repository)
}

func get(t testing.TB, url string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return a.StatusCode, string(text)
}
