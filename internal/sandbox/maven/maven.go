// Package maven runs a project's tests as a job of GitHub Actions does. Its result is a log with a
// time stamp before every line, and the reports of Surefire and Failsafe.
//
// Invariants: Maven gets only the given environment. Maven and all its child processes end with the
// context, with the budget of time, and with odfix. The log and the reports are bounded.
package maven

import (
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

// Job is one run of Maven.
type Job struct {
	Dir    string        // a checkout; the build writes into it
	Args   []string      // after `mvn -B -ntp`; none: test
	Env    []string      // nil: that of this process
	Budget time.Duration // zero: ten minutes
}

// Result is the result of a job.
type Result struct {
	Green   bool
	Log     []byte
	Reports map[string][]byte // TEST-*.xml by path in the checkout
	Took    time.Duration
}

// ErrMissing means that Maven is not installed.
var ErrMissing = errors.New("mvn is not installed, or not in the PATH; install Maven 3.6 or later")

// Command is the command line, to be shown to people.
func (j Job) Command() string { return "mvn " + strings.Join(j.args(), " ") }

func (j Job) args() []string {
	if len(j.Args) == 0 {
		return []string{"-B", "-ntp", "test"}
	}
	return append([]string{"-B", "-ntp"}, j.Args...)
}

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
	log.line("##[group]Run " + j.Command())
	log.line(j.Command())
	log.line("##[endgroup]")
	err := j.mvn(inner, log)
	var exit *exec.ExitError
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return Result{}, ErrMissing
	case ctx.Err() != nil:
		return Result{}, context.Cause(ctx)
	case inner.Err() != nil:
		return Result{}, fmt.Errorf("%s did not end within %s", j.Command(), budget)
	case errors.As(err, &exit):
		log.line(fmt.Sprintf("##[error]Process completed with exit code %d.", exit.ExitCode()))
	case err != nil:
		return Result{}, fmt.Errorf("%s: %w", j.Command(), err)
	}
	reports, rerr := reportsIn(j.Dir)
	return Result{Green: err == nil, Log: log.bytes(), Reports: reports, Took: time.Since(begun)}, rerr
}

func (j Job) mvn(ctx context.Context, log *log) error {
	cmd := exec.CommandContext(ctx, "mvn", j.args()...)
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
		(folder == "surefire-reports" || folder == "failsafe-reports")
}
