package java

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/ci"
	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/java/build"
	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/shell"
	"github.com/odfix/odfix/internal/suite"
)

// attempt is a possible command that reproduces an order with the project's own build alone.
type attempt struct {
	what string
	args []string // for the build tool
	file string   // a class that is written first, relative to the module; empty: none
	text string
	bin  string // where the compiler writes the file's class, relative to the module, if known
	test string // the test that fails, if it is not the test in question itself
}

// reproductions lists possible commands that run the order with the project's own build alone,
// plainest first. Each must be tried, because builds can override the command line.
func reproductions(b builder, l *build.Launch, o, original suite.Order, frameworks []string, sourceRoot string) []attempt {
	var out []attempt
	plain := "fails with plain " + b.Name()
	if args, ok := b.InOrder(l, o, original); ok {
		out = append(out, attempt{what: plain, args: args})
	}
	if len(o) < 2 || sourceRoot == "" {
		return out
	}
	if a, ok := byOrderer(b, l, o, frameworks, sourceRoot); ok {
		a.what = plain + a.what
		out = append(out, a)
	}
	if args := b.Class(l, reproduction); has(frameworks, "junit 4") && args != nil {
		out = append(out, attempt{
			what: plain + ": writes a test that runs the others in this order, and removes it",
			args: args, file: path.Join(sourceRoot, reproduction+".java"), text: reproductionText(o),
			test: reproduction + "#" + reproductionMethod,
		})
	}
	return out
}

func has(frameworks []string, prefix string) bool {
	return slices.ContainsFunc(frameworks, func(f string) bool { return strings.HasPrefix(f, prefix) })
}

// notRun is the script's exit status if it ran nothing, because a file of the class's name exists
// already or because the script was stopped. A build ends with 1 or 0.
const notRun = 2

// script returns the attempt as text that a person pastes into a shell in the folder where the
// build runs. line is the build tool's command. The script runs in a subshell, so that the trap and
// noclobber do not stay in the person's shell. It sets the trap after it has written the file, so
// that it never removes a file of the user.
func (a attempt) script(line, module string) string {
	if a.file == "" {
		return line
	}
	file := shell.Quote(path.Join(module, a.file))
	made := file
	if a.bin != "" {
		made += " " + shell.Quote(path.Join(module, a.bin))
	}
	return fmt.Sprintf("(\nset -C\ncat > %[1]s <<'END' || exit %[5]d\n%[2]sEND\ntrap %[3]s EXIT\ntrap 'exit %[5]d' HUP INT TERM\n%[4]s\n)",
		file, a.text, shell.Quote("rm -f "+made), line, notRun)
}

// Reproduce implements project.Project. It tries the attempts in a clone of the project and returns
// the first one in which the test fails.
func (p *Project) Reproduce(ctx context.Context, o suite.Order) (*project.Command, error) {
	attempts := reproductions(p.build, &p.launch, o, p.suite.Order(), p.frameworksOf(o), p.testRoot())
	if len(attempts) == 0 {
		return nil, nil
	}
	dir, err := os.MkdirTemp(p.work, "byhand-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = errors.Join(build.RemoveAll(dir), build.RemoveAll(dir+".kept")) }()
	if err := p.tidy.whileIdle(func() error { return p.copy.Clone(ctx, dir) }); err != nil {
		return nil, err
	}
	clone, err := p.tidy.pristine().RememberCopy(ctx, p.copy.TreeIn(dir), dir+".kept")
	if err != nil {
		return nil, err
	}
	for _, a := range attempts {
		if a.file != "" && isThere(p.copy.Source(filepath.Join(p.launch.Basedir, filepath.FromSlash(a.file)))) {
			continue // a user's own file, which the script would not touch
		}
		if _, err := clone.Restore(); err != nil { // what an earlier attempt left could make this one fail
			p.log.Warn("undoing what an attempt to reproduce left", zap.Error(err))
		}
		ok, err := p.shows(ctx, dir, a, o[len(o)-1])
		if err != nil {
			return nil, err
		}
		if ok {
			at, line := p.build.CommandLine(a.args...)
			rel, err := p.fromDir(at)
			if err != nil {
				return nil, err
			}
			if out, err := filepath.Rel(p.launch.Basedir, p.launch.TestOutput); err == nil && a.file != "" && filepath.IsLocal(out) {
				a.bin = path.Join(filepath.ToSlash(out), strings.TrimSuffix(path.Base(a.file), ".java")+".class")
			}
			cmd := &project.Command{What: a.what, Dir: filepath.ToSlash(rel), Line: a.script(line, p.module()), Exit: 1}
			return cmd, nil
		}
	}
	return nil, nil
}

// frameworksOf returns the project's frameworks that can run the order. The JUnit Platform is one
// of them only if the project has Jupiter and the Platform's own engines run all tests.
func (p *Project) frameworksOf(o suite.Order) []string {
	jupiter := slices.ContainsFunc(slices.Concat(p.launch.ClassPath, p.launch.Modules.Path), func(entry string) bool {
		return strings.HasPrefix(filepath.Base(entry), "junit-jupiter-api")
	})
	return withoutOthers(p.info, o, jupiter)
}

func withoutOthers(info harness.Info, o suite.Order, jupiter bool) []string {
	others := slices.ContainsFunc(info.Classes, func(c harness.Class) bool {
		return c.Framework != "platform" && slices.ContainsFunc(o, func(t suite.TestID) bool { return junitid.Launched(t) == c.Name })
	})
	if jupiter && !others {
		return info.Frameworks
	}
	return slices.DeleteFunc(slices.Clone(info.Frameworks), func(f string) bool { return strings.HasPrefix(f, "junit-platform") })
}

// isThere reports whether anything of that name exists, including a broken link.
func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// fromDir returns a path relative to the folder of the job.
func (p *Project) fromDir(path string) (string, error) {
	dir, err := filepath.EvalSymlinks(p.opts.Dir)
	if err != nil {
		return "", err
	}
	return filepath.Rel(dir, path)
}

// shows reports whether the attempt fails because of the test in question. It reads the build's
// reports, since the exit status does not say what failed.
func (p *Project) shows(ctx context.Context, dir string, a attempt, failing suite.TestID) (bool, error) {
	module := p.copy.InClone(dir, p.launch.Basedir)
	if err := withoutReports(module); err != nil {
		return false, err
	}
	if a.file != "" {
		if err := writeInside(dir, filepath.Join(module, filepath.FromSlash(a.file)), a.text); err != nil {
			return false, err
		}
	}
	var passed bool
	err := p.base.Beside(ctx, p.sequential.Load(), func(ctx context.Context) (err error) {
		passed, err = p.build.OwnTest(ctx, dir, a.args...)
		return err
	})
	if passed || err != nil {
		return false, err
	}
	ev, err := ci.Order(module)
	if err != nil {
		p.log.Info("an attempt to reproduce left no report", zap.Error(err))
		return false, nil
	}
	if a.test != "" {
		return slices.Contains(ev.Failed, a.test), nil
	}
	return slices.ContainsFunc(ev.Failed, func(name string) bool {
		found, err := p.names.Resolve(name)
		return err == nil && slices.Contains(found, failing)
	}), nil
}

// withoutReports removes the test reports of earlier runs below a folder.
func withoutReports(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "src" || d.Name() == ".git"):
			return fs.SkipDir
		case d.Type().IsRegular() && strings.HasPrefix(d.Name(), "TEST-") && filepath.Ext(path) == ".xml":
			return os.Remove(path)
		}
		return nil
	})
}

// testRoot returns the first folder of test sources in the checkout, relative to the module. It
// returns "" if there is none.
func (p *Project) testRoot() string {
	for _, root := range p.launch.SourceRoots {
		rel, err := filepath.Rel(p.launch.Basedir, root)
		if err == nil && filepath.IsLocal(rel) && isDir(p.copy.Source(root)) {
			return filepath.ToSlash(rel)
		}
	}
	return ""
}
