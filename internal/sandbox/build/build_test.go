package build

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fake puts a script named mvn before everything else.
func fake(t *testing.T, script string) Job {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a shell script replaces Maven here")
	}
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "mvn"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	return Job{Dir: t.TempDir(), Steps: [][]string{{"mvn", "-B", "-ntp", "test"}}}
}

func TestRedBuild(t *testing.T) {
	j := fake(t, `mkdir -p core/target/surefire-reports web/build/test-results/test other
echo y > web/build/test-results/test/TEST-a.C.xml
echo x > core/target/surefire-reports/TEST-a.B.xml; echo x > other/TEST-c.xml; echo x > core/target/surefire-reports/a.B.txt
echo "$@"; printf 'no end'; exit 3`)
	j.Steps = Steps(j.Dir, []string{"verify", "-Pci"}, false)
	r, err := j.Run(t.Context())
	if err != nil || r.Green {
		t.Fatal(r.Green, err)
	}
	want := regexp.MustCompile(`^(\S+Z) ##\[group\]Run mvn -B -ntp verify -Pci
\S+Z mvn -B -ntp verify -Pci
\S+Z ##\[endgroup\]
\S+Z -B -ntp verify -Pci
\S+Z no end
\S+Z ##\[error\]Process completed with exit code 3\.
$`)
	m := want.FindSubmatch(r.Log)
	if m == nil {
		t.Fatalf("%s", r.Log)
	}
	if _, err := time.Parse("2006-01-02T15:04:05.0000000Z", string(m[1])); err != nil {
		t.Error(err)
	}
	if len(r.Reports) != 2 || string(r.Reports["core/target/surefire-reports/TEST-a.B.xml"]) != "x\n" ||
		string(r.Reports["web/build/test-results/test/TEST-a.C.xml"]) != "y\n" {
		t.Errorf("%v", r.Reports)
	}
}

func TestGreenBuild(t *testing.T) {
	r, err := fake(t, "exit 0").Run(t.Context())
	if err != nil || !r.Green || strings.Contains(string(r.Log), "##[error]") {
		t.Errorf("%v %v %s", r.Green, err, r.Log)
	}
}

// TestSteps checks that a package is installed before its tests run, and that no step follows a
// failed one.
func TestSteps(t *testing.T) {
	for files, want := range map[string]string{
		"pom.xml":                        "mvn -B -ntp -i",
		"pom.xml package.json":           "mvn -B -ntp -i",
		"package.json package-lock.json": "npm ci --no-audit --no-fund; npm test -- -i",
		"package.json yarn.lock":         "yarn install; yarn test -i",
		"package.json pnpm-lock.yaml":    "pnpm install; pnpm test -i",
		"package.json":                   "npm install --no-audit --no-fund; npm test -- -i",
		"build.gradle package.json":      "gradle --no-daemon --console=plain -i",
		"settings.gradle.kts gradlew":    "sh gradlew --no-daemon --console=plain -i",
		"pom.xml build.gradle":           "mvn -B -ntp -i",
	} {
		dir := t.TempDir()
		for _, f := range strings.Fields(files) {
			if err := os.WriteFile(filepath.Join(dir, f), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		for _, s := range Steps(dir, []string{"-i"}, false) {
			got = append(got, strings.Join(s, " "))
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%s: %q, want %q", files, got, want)
		}
	}
	j := fake(t, "echo $1; [ $1 != no ]")
	j.Steps = [][]string{{"mvn", "yes"}, {"mvn", "no"}, {"mvn", "never"}}
	if r, err := j.Run(t.Context()); err != nil || r.Green || r.Tested || strings.Contains(string(r.Log), "never") {
		t.Errorf("%v\n%s", err, r.Log)
	}
	j.Steps[1] = []string{"mvn", "Test Suites: 1 failed"}
	if r, err := j.Run(t.Context()); err != nil || !r.Tested {
		t.Errorf("%v\n%s", err, r.Log)
	}
}

func TestNoMaven(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	dir := t.TempDir()
	_, err := Job{Dir: dir, Steps: Steps(dir, nil, false)}.Run(t.Context())
	var missing *MissingError
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), "install Maven 3.6") {
		t.Error(err)
	}
}

// TestHungBuild checks that the budget ends the build and its child processes.
func TestHungBuild(t *testing.T) {
	j := fake(t, "sleep 300 & echo $! > child; wait")
	j.Budget = 500 * time.Millisecond
	_, err := j.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "did not end within 500ms") {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(j.Dir, "child"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for alive(pid) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("its child is alive")
		}
	}
}

func TestCancelled(t *testing.T) {
	j := fake(t, "exec sleep 300")
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("no more")
	time.AfterFunc(100*time.Millisecond, func() { cancel(why) })
	if _, err := j.Run(ctx); !errors.Is(err, why) {
		t.Error(err)
	}
}

// alive reports whether a process runs. A zombie does not.
func alive(pid int) bool {
	if b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err == nil {
		_, state, _ := strings.Cut(string(b), ") ")
		return !strings.HasPrefix(state, "Z")
	}
	p, err := os.FindProcess(pid)
	return err == nil && p.Signal(syscall.Signal(0)) == nil
}
