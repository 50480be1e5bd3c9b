package session

import (
	"context"
	"fmt"
	"time"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
	"github.com/odfix/odfix/internal/worktree"
)

// Module is one module of a checkout, built, and ready to run its tests.
type Module struct {
	*Lab
	About  project.About   // what the language knows of the module
	Suite  *suite.Suite    // its tests
	Names  *suite.Resolver // resolves names that people and logs give
	Groups *suite.Groups
}

// language returns the language that the job names, or else the one that recognises the project. If
// none does, it returns the first one, whose error says what is missing.
func (s *Session) language() (project.Language, error) {
	if name := s.Job.Language; name != "" {
		for _, l := range s.Languages {
			if l.Name() == name {
				return l, nil
			}
		}
		return nil, &job.Error{Code: "no-language", Message: "this runner knows no language " + name}
	}
	for _, l := range s.Languages {
		if l.Recognises(s.Job.Dir) {
			return l, nil
		}
	}
	if len(s.Languages) == 0 {
		return nil, &job.Error{Code: "no-language", Message: "this runner knows no language", Hint: "Use the odfix of a release."}
	}
	return s.Languages[0], nil
}

// Open builds the project and discovers the tests of the module that contains the named tests.
func (s *Session) Open(ctx context.Context, names []string, r *job.Report) (*Module, error) {
	l, err := s.language()
	if err != nil {
		return nil, err
	}
	base, err := l.Open(ctx, s.projectOptions(ctx, names))
	if err != nil {
		return nil, err
	}
	tests := base.Suite()
	p := &Module{
		Lab: &Lab{Base: base, log: s.Log, Original: tests.Order()}, About: base.About(), Suite: tests,
		Names: suite.NewResolver(tests, base.Syntax()), Groups: suite.NewGroups(tests, base.Syntax()),
	}
	s.mu.Lock()
	s.opened = p
	s.mu.Unlock()
	p.describe(ctx, r)
	return p, nil
}

func (s *Session) projectOptions(ctx context.Context, names []string) project.Options {
	o := project.Options{
		Dir: s.Job.Dir, BuildTool: s.Job.BuildTool, Module: s.Job.Module, Tests: names, BuildArgs: s.Job.BuildArgs, Offline: s.Job.Offline, Runtime: s.Job.Runtime,
		Work: s.Job.Work, Parallel: s.Job.Parallel, TestTimeout: s.Job.TestTimeout, Log: s.Log,
		Progress: func(sentence string) { s.Say(job.Event{Message: sentence}) },
		Phase: func(phase project.Phase) {
			s.Enter(map[project.Phase]string{project.Building: job.PhaseBuild, project.Discovering: job.PhaseDiscover}[phase])
		},
	}
	if at, ok := ctx.Deadline(); ok {
		o.Budget = time.Until(at)
	}
	return o
}

// Build builds up to the point where tests would run. The next job with the same work folder
// reuses the result.
func (s *Session) Build(ctx context.Context) error {
	l, err := s.language()
	if err != nil {
		return err
	}
	return l.Build(ctx, s.projectOptions(ctx, s.Job.Tests))
}

// describe writes information on the project into the report.
func (p *Module) describe(ctx context.Context, r *job.Report) {
	a := p.About
	r.Project.Language = a.Language
	r.Project.Root, r.Project.Revision, r.Project.Module = a.Root, worktree.Revision(ctx, a.Root), a.Module
	r.Project.Build, r.Project.Provider, r.Project.Runtime = a.Build, a.Runner, a.Runtime
	r.Project.Tests, r.Project.Isolated, r.Project.Parallel, r.Project.BuildArgs = len(p.Original), a.Isolated, a.Parallel, a.BuildArgs
	r.Notes = append(r.Notes, a.Notes...)
}

// Arrange gives the suite the order that it had in another process.
func (p *Module) Arrange(like suite.Order) {
	p.Suite.Arrange(like)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Original, p.own = p.Suite.Order(), nil
}

// Observer returns the project, if its tests' state can be observed.
func (p *Module) Observer() (project.Observer, error) {
	o, ok := p.Base.(project.Observer)
	if !ok {
		return nil, &job.Error{Code: "not-observed", Message: "shared state of " + p.About.Language + " tests cannot be observed yet"}
	}
	return o, nil
}

// Exactly resolves names to an order that keeps every repetition. An unknown name is an error,
// because the order could not run exactly.
func (p *Module) Exactly(names []string) (suite.Order, error) {
	var o suite.Order
	for _, n := range names {
		found, err := p.Names.Resolve(n)
		if err != nil {
			return nil, &job.Error{Code: "no-such-test", Message: err.Error(),
				Hint: "The order must name tests of one module; see --module."}
		}
		o = append(o, found...)
	}
	return o, nil
}

// Seen returns the order in which a failure was seen, and the names in it that the module does not
// have.
func (p *Module) Seen(o *job.ObservedOrder) (suite.Seen, []string) {
	tests, unknown := p.Names.Expand(o.Tests)
	out := suite.Seen{Source: o.Source, Provenance: o.Provenance, Order: tests}
	if len(unknown) > 0 {
		out.Provenance = out.Provenance.AtBest(suite.Partial)
	}
	return out, unknown
}

// Touched returns which of these tests the change since a revision touches: tests whose class comes
// from a changed file, or that can reach a class of the project that does. It also returns notes
// for the report.
func (p *Module) Touched(ctx context.Context, since string, can suite.Order) (tests suite.Order, notes []string, err error) {
	files, err := worktree.ChangedFiles(ctx, p.About.Root, since)
	if err != nil {
		return nil, nil, err
	}
	affected, rest, err := p.Base.AffectedBy(ctx, files)
	if err != nil {
		return nil, nil, err
	}
	if len(rest) > 0 {
		notes = append(notes, fmt.Sprintf("Of the %d changed files, %d are no sources of this module's code and were not taken into account (%s …).",
			len(files), len(rest), rest[0]))
	}
	runs := map[suite.TestID]bool{}
	for _, t := range can {
		runs[t] = true
	}
	tests = suite.Filter(affected, func(t suite.TestID) bool { return runs[t] })
	if len(tests) == 0 {
		notes = append(notes, fmt.Sprintf("The change since %s touches no test of this module.", since))
	}
	return tests, notes, nil
}

// Patcher returns a Patcher of the module without an editor. Its progress is about the test, if there
// is one.
func (p *Module) Patcher(s *Session, t suite.TestID) *repair.Patcher {
	return &repair.Patcher{Groups: p.Groups, Runner: p.Lab, CompilesLate: p.About.CompilesLate, Took: p.Lab.Took, Log: s.Log,
		Progress: func(text string) { s.Say(job.Event{Test: t, Message: text}) }}
}
