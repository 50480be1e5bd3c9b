// Package java investigates projects whose tests run in a JVM that Maven starts.
//
// A Project is built in a copy of the checkout (package maven). Its tests run in processes that are
// started as the build starts them (package harness). An agent in the test JVM observes static
// state. A separate JVM reads and edits sources (package workbench).
package java

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/java/maven"
	"github.com/odfix/odfix/internal/project"
)

// Language is Java, or any other language of the JVM that Maven builds.
type Language struct{}

var _ project.Language = Language{}

// lockWait bounds how long odfix waits for another odfix in the same checkout.
const lockWait = 30 * time.Second

// Name implements project.Language.
func (Language) Name() string { return "java" }

// Recognises implements project.Language.
func (Language) Recognises(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "pom.xml"))
	return err == nil
}

// Open implements project.Language.
func (Language) Open(ctx context.Context, o project.Options) (project.Project, error) {
	o = withDefaults(o)
	o.Phase(project.Building)
	o.Progress("building a copy of the project")
	b, err := maven.Open(ctx, buildOptions(o))
	if err != nil {
		return nil, explained(err)
	}
	p := &Project{build: b, opts: o}
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
	b, err := maven.Open(ctx, buildOptions(o))
	if err != nil {
		return explained(err)
	}
	_, err = b.Record(ctx)
	return explained(errors.Join(err, b.Close()))
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

func buildOptions(o project.Options) maven.Options {
	return maven.Options{
		Dir: o.Dir, Module: o.Module, Tests: o.Tests, Args: o.BuildArgs, Offline: o.Offline, JavaHome: o.Runtime,
		Work: o.Work, Wait: lockWait, Budget: o.Budget,
	}
}
