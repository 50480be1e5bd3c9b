package examples_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/odfix/odfix/examples"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// exits is the exit status of `odfix fix` for each verdict.
var exits = map[suite.Verdict]int{
	suite.Genuine: 4, suite.FlakyOther: 5, suite.NotReproduced: 6, suite.Undecided: 1,
}

// odfix returns the built program's path. `make test` builds it first.
func odfix(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../bin/odfix")
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Fatalf("run `make build` first: %v", err)
	}
	return path
}

// shared is the folder of the checkouts and of odfix's copies of them. The end of the tests removes
// it.
var shared string

func TestMain(m *testing.M) {
	os.Exit(withShared(m.Run))
}

func withShared(run func() int) int {
	var err error
	if shared, err = os.MkdirTemp("", "odfix-examples-"); err == nil {
		err = os.Setenv("XDG_CACHE_HOME", filepath.Join(shared, "cache"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(shared)
	return run()
}

// checkouts has a lock for each example's checkout.
var checkouts sync.Map

// checkout returns a copy of the example as a git work tree. All tests of an example use the same
// copy, so that odfix builds it once. One test at a time uses it, and finds it as it was committed.
func checkout(t *testing.T, ex examples.Example) string {
	t.Helper()
	lock, _ := checkouts.LoadOrStore(ex.Name, new(sync.Mutex))
	lock.(*sync.Mutex).Lock()
	t.Cleanup(lock.(*sync.Mutex).Unlock)
	dir := filepath.Join(shared, ex.Name)
	if _, err := os.Stat(dir); err == nil {
		sh(t, dir, "git reset -q --hard && git clean -qfdx -e node_modules")
		return dir
	}
	if err := os.CopyFS(dir, os.DirFS(ex.Dir)); err != nil {
		t.Fatal(err)
	}
	for _, built := range []string{"target", "build", ".gradle"} {
		_ = os.RemoveAll(filepath.Join(dir, built))
	}
	if ex.Jest() {
		if _, err := exec.LookPath("npm"); err != nil {
			t.Skip("npm is not installed")
		}
		sh(t, dir, "npm ci --no-audit --no-fund")
	}
	sh(t, dir, "printf 'target/\\nbuild/\\n.gradle/\\nnode_modules/\\n' > .gitignore && git init -q && "+
		"git add -A && git -c user.name=t -c user.email=t@example.com commit -qm base")
	return dir
}

// sh runs a line for the shell in dir with odfix on the path, and returns its status.
func shell(t *testing.T, dir, line string) (status int, out string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Hour)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(odfix(t))+string(os.PathListSeparator)+os.Getenv("PATH"))
	b, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s: %v", line, err)
	}
	return cmd.ProcessState.ExitCode(), string(b)
}

func sh(t *testing.T, dir, line string) string {
	t.Helper()
	status, out := shell(t, dir, line)
	if status != 0 {
		t.Fatalf("%s: exit %d\n%s", line, status, out)
	}
	return out
}

// testTimeout is short for a test that hangs. Otherwise it is so long that no test reaches it on a
// busy machine.
func testTimeout(fs []examples.Finding) string {
	if slices.ContainsFunc(fs, func(f examples.Finding) bool { return f.Hangs }) {
		return "10s"
	}
	return "30m"
}

// repeats saves the repetitions, which do not differ between examples. A flaky test needs them.
func repeats(fs []examples.Finding) string {
	if testing.Short() || slices.ContainsFunc(fs, func(f examples.Finding) bool { return f.Verdict == string(suite.FlakyOther) }) {
		return ""
	}
	return " --rerun 1"
}

// fix runs odfix fix on findings of one failing order and reads the report.
func fix(t *testing.T, dir string, fs []examples.Finding) (*job.Report, int, string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	line := "odfix fix" + repeats(fs) + " --test-timeout " + testTimeout(fs) + " --budget 10h --format json --out '" + out + "' --order " +
		fs[0].FailingOrder
	for _, f := range fs {
		line += " --test '" + f.Test + "'"
	}
	status, text := shell(t, dir, line+" .")
	if _, err := os.Stat(filepath.Join(out, "report.json")); err != nil {
		t.Fatalf("no report: %v\n%s", err, text)
	}
	return readReport(t, out), status, out
}

// TestExamples compares odfix's report of each example with the example's findings.
func TestExamples(t *testing.T) {
	t.Parallel()
	all, err := examples.Load(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, ex := range all {
		if ex.Name == severalCauses {
			continue // TestSeveralCauses investigates this project
		}
		t.Run(ex.Name, func(t *testing.T) {
			onlyShort(t, ex.Name, "demo", "brittle-junit5", "genuine-failure", "gradle-projects")
			t.Parallel()
			for _, fs := range together(ex.Findings) {
				t.Run(fs[0].Test[strings.LastIndexAny(fs[0].Test, ".")+1:], func(t *testing.T) {
					dir := checkout(t, ex)
					r, out := check(t, ex, dir, fs)
					applies(t, fs, dir, out, r)
				})
			}
		})
	}
}

// onlyShort runs these examples in short runs, which make test-all begins with, and the others in
// long ones.
func onlyShort(t *testing.T, example string, short ...string) {
	t.Helper()
	switch is := slices.Contains(short, example); {
	case testing.Short() && !is:
		t.Skipf("a variant of %v", short)
	case !testing.Short() && is:
		t.Skip("it runs with -short")
	}
}

// together puts findings into one call of odfix fix if they have a patch and fail in the same
// order.
func together(all []examples.Finding) [][]examples.Finding {
	var out [][]examples.Finding
	of := map[string]int{} // place in out, by failing order
	for _, f := range all {
		i, ok := of[f.FailingOrder]
		if !ok || !f.Patch {
			i = len(out)
			out = append(out, nil)
		}
		if f.Patch {
			of[f.FailingOrder] = i
		}
		out[i] = append(out[i], f)
	}
	return out
}

// check compares the report of odfix fix with the findings.
func check(t *testing.T, ex examples.Example, dir string, fs []examples.Finding) (r *job.Report, out string) {
	t.Helper()
	r, status, out := fix(t, dir, fs)
	if r.Error != nil {
		t.Fatalf("%s: %s\n%s", r.Error.Code, r.Error.Message, r.Error.Detail)
	}
	if len(r.Tests) != len(fs) {
		t.Fatalf("%d tests in the report", len(r.Tests))
	}
	if clean := sh(t, dir, "git status --porcelain"); clean != "" {
		t.Errorf("the checkout was changed:\n%s", clean)
	}
	want := exits[r.Tests[0].Verdict]
	if r.Tests[0].Verdict.OrderDependent() && !fs[0].Patch {
		want = 3
	}
	if status != want {
		t.Errorf("exit %d, want %d", status, want)
	}
	for i, f := range fs {
		hold(t, f, r.Tests[i])
		if f.Patch {
			patched(t, f, dir, r.Tests[i])
		} else if got := r.Tests[i]; len(got.Patches) > 0 {
			t.Errorf("a patch where none was expected: %s", got.Patches[0].Diff)
		}
		if f.Reproduces {
			reproduces(t, dir, r.Tests[i])
		}
	}
	return r, out
}

// applies applies the report's patch to the checkout, if it has one.
func applies(t *testing.T, fs []examples.Finding, dir, out string, r *job.Report) {
	t.Helper()
	if !fs[0].Patch {
		return
	}
	sh(t, dir, "git apply --check '"+filepath.Join(out, "odfix.patch")+"' && git apply '"+filepath.Join(out, "odfix.patch")+"'")
	if changed := strings.TrimSpace(sh(t, dir, "git diff --name-only")); changed != strings.Join(promised(r), "\n") {
		t.Errorf("the patch changes %q, the report says %q", changed, promised(r))
	}
}

// promised returns the files that the report's patch changes.
func promised(r *job.Report) []string {
	if r.Combined != nil {
		return r.Combined.Files
	}
	return r.Tests[0].Patches[0].Files
}

// hold compares the report of a test with its finding.
func hold(t *testing.T, f examples.Finding, got job.TestReport) {
	t.Helper()
	if string(got.Test) != f.Test || string(got.Verdict) != f.Verdict {
		t.Fatalf("%s is %s, want %s to be %s (%s)", got.Test, got.Verdict, f.Test, f.Verdict, got.Reason)
	}
	if got.NonIdempotent != f.NonIdempotent {
		t.Errorf("nonIdempotent %v, want %v", got.NonIdempotent, f.NonIdempotent)
	}
	among(t, "polluter", got.Polluters, f.Polluters)
	among(t, "state-setter", got.StateSetters, f.StateSetters)
	for _, c := range got.Cleaners {
		if len(f.Polluters) > 0 && slices.Equal(names(c.Polluter), f.Polluters[0]) {
			among(t, "cleaner", []suite.Order{c.Cleaner}, f.Cleaners)
		}
	}
	if f.State != nil && (!got.StateMatters || !slices.Equal(got.State, f.State)) {
		t.Errorf("state %v (proved: %v), want %v", got.State, got.StateMatters, f.State)
	}
	said := "when classes are initialised"
	if f.Initialiser != "" {
		said += ": it passes if " + f.Initialiser + " is initialised before "
	}
	if is := strings.Contains(strings.Join(got.Notes, " "), said); is != (f.Initialiser != "") {
		t.Errorf("the initialiser of %q matters: %v: %v", f.Initialiser, is, got.Notes)
	}
	if is := strings.Contains(strings.Join(got.Notes, " "), "Restoring all the state"); is != f.Elsewhere {
		t.Errorf("the dependence is no static state: %v, want %v: %v", is, f.Elsewhere, got.Notes)
	}
	if !slices.Equal(got.NoReset, f.NoReset) {
		t.Errorf("reset methods missing for %v, want %v", got.NoReset, f.NoReset)
	}
	if !slices.Equal(got.Reflectable, f.NoReset) {
		t.Errorf("reflection may restore %v, want %v", got.Reflectable, f.NoReset)
	}
}

// among fails if got has an order that is not in want, or if got is empty and want is not.
func among(t *testing.T, what string, got []suite.Order, want [][]string) {
	t.Helper()
	if len(want) > 0 && len(got) == 0 {
		t.Errorf("no %s found, want one of %v", what, want)
	}
	for _, g := range got {
		if !slices.ContainsFunc(want, func(w []string) bool { return slices.Equal(w, names(g)) }) {
			t.Errorf("%v is no %s; these are: %v", g, what, want)
		}
	}
}

func names(o suite.Order) []string {
	var out []string
	for _, t := range o {
		out = append(out, string(t))
	}
	return out
}

// patched runs the commands that show the failure, and as many of those that prove the patch as the
// example gives.
func patched(t *testing.T, f examples.Finding, dir string, got job.TestReport) {
	t.Helper()
	if len(got.Patches) == 0 {
		t.Fatalf("no patch: %v", got.Notes)
	}
	p := got.Patches[0]
	kinds := []string{cmp.Or(f.Kind, job.FromHelper)}
	if f.Kind == examples.HelperOrReset {
		kinds = []string{job.FromHelper, job.FromReset}
	}
	if !slices.Contains(kinds, p.Kind) {
		t.Errorf("the patch is a %s, want a %s", p.Kind, strings.Join(kinds, " or "))
	}
	if f.Statement != "" && !slices.Contains(p.Statements, f.Statement) {
		t.Errorf("the patch has no %q: %q", f.Statement, p.Statements)
	}
	if !p.Proof.Proved || len(p.Proof.Commands) == 0 {
		t.Fatalf("not proved: %+v", p.Proof)
	}
	commands := p.Proof.Commands
	if f.Commands >= 0 {
		commands = commands[:min(f.Commands, len(commands))]
	}
	run(t, dir, slices.Concat(got.Reproduce, commands))
}

// reproduces runs the commands that show the failure with the plain build.
func reproduces(t *testing.T, dir string, got job.TestReport) {
	t.Helper()
	if len(got.Reproduce) == 0 {
		t.Error("the plain build does not show the failure")
	}
	run(t, dir, got.Reproduce)
}

func run(t *testing.T, dir string, commands []job.Command) {
	t.Helper()
	for _, c := range commands {
		if status, text := shell(t, filepath.Join(dir, c.Dir), c.Line); status != c.Exit {
			t.Errorf("%s\nexit %d, want %d\n%s", c.Line, status, c.Exit, text)
		}
	}
}
