package sandbox

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// silent is an App that answers webhooks and does nothing else.
type silent struct {
	hooks    *httptest.Server
	mu       sync.Mutex
	received map[string]int
	idle     bool
}

func newSilent(t *testing.T) *silent {
	d := &silent{received: map[string]int{}, idle: true}
	d.hooks = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		d.received[r.Header.Get("X-GitHub-Event")]++
		d.mu.Unlock()
	}))
	t.Cleanup(d.hooks.Close)
	return d
}

func (d *silent) Webhook() string                    { return d.hooks.URL }
func (d *silent) Idle(context.Context) (bool, error) { return d.idle, nil }
func (d *silent) Close() error                       { return nil }

// fakeMaven replaces Maven with a script.
func fakeMaven(t *testing.T, script string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a shell script replaces Maven here")
	}
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "mvn"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}

const reported = "mkdir -p target/surefire-reports; echo '<testsuite/>' > target/surefire-reports/TEST-a.xml\n"

func opened(t *testing.T, sc Scenario, app *silent, budget time.Duration) *Sandbox {
	t.Helper()
	o := Options{Scenario: sc, Budget: budget,
		Permissions: map[string]string{"checks": "write", "actions": "read", "pull_requests": "write"},
		Events:      []string{"workflow_run", "workflow_job", "check_run", "pull_request"},
		Start: func(_ context.Context, spec Spec) (App, error) {
			if spec.ID == 0 || len(spec.Key) == 0 || spec.Secret == "" || spec.API == "" || spec.Watch == nil {
				t.Errorf("%+v", spec)
			}
			return app, nil
		}}
	s, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(s.Close(), s.Close()); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(s.dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left: %v", s.dir, err)
		}
	})
	return s
}

// TestUnansweredPullRequest checks that the App receives the result of red CI, and that the result
// differs from the expected one if the App does not answer.
func TestUnansweredPullRequest(t *testing.T) {
	fakeMaven(t, reported+"exit 1")
	app := newSilent(t)
	s := opened(t, victim, app, time.Hour)
	if err := s.Play(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := s.Result(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.AsExpected || len(r.Unexpected) != 2 || len(r.Checks) != 1 || len(r.Commits) != 1 {
		t.Errorf("%v %q, %d checks, %d commits", r.AsExpected, r.Unexpected, len(r.Checks), len(r.Commits))
	}
	for _, event := range []string{"pull_request", "workflow_run", "workflow_job", "check_run", "installation"} {
		if app.received[event] == 0 {
			t.Errorf("the App received no %s: %v", event, app.received)
		}
	}
	var names []string
	for _, p := range r.Phases {
		names = append(names, p.Name)
	}
	if got := strings.Join(names, " "); got != "open ci webhooks" {
		t.Errorf("phases %q", got)
	}
	var b strings.Builder
	if err := r.Show(&b, Style{}); err != nil || !strings.Contains(b.String(), "✗ test failure") ||
		!strings.Contains(b.String(), "odfix wrote no comment") {
		t.Errorf("%v\n%s", err, b.String())
	}
	if err := s.Accept(t.Context(), s.Pull, 1); err == nil || s.clock.now() != "settled" {
		t.Errorf("a comment that does not exist: %v", err)
	}
}

func TestProjectWithGreenCI(t *testing.T) {
	fakeMaven(t, reported)
	dir := t.TempDir()
	checkout(t, dir, map[string]string{"pom.xml": "<project/>"})
	if err := opened(t, Project(dir, ""), newSilent(t), time.Hour).Play(t.Context()); !errors.Is(err, ErrGreen) {
		t.Error(err)
	}
}

func TestBrokenBuild(t *testing.T) {
	fakeMaven(t, "echo '[ERROR] no compiler'; exit 1")
	err := opened(t, victim, newSilent(t), time.Hour).Play(t.Context())
	if err == nil || !strings.Contains(err.Error(), "before any test ran") || !strings.Contains(err.Error(), "no compiler") {
		t.Error(err)
	}
}

// TestNeverSettles checks that the budget ends the wait, with a clear error.
func TestNeverSettles(t *testing.T) {
	fakeMaven(t, reported+"exit 1")
	app := newSilent(t)
	app.idle = false
	err := opened(t, victim, app, 5*time.Second).Play(t.Context())
	if err == nil || err.Error() != "the pull request did not settle within 5s" {
		t.Error(err)
	}
}

// TestRerunUntilRed checks that CI of a flaky test runs again, on the same pull request.
func TestRerunUntilRed(t *testing.T) {
	fakeMaven(t, reported+"n=$(cat n 2>/dev/null || echo 0); echo $((n+1)) > n; [ $n -lt 2 ]")
	sc, err := Find("flaky")
	if err != nil {
		t.Fatal(err)
	}
	s := opened(t, sc, newSilent(t), time.Hour)
	if err := s.Play(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := s.Result(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range r.Checks {
		got = append(got, c["conclusion"].(string))
	}
	if strings.Join(got, " ") != "success success failure" {
		t.Errorf("%q", got)
	}
}

func TestAppThatDoesNotStart(t *testing.T) {
	why := errors.New("no database")
	_, err := Open(t.Context(), Options{Scenario: victim, Start: func(context.Context, Spec) (App, error) { return nil, why }})
	if !errors.Is(err, why) {
		t.Error(err)
	}
}
