package maven

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/java/build"
	"github.com/odfix/odfix/internal/shell"
)

// TestCompile compiles the clone with the project's own build, including later steps that change
// compiled tests: mvn process-test-classes of the chosen module. odfix's extension leaves out these
// plugins, if it knows that they only check sources.
func (p *Project) TestCompile(ctx context.Context, dir string, without []string) error {
	goal := []string{"process-test-classes"}
	if p.phase == "package" {
		goal = []string{"package", "-DskipTests"}
	}
	run := mavenRun{dir: p.InClone(dir, p.runDir()), args: append(p.selection(), goal...), log: filepath.Join(dir, "maven.log")}
	if len(without) > 0 {
		run.record = filepath.Join(dir, "unchecked")
		if err := p.writeRequest(run.record, p.InClone(dir, filepath.Join(p.At.Root, p.module)), without...); err != nil {
			return err
		}
	}
	err := p.runMaven(ctx, run)
	if e, ok := err.(*build.Error); ok && e.Part != "" {
		if err = p.CompileAll(dir); err == nil {
			err = p.runMaven(ctx, run)
		}
	}
	if e, ok := err.(*build.Error); ok {
		e.Detail = strings.ReplaceAll(e.Detail, p.TreeIn(dir), p.At.Anchor)
	}
	return err
}

// CommandLine returns a command for sh that runs the project's own tests, and the folder of the
// checkout in which to run it.
func (p *Project) CommandLine(args ...string) (dir, line string) {
	return p.runDir(), p.commandLine(p.Opts.Offline, "test", args...)
}

func (p *Project) commandLine(offline bool, goal string, args ...string) (line string) {
	words := slices.Concat(p.Opts.Args, p.selection(), args)
	if offline {
		words = append([]string{"-o"}, words...)
	}
	if p.Opts.JavaHome != "" {
		line = "JAVA_HOME=" + shell.Quote(p.Opts.JavaHome) + " "
	}
	return line + p.maven.Typed + " " + shell.Line(append(words, goal)...)
}

// online is CommandLine for a message, with network.
func (p *Project) online(goal string) string { return p.commandLine(false, goal) }

// typed is CommandLine for a message.
func (p *Project) typed(goal string) string { return p.commandLine(p.Opts.Offline, goal) }

// OwnTest runs the project's own tests in a clone, without any part of odfix. It runs the command
// of CommandLine in its folder, with low priority. It reports whether the build passed. An error
// means that there is no result.
func (p *Project) OwnTest(ctx context.Context, dir string, args ...string) (passed bool, err error) {
	err = p.runMaven(ctx, mavenRun{dir: p.InClone(dir, p.runDir()), args: append(append(p.selection(), args...), "test"),
		log: filepath.Join(dir, "own-test.log"), low: true})
	return build.Passed(err)
}
