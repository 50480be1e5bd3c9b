package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/suite"
	"github.com/odfix/odfix/internal/worktree"
)

// module is one module of a checkout, built, and ready to run its tests.
type module struct {
	*lab
	about  project.About
	suite  *suite.Suite
	names  *suite.Resolver
	groups *suite.Groups
}

// language returns the language that the job names, or else the one that recognises the project. If
// none does, it returns the first one, whose error says what is missing.
func (w *worker) language() (project.Language, error) {
	if name := w.job.Language; name != "" {
		for _, l := range w.Languages {
			if l.Name() == name {
				return l, nil
			}
		}
		return nil, &job.Error{Code: "no-language", Message: "this runner knows no language " + name}
	}
	for _, l := range w.Languages {
		if l.Recognises(w.job.Dir) {
			return l, nil
		}
	}
	if len(w.Languages) == 0 {
		return nil, &job.Error{Code: "no-language", Message: "this runner knows no language", Hint: "Use the odfix of a release."}
	}
	return w.Languages[0], nil
}

// open builds the project and discovers the tests of the module that contains the named tests.
func (w *worker) open(ctx context.Context, names []string, r *job.Report) (*module, error) {
	l, err := w.language()
	if err != nil {
		return nil, err
	}
	base, err := l.Open(ctx, w.projectOptions(ctx, names))
	if err != nil {
		return nil, err
	}
	s := base.Suite()
	p := &module{
		lab: &lab{base: base, log: w.Log, original: s.Order()}, about: base.About(), suite: s,
		names: suite.NewResolver(s, base.Syntax()), groups: suite.NewGroups(s, base.Syntax()),
	}
	w.mu.Lock()
	w.opened = p
	w.mu.Unlock()
	p.describe(ctx, r)
	return p, nil
}

func (w *worker) projectOptions(ctx context.Context, names []string) project.Options {
	o := project.Options{
		Dir: w.job.Dir, BuildTool: w.job.BuildTool, Module: w.job.Module, Tests: names, BuildArgs: w.job.BuildArgs, Offline: w.job.Offline, Runtime: w.job.Runtime,
		Work: w.job.Work, Parallel: w.job.Parallel, TestTimeout: w.job.TestTimeout, Log: w.Log,
		Progress: func(sentence string) { w.say(job.Event{Message: sentence}) },
		Phase: func(phase project.Phase) {
			w.enter(map[project.Phase]string{project.Building: job.PhaseBuild, project.Discovering: job.PhaseDiscover}[phase])
		},
	}
	if at, ok := ctx.Deadline(); ok {
		o.Budget = time.Until(at)
	}
	return o
}

// build builds up to the point where tests would run. The next job with the same work folder
// reuses the result.
func (w *worker) build(ctx context.Context) error {
	l, err := w.language()
	if err != nil {
		return err
	}
	return l.Build(ctx, w.projectOptions(ctx, w.job.Tests))
}

// describe writes information on the project into the report.
func (p *module) describe(ctx context.Context, r *job.Report) {
	a := p.about
	r.Project.Language = a.Language
	r.Project.Root, r.Project.Revision, r.Project.Module = a.Root, worktree.Revision(ctx, a.Root), a.Module
	r.Project.Build, r.Project.Provider, r.Project.Runtime = a.Build, a.Runner, a.Runtime
	r.Project.Tests, r.Project.Isolated, r.Project.Parallel, r.Project.BuildArgs = len(p.original), a.Isolated, a.Parallel, a.BuildArgs
	r.Notes = append(r.Notes, a.Notes...)
}

// observer returns the project, if its tests' state can be observed.
func (p *module) observer() (project.Observer, error) {
	o, ok := p.base.(project.Observer)
	if !ok {
		return nil, &job.Error{Code: "not-observed", Message: "shared state of " + p.about.Language + " tests cannot be observed yet"}
	}
	return o, nil
}

// exactly resolves names to an order that keeps every repetition. An unknown name is an error,
// because the order could not run exactly.
func (p *module) exactly(names []string) (suite.Order, error) {
	var o suite.Order
	for _, n := range names {
		found, err := p.names.Resolve(n)
		if err != nil {
			return nil, &job.Error{Code: "no-such-test", Message: err.Error(),
				Hint: "The order must name tests of one module; see --module."}
		}
		o = append(o, found...)
	}
	return o, nil
}

// seen returns the order in which a failure was seen, and the names in it that the module does not have.
func (p *module) seen(o *job.ObservedOrder) (suite.Seen, []string) {
	tests, unknown := p.names.Expand(o.Tests)
	out := suite.Seen{Source: o.Source, Provenance: o.Provenance, Order: tests}
	if len(unknown) > 0 {
		out.Provenance = out.Provenance.AtBest(suite.Partial)
	}
	return out, unknown
}

// touched returns which of these tests the change since a revision touches: tests whose class comes
// from a changed file, or that can reach a class of the project that does. The notes are for people.
func (p *module) touched(ctx context.Context, since string, can suite.Order) (tests suite.Order, notes []string, err error) {
	files, err := worktree.ChangedFiles(ctx, p.about.Root, since)
	if err != nil {
		return nil, nil, err
	}
	affected, rest, err := p.base.AffectedBy(ctx, files)
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
