//go:build sandbox

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/sandbox"
)

var record = flag.Bool("record", false, "run every scenario with Maven and the runner, and record their output")

// TestRecordedSandbox runs every scenario with recorded builds and recorded reports, and compares
// the posted texts with the golden file.
func TestRecordedSandbox(t *testing.T) {
	for _, sc := range sandbox.Scenarios {
		t.Run(sc.Name, func(t *testing.T) {
			r := playScenario(t, replayed(t, recordingOf(sc.Name)), sc.Name)
			golden(t, filepath.Join("testdata", "sandbox", sc.Name+".md"), posted(t, r))
		})
	}
}

// recordingOf returns the folder of a scenario's recording. It has build-N.log and the reports in
// build-N for CI's builds, and run-N.json for the runner's jobs.
func recordingOf(scenario string) string { return filepath.Join("testdata", "sandbox", scenario) }

// recordedRun is a job for a runner, and its result. A stopped run has no report.
type recordedRun struct {
	Kind   job.Kind        `json:"kind"`
	Tests  []string        `json:"tests,omitempty"`
	Events []job.Event     `json:"events,omitempty"` // the first of each phase
	Report json.RawMessage `json:"report,omitempty"`
}

// replayed replaces Maven by a script that repeats the recorded builds. It returns a dispatcher
// that repeats the recorded runs.
func replayed(t *testing.T, recording string) dispatch.Dispatcher {
	t.Helper()
	dir, err := filepath.Abs(recording)
	if err != nil {
		t.Fatal(err)
	}
	insteadOf(t, "npm", `[ "$1" = ci ] && exit
n=$(($(cat "$count" 2>/dev/null || echo 0) + 1)); echo $n > "$count"
cat "$recording/build-$n.log"
! grep -q '^Test Suites: .* failed' "$recording/build-$n.log"
`, dir)
	insteadOf(t, "mvn", `n=$(($(cat "$count" 2>/dev/null || echo 0) + 1)); echo $n > "$count"
mkdir -p target/surefire-reports
[ ! -d "$recording/build-$n" ] || cp "$recording/build-$n"/TEST-*.xml target/surefire-reports
cat "$recording/build-$n.log"
grep -q 'BUILD SUCCESS' "$recording/build-$n.log"
`, dir)
	return &replay{dir: dir}
}

// insteadOf puts a script with the name of a tool first in PATH. The script can use $recording, a
// folder, and $count, a file to count in.
func insteadOf(t *testing.T, tool, script, recording string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a shell script replaces the build tool here")
	}
	bin := t.TempDir()
	script = fmt.Sprintf("#!/bin/sh\nrecording='%s' count='%s'\n%s", recording, filepath.Join(bin, "count"), script)
	if err := os.WriteFile(filepath.Join(bin, tool), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// replay repeats recorded runs in their order.
type replay struct {
	dir string
	mu  sync.Mutex
	n   int
}

// Run implements dispatch.Dispatcher.
func (d *replay) Run(ctx context.Context, j job.Job, on func(job.Event)) (*job.Report, error) {
	if j.Kind == job.KindVerify { // it is not recorded: it proves what the recorded run has proved
		return investigatetest.Echo(j), nil
	}
	d.mu.Lock()
	d.n++
	file := filepath.Join(d.dir, fmt.Sprintf("run-%d.json", d.n))
	d.mu.Unlock()
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var run recordedRun
	if err := json.Unmarshal(b, &run); err != nil {
		return nil, err
	}
	if run.Kind != j.Kind || !slices.Equal(run.Tests, j.Tests) {
		return nil, fmt.Errorf("%s is the recording of %s %v; the job is %s %v: record it anew", file, run.Kind, run.Tests, j.Kind, j.Tests)
	}
	for _, e := range run.Events {
		on(e)
	}
	if run.Report == nil {
		<-ctx.Done()
		return nil, &job.Error{Code: dispatch.CodeStopped, Message: "stopped"}
	}
	return job.ParseReport(run.Report)
}

// recorder records the results of a runner.
type recorder struct {
	runner *dispatch.Local
	dir    string
	mu     sync.Mutex
	n      int
}

// recording returns a recorder of the runner, and records CI's builds as well. It removes earlier
// recordings.
func recording(t *testing.T, runner *dispatch.Local, folder string) dispatch.Dispatcher {
	t.Helper()
	dir, err := filepath.Abs(folder)
	if err == nil {
		err = os.RemoveAll(dir)
	}
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	maven, err := exec.LookPath("mvn")
	if err != nil {
		t.Fatal(err)
	}
	// The runner starts these tools as well, in other folders.
	if npm, err := exec.LookPath("npm"); err == nil {
		insteadOf(t, "npm", fmt.Sprintf(`case "$PWD $1" in */ci/[0-9]*" test") ;; *) exec '%[1]s' "$@" ;; esac
n=$(($(cat "$count" 2>/dev/null || echo 0) + 1)); echo $n > "$count"
'%[1]s' "$@" > "$recording/build-$n.log" 2>&1; status=$?
sed -i "s|$PWD|/home/runner/work|g; /^npm warn/d" "$recording/build-$n.log"
cat "$recording/build-$n.log"
exit $status
`, npm), dir)
	}
	insteadOf(t, "mvn", fmt.Sprintf(`case "$PWD" in */ci/[0-9]*) ;; *) exec '%[1]s' "$@" ;; esac
n=$(($(cat "$count" 2>/dev/null || echo 0) + 1)); echo $n > "$count"
'%[1]s' "$@" > "$recording/build-$n.log"; status=$?
cat "$recording/build-$n.log"
if [ $status != 0 ]; then
  mkdir "$recording/build-$n"
  cp target/surefire-reports/TEST-*.xml "$recording/build-$n"
fi
sed -i "s|$PWD|/home/runner/work|g" "$recording/build-$n.log"
exit $status
`, maven), dir)
	t.Cleanup(func() { tidyReports(t, dir) })
	return &recorder{runner: runner, dir: dir}
}

// Run implements dispatch.Dispatcher.
func (d *recorder) Run(ctx context.Context, j job.Job, on func(job.Event)) (*job.Report, error) {
	if j.Kind == job.KindVerify {
		d.runner.Env = runnerEnvironment(os.Environ())
		return d.runner.Run(ctx, j, on)
	}
	d.mu.Lock()
	d.n++
	file := filepath.Join(d.dir, fmt.Sprintf("run-%d.json", d.n))
	d.mu.Unlock()
	run := recordedRun{Kind: j.Kind, Tests: j.Tests}
	d.runner.Env = runnerEnvironment(os.Environ())
	report, err := d.runner.Run(ctx, j, func(e job.Event) {
		if !slices.ContainsFunc(run.Events, func(o job.Event) bool { return o.Phase == e.Phase }) {
			run.Events = append(run.Events, e)
		}
		on(e)
	})
	var jerr error
	if err == nil {
		run.Report, jerr = json.Marshal(report)
	}
	var b []byte
	if jerr == nil {
		b, jerr = json.MarshalIndent(run, "", "  ")
	}
	if jerr == nil {
		b = bytes.ReplaceAll(b, []byte(j.Dir), []byte("/home/runner/work"))
		jerr = os.WriteFile(file, append(b, '\n'), 0o644)
	}
	if jerr != nil {
		return nil, jerr
	}
	return report, err
}

var propertiesElement = regexp.MustCompile(`(?s)\s*<properties>.*?</properties>`)

// tidyReports removes details of the machine from recorded reports, which no test reads. It fails
// if a path of this machine is left.
func tidyReports(t *testing.T, dir string) {
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if strings.HasSuffix(path, ".xml") {
			b = propertiesElement.ReplaceAll(b, nil)
			if err := os.WriteFile(path, b, 0o644); err != nil {
				return err
			}
		}
		if bytes.Contains(b, []byte(os.TempDir())) {
			t.Errorf("%s names a folder of this machine", path)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
