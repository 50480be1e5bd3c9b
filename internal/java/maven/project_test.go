package maven

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/java/build"
	"github.com/odfix/odfix/runner/junit"
)

// unpack writes one of testdata/projects to a new folder.
func unpack(t *testing.T, name string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, strings.TrimSuffix(name, ".txt"))
	for _, part := range strings.Split("\n"+read(t, filepath.Join("testdata", "projects", name)), "\n-- ")[1:] {
		path, text, ok := strings.Cut(part, " --\n")
		if !ok {
			t.Fatalf("%s: no file name in %q", name, part)
		}
		write(t, filepath.Join(dir, filepath.FromSlash(path)), text+"\n")
	}
	return dir
}

// cores limits the tests that run Maven at once to the number of cores.
var cores = make(chan struct{}, runtime.NumCPU())

// needMaven skips the test if it cannot run Maven.
func needMaven(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("recording a build is not supported on Windows")
	}
	if _, err := exec.LookPath("mvn"); err != nil {
		t.Fatal("these tests need mvn on the path")
	}
	if _, err := junit.Unpack(t.TempDir(), junit.Launch); err != nil {
		t.Fatal(err)
	}
	t.Parallel()
	cores <- struct{}{}
	t.Cleanup(func() { <-cores })
}

// record records a sample project.
func record(t *testing.T, name string, opts build.Options) (*Project, []build.Launch, error) {
	t.Helper()
	opts.Budget = 10 * time.Hour // the first run on a machine fetches plugins
	p := open(t, unpack(t, name), t.TempDir(), opts)
	launches, err := p.Record(context.Background())
	return p, launches, err
}

// mustRecord records a sample project that has exactly n executions of tests.
func mustRecord(t *testing.T, name string, opts build.Options, n int) (*Project, []build.Launch) {
	t.Helper()
	p, launches, err := record(t, name, opts)
	var e *build.Error
	if errors.As(err, &e) {
		t.Fatalf("%s: %s\n%s\n%s", e.Code, e.Message, e.Hint, e.Detail)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(launches) != n {
		t.Fatalf("%d launches, want %d: %+v", len(launches), n, launches)
	}
	return p, launches
}

// starts starts the JVM of a launch without tests, to check that it accepts its arguments.
func starts(t *testing.T, l build.Launch) {
	t.Helper()
	args := append([]string(nil), l.JVMArgs...)
	if len(l.Modules.Path) > 0 {
		args = append(args, "--module-path", strings.Join(l.Modules.Path, ":"))
	}
	for module, dirs := range l.Modules.Patch {
		args = append(args, "--patch-module", module+"="+strings.Join(dirs, ":"))
	}
	args = append(append(args, l.Modules.Args...), "-cp", strings.Join(append(l.ClassPath, l.ProviderPath...), ":"), "-version")
	cmd := exec.Command(l.Java, args...)
	cmd.Dir, cmd.Env = l.Dir, l.Environ(nil)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("the JVM does not start: %v\n%s", err, out)
	}
}
