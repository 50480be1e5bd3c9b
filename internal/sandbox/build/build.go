// Package build runs a project's tests as a job of GitHub Actions does: with Maven, Gradle, or a package
// manager of JavaScript and Jest. Its result is a log with a time stamp before every line, and the
// reports of Surefire, Failsafe and Gradle.
//
// Invariants: the steps get only the given environment. They and all their child processes end with
// the context, with the budget of time, and with odfix. The log and the reports are bounded.
package build

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/odfix/odfix/internal/child"
)

// Job is one run of a project's tests.
type Job struct {
	Dir    string        // a checkout; the build writes into it
	Steps  [][]string    // commands, one after the other; the last one runs the tests
	Env    []string      // nil: that of this process
	Budget time.Duration // zero: ten minutes
}

// Result is the result of a job.
type Result struct {
	Green   bool
	Tested  bool // tests have run
	Log     []byte
	Reports map[string][]byte // TEST-*.xml by path in the checkout
	Took    time.Duration
}

// MissingError says that a tool is not installed.
type MissingError struct{ Tool string }

func (e *MissingError) Error() string {
	hint := map[string]string{"mvn": "Maven 3.6 or later", "gradle": "Gradle 4 or later", "npm": "Node with npm"}[e.Tool]
	hint = cmp.Or(hint, e.Tool)
	return e.Tool + " is not installed, or not in the PATH; install " + hint
}

// Steps are the commands for a checkout: those of Maven where it has a pom.xml, else those of Gradle,
// else those of a package with Jest. The arguments are for Maven, Gradle or Jest.
func Steps(dir string, args []string, offline bool) [][]string {
	tool := []string{"mvn", "-B", "-ntp"}
	switch {
	case has(dir, "pom.xml"):
	case OfGradle(dir):
		tool = []string{"gradle"}
		if info, err := os.Stat(filepath.Join(dir, "gradlew")); err == nil {
			tool = []string{"./gradlew"}
			if info.Mode()&0o111 == 0 {
				tool = []string{"sh", "gradlew"}
			}
		}
		tool = append(tool, "--no-daemon", "--console=plain") // a daemon would outlive the job
	case has(dir, "package.json"):
		return [][]string{install(dir, offline), script(dir, args)}
	}
	if offline {
		tool = append(tool, map[bool]string{true: "-o", false: "--offline"}[tool[0] == "mvn"])
	}
	if len(args) == 0 {
		args = []string{"test"}
	}
	return [][]string{append(tool, args...)}
}

// OfGradle reports whether a folder has a file of Gradle.
func OfGradle(dir string) bool {
	for _, name := range []string{"settings.gradle", "settings.gradle.kts", "build.gradle", "build.gradle.kts"} {
		if has(dir, name) {
			return true
		}
	}
	return false
}

// script is the command that runs the package's own test script.
func script(dir string, args []string) []string {
	out := []string{"npm", "test"}
	switch {
	case has(dir, "yarn.lock"):
		out[0] = "yarn"
	case has(dir, "pnpm-lock.yaml"):
		out[0] = "pnpm"
	}
	if len(args) > 0 && out[0] == "npm" {
		out = append(out, "--")
	}
	return append(out, args...)
}

// install is the command that installs what the lock file names.
func install(dir string, offline bool) []string {
	out := []string{"npm", "install", "--no-audit", "--no-fund"}
	switch {
	case has(dir, "yarn.lock"):
		out = []string{"yarn", "install"}
	case has(dir, "pnpm-lock.yaml"):
		out = []string{"pnpm", "install"}
	case has(dir, "package-lock.json"):
		out = []string{"npm", "ci", "--no-audit", "--no-fund"}
	}
	if offline {
		out = append(out, "--offline")
	}
	return out
}

func has(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}

// Command is the last step's command line, to be shown to people.
func (j Job) Command() string { return strings.Join(j.Steps[len(j.Steps)-1], " ") }

// Run runs the job. A red build is not an error. A build that does not start or does not end is
// one.
func (j Job) Run(ctx context.Context) (Result, error) {
	budget := j.Budget
	if budget <= 0 {
		budget = 10 * time.Minute
	}
	inner, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	log, begun := newLog(), time.Now()
	green := true
	for i := 0; i < len(j.Steps) && green; i++ {
		line := strings.Join(j.Steps[i], " ")
		log.line("##[group]Run " + line)
		log.line(line)
		log.line("##[endgroup]")
		err := j.step(inner, j.Steps[i], log)
		var exit *exec.ExitError
		switch {
		case errors.Is(err, exec.ErrNotFound):
			return Result{}, &MissingError{j.Steps[i][0]}
		case ctx.Err() != nil:
			return Result{}, context.Cause(ctx)
		case inner.Err() != nil:
			return Result{}, fmt.Errorf("%s did not end within %s", line, budget)
		case errors.As(err, &exit):
			log.line(fmt.Sprintf("##[error]Process completed with exit code %d.", exit.ExitCode()))
			green = false
		case err != nil:
			return Result{}, fmt.Errorf("%s: %w", line, err)
		}
	}
	reports, err := reportsIn(j.Dir)
	r := Result{Green: green, Log: log.bytes(), Reports: reports, Took: time.Since(begun)}
	r.Tested = green || len(reports) > 0 || bytes.Contains(r.Log, []byte("Z Test Suites: ")) // Jest's summary
	return r, err
}

func (j Job) step(ctx context.Context, argv []string, log *log) error {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = j.Dir, j.Env
	cmd.Stdout, cmd.Stderr = log, log // for one writer, exec uses one goroutine
	cmd.WaitDelay = 2 * time.Second
	return child.Run(cmd)
}

// Bounds of the reports.
const (
	maxReport  = 8 << 20
	mostReport = 2000
)

// reportsIn reads the reports of every module below dir.
func reportsIn(dir string) (map[string][]byte, error) {
	out := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if !isReport(path) || !d.Type().IsRegular() || len(out) >= mostReport {
			return nil
		}
		if info, err := d.Info(); err != nil || info.Size() > maxReport {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		out[filepath.ToSlash(rel)] = b
		return err
	})
	return out, err
}

func isReport(path string) bool {
	name, folder := filepath.Base(path), filepath.Base(filepath.Dir(path))
	return strings.HasPrefix(name, "TEST-") && strings.HasSuffix(name, ".xml") &&
		(folder == "surefire-reports" || folder == "failsafe-reports" || filepath.Base(filepath.Dir(filepath.Dir(path))) == "test-results")
}
