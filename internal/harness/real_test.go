//go:build unix

package harness

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/suite"
	"github.com/odfix/odfix/runner/junit"
)

var ordersDir string

func removeOrdersProject() {
	if ordersDir != "" {
		os.RemoveAll(ordersDir)
	}
}

// ordersProject is testdata/orders, compiled once, as a JVM without a harness.
var ordersProject = sync.OnceValues(func() (JVM, error) {
	dir, err := os.MkdirTemp("", "odfix-orders-")
	if err != nil {
		return JVM{}, err
	}
	ordersDir = dir
	if err := os.CopyFS(dir, os.DirFS("testdata/orders")); err != nil {
		return JVM{}, err
	}
	mvn := exec.Command("mvn", "-q", "-B", "test-compile", "dependency:build-classpath", "-Dmdep.outputFile=class.path")
	mvn.Dir = dir
	if out, err := mvn.CombinedOutput(); err != nil {
		return JVM{}, &StartError{Command: "mvn", Reason: err.Error(), Output: string(out)}
	}
	deps, err := os.ReadFile(filepath.Join(dir, "class.path"))
	if err != nil {
		return JVM{}, err
	}
	java, err := exec.LookPath("java")
	path := append([]string{filepath.Join(dir, "target/test-classes")}, filepath.SplitList(string(deps))...)
	return JVM{Java: java, ClassPath: path, Dir: dir}, err
})

// realJVM is the project's JVM with the harness jar that is embedded in this binary.
func realJVM(t testing.TB) JVM {
	t.Helper()
	jar, err := junit.Unpack(t.TempDir(), junit.Harness)
	if err != nil {
		t.Skip("there is no harness jar to try: run `make jars` first")
	}
	j, err := ordersProject()
	if err != nil {
		t.Fatal(err)
	}
	j.HarnessJar = jar
	return j
}

func realPool(t testing.TB, j JVM, c clock) *Pool {
	t.Helper()
	exact, err := j.Spec()
	if err != nil {
		t.Fatal(err)
	}
	j.Quick = true
	quick, err := j.Spec()
	if err != nil {
		t.Fatal(err)
	}
	return newTestPool(t, Config{Exact: exact, Quick: quick, clock: c})
}

func ids(methods ...string) suite.Order {
	var o suite.Order
	for _, m := range methods {
		o = append(o, suite.TestID("orders."+m))
	}
	return o
}

func TestRealDiscovery(t *testing.T) {
	p := realPool(t, realJVM(t), nil)
	s, info, err := p.Discover(t.Context(), []string{"orders.FiveTest", "orders.FourTest", "orders.Counter", "orders.NoSuchTest"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[suite.TestID]bool{}
	for _, id := range ids("FourTest#polluter", "FourTest#victim", "FourTest#cleaner", "FourTest#assumes", "FourTest#ignored",
		"FiveTest#brittle", "FiveTest#setter(int)", "FiveTest$Inner#victim") {
		want[id] = true
	}
	got := map[suite.TestID]bool{}
	for _, id := range s.Order() {
		got[id] = true
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tests (-want +got):\n%s", diff)
	}
	if len(info.Classes) != 4 || len(s.Problems) != 1 || s.Problems[0].Class != "orders.NoSuchTest" ||
		!strings.Contains(strings.Join(info.Frameworks, " "), "junit") {
		t.Errorf("info = %+v, problems = %+v", info, s.Problems)
	}
	run := mustRun(t, p, s.Order(), fresh)
	if run.Crash != nil {
		t.Errorf("crash = %v\n%s", run.Crash, run.Output)
	}
}

func TestRealOrders(t *testing.T) {
	j := realJVM(t)
	p := realPool(t, j, nil)
	for _, price := range []suite.Price{suite.Fresh, suite.Warm} {
		for _, c := range []struct {
			order suite.Order
			want  []suite.Outcome
		}{
			{ids("FourTest#victim"), []suite.Outcome{pass}},
			{ids("FourTest#polluter", "FourTest#victim"), []suite.Outcome{pass, fail}},
			{ids("FourTest#polluter", "FourTest#cleaner", "FourTest#victim"), []suite.Outcome{pass, pass, pass}},
			{ids("FiveTest#brittle"), []suite.Outcome{fail}},
			{ids("FiveTest#setter(int)", "FiveTest#brittle"), []suite.Outcome{pass, pass}},
			{ids("FourTest#polluter", "FiveTest$Inner#victim", "FourTest#cleaner", "FiveTest$Inner#victim",
				"FiveTest#brittle"), []suite.Outcome{pass, fail, pass, pass, fail}},
			{ids("FourTest#assumes", "FourTest#ignored", "FourTest#victim", "FourTest#victim"), []suite.Outcome{skip, skip, pass, pass}},
			{ids("DeadlyTest#closesStandardOutput", "FourTest#victim"), []suite.Outcome{pass, pass}},
		} {
			run := mustRun(t, p, c.order, Question{Price: price})
			if diff := cmp.Diff(c.want, outcomes(run)); diff != "" || run.Crash != nil {
				t.Errorf("%s %v: crash %v, outcomes (-want +got):\n%s", price, c.order, run.Crash, diff)
			}
		}
	}
}

func TestRealFailure(t *testing.T) {
	run := mustRun(t, realPool(t, realJVM(t), nil), ids("FourTest#polluter", "FourTest#victim"), fresh)
	f := run.Last().Failure
	if f == nil || f.Type != "java.lang.AssertionError" ||
		!strings.Contains(f.Message, "the counter begins at nought expected:<0> but was:<7>") ||
		!strings.Contains(f.Stack, "FourTest.victim") {
		t.Errorf("failure = %+v", f)
	}
}

func TestRealExits(t *testing.T) {
	p := realPool(t, realJVM(t), nil)
	for method, detail := range map[string]string{"exits": "System.exit called in thread main (exit status 3)", "halts": "exit status 5"} {
		run := mustRun(t, p, ids("FourTest#victim", "DeadlyTest#"+method, "FourTest#cleaner"), fresh)
		if diff := cmp.Diff([]suite.Outcome{pass, unresolved, unresolved}, outcomes(run)); diff != "" {
			t.Errorf("%s: outcomes (-want +got):\n%s", method, diff)
		}
		if c := run.Crash; c == nil || c.Kind != "exit" || !strings.Contains(c.Detail, detail) || c.During != run.Order[1] {
			t.Errorf("%s: crash = %v", method, c)
		}
	}
}

func TestRealHang(t *testing.T) {
	j := realJVM(t)
	here := filepath.Join(t.TempDir(), "here")
	if err := syscall.Mkfifo(here, 0o600); err != nil {
		t.Fatal(err)
	}
	j.Properties = map[string]string{"here": here}
	hanging := make(chan struct{})
	go func() {
		waitFor(here)
		close(hanging)
	}()
	p := realPool(t, j, newFakeClock(func(d time.Duration, _ int) <-chan struct{} {
		if d == 150*time.Second { // the limit of the test: ten times its known duration
			return hanging
		}
		return nil
	}))
	hangs := ids("DeadlyTest#hangs")
	p.Learn(hangs[0], 15*time.Second)
	run := mustRun(t, p, hangs, fresh)
	if c := run.Crash; c == nil || c.Kind != "hang" || !strings.Contains(c.Stacks, "DeadlyTest.hangs") {
		t.Errorf("crash = %+v", c)
	}
}

func TestRealRefusal(t *testing.T) {
	_, err := realPool(t, realJVM(t), nil).Run(t.Context(), ids("FourTest#victim", "FourTest#noSuch"), fresh)
	r, ok := err.(*RefusedError)
	if !ok || len(r.Tests) != 1 || r.Tests[0] != "orders.FourTest#noSuch" {
		t.Errorf("err = %v", err)
	}
}

func TestRealBadOption(t *testing.T) {
	j := realJVM(t)
	j.Args = []string{"-XX:+NoSuchOption"}
	_, err := realPool(t, j, nil).Run(t.Context(), ids("FourTest#victim"), fresh)
	if _, ok := err.(*StartError); !ok || !strings.Contains(err.Error(), "NoSuchOption") {
		t.Errorf("err = %v", err)
	}
}
