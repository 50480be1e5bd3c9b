// Package java investigates projects whose tests run in a JVM that Maven or Gradle starts.
//
// A Project is built in a copy of the checkout (package build) by its own build tool (packages
// maven and gradle). Its tests run in processes that are started as the build starts them (package
// harness). An agent in the test JVM observes static state. A separate JVM reads and edits sources
// (package workbench).
package java

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/java/build"
	"github.com/odfix/odfix/internal/java/gradle"
	"github.com/odfix/odfix/internal/java/maven"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/suite"
)

// Language is Java, or any other language of the JVM that Maven or Gradle builds.
type Language struct{}

var _ project.Language = Language{}

// lockWait bounds how long odfix waits for another odfix in the same checkout.
const lockWait = 30 * time.Second

// Name implements project.Language.
func (Language) Name() string { return "java" }

// Recognises implements project.Language.
func (Language) Recognises(dir string) bool {
	return build.Exists(filepath.Join(dir, "pom.xml")) || gradle.Builds(dir)
}

// Around returns the nearest folder, the given one or one above it, that Maven or Gradle builds; ""
// if there is none.
func Around(dir string) string {
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return ""
	}
	for d := abs; ; d = filepath.Dir(d) {
		if (Language{}).Recognises(d) {
			return d
		}
		if d == filepath.Dir(d) {
			return ""
		}
	}
}

// OfGradle reports whether Gradle builds the project around a folder. If its folder has files of
// Maven and of Gradle, Maven does.
func OfGradle(dir string) bool {
	at := Around(dir)
	return at != "" && !build.Exists(filepath.Join(at, "pom.xml"))
}

// builder is a build tool that has a copy of the checkout.
type builder interface {
	// Record builds the project, and returns how each part of the build that runs tests starts its
	// JVM.
	Record(ctx context.Context) ([]build.Launch, error)
	// TestCompile compiles the tests of a clone with the project's own build, without these of the
	// plugins that check sources and affect no test.
	TestCompile(ctx context.Context, dir string, without []string) error
	// Tool names the build tool and its version where known, for people.
	Tool() string
	// Name is the build tool's name alone.
	Name() string

	// CommandLine returns a command for sh that runs the project's own tests, and the folder of the
	// checkout in which to run it. OwnTest runs it in a clone, without any part of odfix. It
	// reports whether the tests passed. An error means that there is no result.
	CommandLine(args ...string) (dir, line string)
	OwnTest(ctx context.Context, dir string, args ...string) (passed bool, err error)
	// InOrder returns arguments with which the build runs exactly these tests in this order, or
	// reports false. original is the build's own order.
	InOrder(l *build.Launch, o, original suite.Order) ([]string, bool)
	// Class returns arguments with which the build runs one class, or nil.
	Class(l *build.Launch, name string) []string
	// Sorted returns arguments with which JUnit 5 sorts the methods by a class of this name, and
	// with classes also the classes. It reports false if the build passes JUnit nothing.
	Sorted(l *build.Launch, o suite.Order, by string, classes bool) ([]string, bool)
}

// open opens the project around the folder of the options: that of the nearest file of the build
// tool.
func open(ctx context.Context, o project.Options) (builder, *build.Workspace, error) {
	if o.BuildTool == job.Gradle || o.BuildTool == "" && OfGradle(o.Dir) {
		p, err := gradle.Open(ctx, buildOptions(o))
		if err != nil {
			return nil, nil, err
		}
		return p, p.Workspace, nil
	}
	p, err := maven.Open(ctx, buildOptions(o))
	if err != nil {
		return nil, nil, err
	}
	return p, p.Workspace, nil
}

// Open implements project.Language.
func (Language) Open(ctx context.Context, o project.Options) (project.Project, error) {
	o = withDefaults(o)
	o.Phase(project.Building)
	o.Progress("building a copy of the project")
	b, w, err := open(ctx, o)
	if err != nil {
		return nil, explained(err)
	}
	p := &Project{build: b, copy: w, opts: o}
	if err := p.start(ctx); err != nil {
		_ = p.Close()
		return nil, explained(err)
	}
	p.log.Info("project", zap.String("module", p.launch.Module), zap.Int("tests", len(p.suite.Order())))
	return p, nil
}

// Build implements project.Language.
func (Language) Build(ctx context.Context, o project.Options) error {
	o = withDefaults(o)
	o.Phase(project.Building)
	o.Progress("fetching what the build needs")
	b, w, err := open(ctx, o)
	if err != nil {
		return explained(err)
	}
	_, err = b.Record(ctx)
	return explained(errors.Join(err, w.Close()))
}

// withDefaults replaces missing callbacks.
func withDefaults(o project.Options) project.Options {
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	if o.Phase == nil {
		o.Phase = func(project.Phase) {}
	}
	return o
}

func buildOptions(o project.Options) build.Options {
	return build.Options{
		Dir: o.Dir, Module: o.Module, Tests: o.Tests, Args: o.BuildArgs, Offline: o.Offline, JavaHome: o.Runtime,
		Work: o.Work, Wait: lockWait, Budget: o.Budget,
	}
}
