package jest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/jest/jestid"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/shell"
	"github.com/odfix/odfix/internal/suite"
)

// Reproduce implements project.Project. Jest runs the chosen tests of one file in the file's own
// order; no option gives it another, nor one of files that holds on every machine.
func (p *Project) Reproduce(ctx context.Context, o suite.Order) (*project.Command, error) {
	if len(o) == 0 || !p.ownOrder(o) {
		return nil, nil
	}
	args, last := p.plain(o), jestid.FullName(o[len(o)-1])
	s, err := p.take(ctx)
	if err != nil {
		return nil, err
	}
	defer p.give(s)
	failed, stays, err := p.fails(ctx, s, args, last)
	if stays && failed && err == nil { // the tests leave a server or the like open
		args = append(args, "--forceExit")
		failed, stays, err = p.fails(ctx, s, args, last)
		failed = failed && !stays
	}
	if err != nil || !failed {
		return nil, err
	}
	line := shell.Line(args...)
	what := "Jest runs it alone"
	if n := len(o) - 1; n > 0 {
		what = fmt.Sprintf("Jest runs it after %s", suite.NewGroups(p.suite, p.Syntax()).Names(o[:n]))
	}
	dir := filepath.Join(relative(withoutLinks(p.opts.Dir), p.launch.root), filepath.FromSlash(p.launch.pkg))
	return &project.Command{What: what, Dir: filepath.ToSlash(dir), Line: line, Exit: 1}, nil
}

// fails runs a command of Jest in a working copy.
func (p *Project) fails(ctx context.Context, s *slot, args []string, name string) (failed, stays bool, err error) {
	spec := harness.Spec{Env: append(p.launch.environ(p.in(s), s.tmp), "CI=true"), Dir: p.in(s)}
	err = p.base.Beside(ctx, p.sequential.Load(), func(ctx context.Context) error {
		failed, stays, err = failsIn(ctx, spec, filepath.Join(s.tmp, "odfix-result.json"), args, name)
		return err
	})
	return failed, stays, err
}

// failsIn runs a command of Jest, and reports whether the test of that name fails, and whether Jest
// was still running a while after its results. It writes no coverage, which would look like what
// tests write into the project's folder.
func failsIn(ctx context.Context, spec harness.Spec, result string, args []string, name string) (failed, stays bool, err error) {
	if err := os.RemoveAll(result); err != nil {
		return false, false, err
	}
	try := slices.Concat(args, []string{"--coverage=false", "--json", "--outputFile=" + result})
	spec.Command = []string{"sh", "-c", shell.Line(try...)}
	until, ended := endsAfter(ctx, result)
	_, rerr := harness.Run(until, spec)
	stays = until.Err() != nil
	ended()
	if ctx.Err() != nil {
		return false, false, ctx.Err()
	}
	return rerr != nil && failedIn(result, name), stays, nil
}

// Jest ends soon after it has written its results, unless tests leave something open.
const (
	resultsWait = 5 * time.Second
	resultsLook = 200 * time.Millisecond
)

// endsAfter returns a context that ends a while after the file of results is there.
func endsAfter(ctx context.Context, result string) (context.Context, context.CancelFunc) {
	until, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		for wait := resultsLook; ; {
			select {
			case <-until.Done():
				return
			case <-time.After(wait):
			}
			if wait == resultsWait {
				return
			}
			if _, err := os.Stat(result); err == nil {
				wait = resultsWait
			}
		}
	}()
	return until, cancel
}

// ownOrder reports whether the tests are of one file, in the file's own order.
func (p *Project) ownOrder(o suite.Order) bool {
	own, last := p.suite.Order(), -1
	for _, t := range o {
		at := own.Index(t)
		if at <= last || jestid.File(t) != jestid.File(o[0]) {
			return false
		}
		last = at
	}
	return true
}

// plain is the command by which a person runs these tests.
func (p *Project) plain(o suite.Order) []string {
	args, env := []string{"npx", "jest"}, slices.Clone(p.launch.command.env)
	if tool := p.launch.wrapper; len(tool) > 0 {
		args, env = append([]string{"npx"}, tool...), append(env, "CI=true") // without it, some tools watch files
		if tool[0] == "node" {
			args = tool
		}
	}
	if len(p.launch.command.node) > 0 {
		env = append(env, "NODE_OPTIONS="+nodeOptions(p.launch.command.node...))
	}
	if len(env) > 0 {
		args = append(append([]string{"env"}, env...), args...)
	}
	args = append(args, p.launch.args...)
	args = append(args, p.opts.BuildArgs...)
	file := strings.TrimPrefix(jestid.File(o[0]), p.launch.pkg+"/")
	var names []string
	for _, t := range o {
		names = append(names, jestid.Escape(jestid.FullName(t)))
	}
	name := names[0]
	if len(names) > 1 {
		name = "(" + strings.Join(names, "|") + ")"
	}
	return append(args, "--runTestsByPath", file, "-t", "^"+name+"$")
}

// failedIn reports whether Jest's report of results holds the test as a failure.
func failedIn(file, fullName string) bool {
	data, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	var report struct {
		TestResults []struct {
			AssertionResults []struct {
				FullName string `json:"fullName"`
				Status   string `json:"status"`
			} `json:"assertionResults"`
		} `json:"testResults"`
	}
	if json.Unmarshal(data, &report) != nil {
		return false
	}
	for _, f := range report.TestResults {
		for _, a := range f.AssertionResults {
			if a.FullName == fullName && a.Status == "failed" {
				return true
			}
		}
	}
	return false
}
