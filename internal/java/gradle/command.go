package gradle

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/java/build"
	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/shell"
	"github.com/odfix/odfix/internal/suite"
)

// TestCompile compiles the tests of the clone with the project's own build. Tasks that check
// sources are no part of it.
func (p *Project) TestCompile(ctx context.Context, dir string, _ []string) error {
	if len(p.compile) == 0 {
		return &build.Error{Code: build.CodeBroken, Message: "the build names no task that compiles its tests",
			Hint: "Please report this project."}
	}
	err := p.run(ctx, build.Run{Dir: p.InClone(dir, p.At.Root), Log: filepath.Join(dir, "gradle.log")},
		append(p.options(p.Opts.Offline), p.compile...)...)
	if e, ok := err.(*build.Error); ok {
		e.Detail = strings.ReplaceAll(e.Detail, p.TreeIn(dir), p.At.Anchor)
	}
	return err
}

// CommandLine returns a command for sh that runs the project's own tests, and the folder of the
// checkout in which to run it.
func (p *Project) CommandLine(args ...string) (dir, line string) {
	if p.Opts.JavaHome != "" {
		line = "JAVA_HOME=" + shell.Quote(p.Opts.JavaHome) + " "
	}
	return p.At.Root, line + p.tool.Typed + " " + shell.Line(append(p.options(p.Opts.Offline), args...)...)
}

// typed is the project's own build, for a message.
func (p *Project) typed() string {
	_, line := p.CommandLine(p.tasks("test")...)
	return line
}

// OwnTest runs the project's own tests in a clone, without any part of odfix. It runs the command
// of CommandLine, with low priority. It reports whether the build passed. An error means that there
// is no result.
func (p *Project) OwnTest(ctx context.Context, dir string, args ...string) (passed bool, err error) {
	return build.Passed(p.run(ctx, build.Run{Dir: p.InClone(dir, p.At.Root), Log: filepath.Join(dir, "own-test.log"), Low: true},
		append(p.options(p.Opts.Offline), args...)...))
}

// InOrder returns arguments with which Gradle runs exactly these tests in this order. Gradle itself
// chooses the order of classes.
func (p *Project) InOrder(l *build.Launch, o, original suite.Order) ([]string, bool) {
	c := junitid.Gradle(o, original)
	at := slices.Index(c.Args, "--tests")
	if !c.Exact || at < 0 {
		return nil, false
	}
	return append(task(l), c.Args[at:]...), true
}

// Class returns arguments with which Gradle runs one class.
func (p *Project) Class(l *build.Launch, name string) []string {
	return append(task(l), "--tests", name)
}

// Sorted reports false: Gradle passes no property of its command line to JUnit.
func (p *Project) Sorted(*build.Launch, suite.Order, string, bool) ([]string, bool) {
	return nil, false
}

// task returns the tasks that run the tests again, also if nothing has changed since they ran.
func task(l *build.Launch) []string { return junitid.TestTask(l.Execution) }

// harmless are arguments that a report from an untrusted source may pass to Gradle.
var harmless = []string{"--offline", "--info", "--debug", "--quiet", "-q", "--stacktrace", "--continue",
	"--no-daemon", "--parallel", "--no-parallel", "--build-cache", "--no-build-cache", "--warning-mode=all", "--warning-mode=none"}

// Harmful returns the arguments that must not be used from a report.
func Harmful(args []string) []string {
	return slices.DeleteFunc(slices.Clone(args), func(a string) bool { return slices.Contains(harmless, a) })
}
