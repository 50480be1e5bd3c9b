//go:build linux

package dispatch_test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/isolate"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/lockfile"
	"github.com/odfix/odfix/internal/suite"
)

// victim is this machine as a stranger's tests may find it.
type victim struct {
	checkout string
	rooms    string // where rooms are made; another job's is there
	knocks   atomic.Int64
	allowed  string // HOST:PORT of another service on this machine
	sleep    string // marks the process that outlives its test
}

const secret = "the-webhooks-secret"

func newVictim(t *testing.T) *victim {
	t.Helper()
	t.Setenv("ODFIX_WEBHOOK_SECRET", secret)
	v := &victim{checkout: t.TempDir(), rooms: t.TempDir(), sleep: fmt.Sprintf("%d.25", 3000+time.Now().UnixNano()%100000)}
	if err := os.CopyFS(v.checkout, os.DirFS("testdata/hostile")); err != nil {
		t.Fatal(err)
	}
	near := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(near.Close)
	v.allowed = near.Listener.Addr().String()
	data := t.TempDir()
	other := filepath.Join(v.rooms, "odfix-room-other")
	for _, f := range []string{filepath.Join(data, "odfix.db"), filepath.Join(data, "home", "key.pem"),
		filepath.Join(other, "rw", "work", "source")} {
		if err := os.MkdirAll(filepath.Dir(f), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f, []byte(secret), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	lock, err := lockfile.Try(filepath.Join(other, "lock"))
	if lock == nil || err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Close() })
	v.tell(t, map[string]string{
		"secret": secret, "home": filepath.Join(data, "home"), "otherJob": filepath.Join(other, "rw", "work"),
		"database": filepath.Join(data, "odfix.db"),
		"port":     v.listen(t), "checkout": v.checkout, "pid": fmt.Sprint(os.Getpid()), "sleep": v.sleep, "allowed": v.allowed,
	})
	return v
}

func (v *victim) tell(t *testing.T, about map[string]string) {
	t.Helper()
	var text strings.Builder
	for name, value := range about {
		fmt.Fprintf(&text, "%s=%s\n", name, value)
	}
	file := filepath.Join(v.checkout, "src/test/resources/attack.properties")
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text.String()), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// listen is a service on this machine's loopback that counts who comes.
func (v *victim) listen(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			v.knocks.Add(1)
			c.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

func (v *victim) job(tests ...string) job.Job {
	return job.Job{Kind: job.KindRun, Dir: v.checkout, Orders: [][]string{tests}, Budget: 10 * time.Hour}
}

var reaches = []string{"environment", "home", "otherJob", "database", "systemFiles", "metadata", "hostLoopback",
	"internet", "names", "writing", "mavenRepository",
	"namespaces", "signals", "outliving"}

func of(class string, methods ...string) []string {
	var out []string
	for _, m := range methods {
		out = append(out, class+"#"+m)
	}
	return out
}

// TestHostileTestsReachNothing: with real Maven and JUnit, online and offline.
func TestHostileTestsReachNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs Maven")
	}
	v := newVictim(t)
	runner := realRunner(t)
	d := &dispatch.Isolated{Sandbox: sandbox(t, runner, v.rooms, isolate.Limits{}), Runner: runner, Maven: machineMaven(t)}
	for _, offline := range []bool{false, true} {
		j := v.job(of("hostile.ReachTest", reaches...)...)
		j.Offline = offline
		for _, x := range v.outcomes(t, d, j) {
			if x.Outcome != suite.Pass {
				t.Errorf("offline %v: %s: %s: %+v", offline, x.Test, x.Outcome, x.Failure)
			}
		}
		v.wantUntouched(t)
	}
}

func (v *victim) outcomes(t *testing.T, d dispatch.Dispatcher, j job.Job, on ...func(job.Event)) []suite.Result {
	t.Helper()
	r, err := d.Run(t.Context(), j, func(e job.Event) {
		for _, f := range on {
			f(e)
		}
	})
	var e *job.Error
	if errors.As(err, &e) {
		t.Fatalf("%v\n%s", e, e.Detail)
	}
	if err != nil || r.Error != nil || len(r.Runs) != 1 || len(r.Runs[0].Results) != len(j.Orders[0]) {
		t.Fatalf("%v %+v", err, r)
	}
	return r.Runs[0].Results
}

// wantUntouched looks from outside at what the tests tried.
func (v *victim) wantUntouched(t *testing.T) {
	t.Helper()
	if n := v.knocks.Load(); n > 0 {
		t.Errorf("the service on this machine was reached %d times", n)
	}
	if left, _ := filepath.Glob(filepath.Join(v.rooms, "*")); len(left) != 1 {
		t.Errorf("beside the other job's there is %v", left)
	}
	if _, err := os.Stat(filepath.Join(v.checkout, "target")); err == nil {
		t.Error("the checkout was built in")
	}
	if id := running("sleep", v.sleep); id != "" {
		t.Errorf("process %s has outlived its job", id)
	}
}

// running finds a process by its arguments.
func running(args ...string) string {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range all {
		if b, _ := os.ReadFile(f); string(b) == strings.Join(args, "\x00")+"\x00" {
			return filepath.Base(filepath.Dir(f))
		}
	}
	return ""
}

// The same tests without a sandbox get what they want: that they can fail is
// shown here, of those that do this machine no harm.
func TestHostileTestsReachAllWithoutASandbox(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs Maven")
	}
	v := newVictim(t)
	d := &dispatch.Local{Runner: realRunner(t)}
	j := v.job(of("hostile.ReachTest", "environment", "home", "otherJob", "database", "hostLoopback", "signals")...)
	j.Work, j.Offline = t.TempDir(), true
	for _, x := range v.outcomes(t, d, j) {
		if x.Outcome != suite.Fail {
			t.Errorf("%s: %s: it proves nothing inside a sandbox", x.Test, x.Outcome)
		}
	}
	if v.knocks.Load() == 0 {
		t.Error("the service on this machine was not reached")
	}
}

// TestNetworkIsAProxyOrNothing: the way out is there for tests where the job says so, and only
// then.
func TestNetworkIsAProxyOrNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs Maven")
	}
	v := newVictim(t)
	runner := realRunner(t)
	d := &dispatch.Isolated{Sandbox: sandbox(t, runner, v.rooms, isolate.Limits{}), Runner: runner,
		Maven: machineMaven(t), Allow: []string{v.allowed}}
	for network, test := range map[bool]string{true: "throughTheProxy", false: "withoutAProxy"} {
		j := v.job(of("hostile.NetworkTest", test)...)
		j.Network = network
		var contacted []job.Contact
		for _, x := range v.outcomes(t, d, j, func(e job.Event) { contacted = append(contacted, e.Contacted...) }) {
			if x.Outcome != suite.Pass {
				t.Errorf("network %v: %s: %+v", network, x.Outcome, x.Failure)
			}
		}
		for host, allowed := range map[string]bool{v.allowed: true, "169.254.169.254:80": false} {
			if noted := slices.Contains(contacted, job.Contact{Host: host, Allowed: allowed, Times: 1}); noted != network {
				t.Errorf("network %v: %s is among the hosts of the job: %v, %+v", network, host, noted, contacted)
			}
		}
	}
	v.wantUntouched(t)
}

// TestGreedyTestsAreCapped: each gets less than it wants, and this machine does not notice.
func TestGreedyTestsAreCapped(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs Maven")
	}
	v := newVictim(t)
	runner := realRunner(t)
	box := sandbox(t, runner, v.rooms, isolate.Limits{Memory: 1 << 30, Disk: 400 << 20, Processes: 400})
	if why := box.Weaker(); why != "" {
		t.Skip("without cgroups only single processes are capped: ", why)
	}
	d := &dispatch.Isolated{Sandbox: box, Runner: runner, Maven: machineMaven(t)}
	j := v.job(of("hostile.GreedTest", "processes")...)
	j.Offline = true
	for _, x := range v.outcomes(t, d, j) {
		if x.Outcome != suite.Pass {
			t.Errorf("%s: %s: %+v", x.Test, x.Outcome, x.Failure)
		}
	}
	for _, greed := range []string{"memory", "disk", "file"} {
		j.Orders = [][]string{of("hostile.GreedTest", greed)}
		r, err := d.Run(t.Context(), j, nil)
		var e *job.Error
		if errors.As(err, &e) && e.Code == dispatch.CodeGreedy {
			t.Logf("%s: %v", greed, e)
			continue
		}
		if err != nil || len(r.Runs) != 1 {
			t.Errorf("%s: %v %+v", greed, err, r)
			continue
		}
		x := r.Runs[0].Last()
		if full := x.Failure != nil && strings.Contains(x.Failure.Message, "No space left"); x.Outcome != suite.Unresolved && !full && (greed != "file" || x.Outcome != suite.Pass) {
			t.Errorf("%s: %+v %+v", greed, x, x.Failure)
		}
	}
	v.wantUntouched(t)
}
