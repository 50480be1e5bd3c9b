// Package accept takes from a runner's report what the server can check, and leaves out the rest.
//
// A runner runs the code of a pull request, and that code can write the whole report. So the report
// is hostile. Report makes a new one, field by field.
//
// Invariants of the result:
//   - Each of its tests was asked about.
//   - Verdicts, outcomes, phases, prices, kinds, locations and styles are odfix's own words.
//   - A patch edits test sources only, and applies to the sources that the server has from GitHub.
//   - The server has built each command from ids that it checked, and quoted it for the shell.
//   - The names of tests are derived from their ids.
//   - Its size is bounded, and so is the work to make it: it is linear in the report's size.
//
// The package reads the sources, and neither runs nor follows anything in them.
package accept

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/jest/jestid"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// The languages of tests, as in job.Job.
const (
	Java = "java"
	Jest = "jest"
)

// Scope is what the server knows about the job that a report answers.
type Scope struct {
	Language string // of the job
	// Sources are the commit's sources, as GitHub has them. No project code has run in them.
	Sources fs.FS
	Dir     string // the folder of them in which the build runs, with '/'; "." for their top
	// Tests are the tests that were asked about, as CI named them.
	Tests []string
	// Args are the options of the build that the server gave to the runner.
	Args []string
	// OrderSource is where the job's order was seen, in the server's words. "": the job has none.
	OrderSource string
	// Base is what the pull request is compared with. nil: the commit is none of a pull request.
	Base Base
}

// Base is the base branch of a pull request, which its author chooses, and the repository's default branch.
type Base interface {
	// Texts returns the text of a file at the newest commit of each of the two branches that has the
	// file. A file that GitHub refuses to send has an empty text.
	Texts(file string) ([]string, error)
}

// The limits of a report. A report beyond them is cut.
const (
	maxTests    = 500 // of a report
	maxPatches  = 8   // of a test
	maxAll      = 400 // patches of a report
	maxFiles    = 20  // of a patch
	maxTouched  = 60  // files of all patches
	maxDiff     = 256 << 10
	maxIDs      = 50000 // in all orders of a report
	maxOrder    = 20000 // tests of an order
	maxGroups   = 50    // polluters, state-setters or cleaners of a test
	maxAnswers  = 50    // of a test
	maxList     = 50    // of any other list
	maxNotes    = 20
	maxSentence = 2000 // bytes
	maxText     = 20000
)

// Report returns what the server accepts of a report. Its only error is that of the context.
func Report(ctx context.Context, r *job.Report, s Scope) (*job.Report, error) {
	a := acceptor{scope: s, sources: newSources(s), left: maxIDs, syntax: syntaxOf(s.Language), tests: map[suite.TestID]suite.Verdict{}}
	out := a.head(r)
	for _, t := range a.asked(r.Tests) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out.Tests = append(out.Tests, a.test(t))
	}
	a.patches(ctx, r, out)
	out.Combined, out.Alternative = a.combined(ctx, r.Combined), a.alternative(r.Alternative)
	a.shared(r, out)
	if err := a.sources.base.err; err != nil {
		return nil, fmt.Errorf("the base branch: %w", err)
	}
	out.NameTests(job.NameBy(a.syntax))
	if n := len(r.Tests) - len(out.Tests); n > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("Verdicts of the runner that nobody asked for, or in no known form, are left out: %d.", n))
	}
	out.Notes = append(out.Notes, a.notes...)
	out.Tidy()
	return out, ctx.Err()
}

// Unconfirmed removes the patches and commands of a report, in place. It is for reports that no
// second runner has confirmed.
func Unconfirmed(r *job.Report) {
	for i := range r.Tests {
		r.Tests[i].Reproduce = nil
		for k := range r.Tests[i].Patches {
			r.Tests[i].Patches[k] = Withdrawn(r.Tests[i].Patches[k])
		}
	}
	r.Combined, r.Alternative = nil, nil
}

// Withdrawn is what is said of a patch that is not proved: its kind.
func Withdrawn(p job.Patch) job.Patch {
	return job.Patch{Kind: p.Kind, Statements: []string{}, Files: []string{}, Fixes: []suite.TestID{},
		Proof: job.Proof{Checks: []job.Check{}, Commands: []job.Command{}}}
}

// acceptor reads one report.
type acceptor struct {
	scope   Scope
	sources *sources
	syntax  suite.Syntax
	left    int // ids that may still be taken
	tests   map[suite.TestID]suite.Verdict
	notes   []string
}

// NameOf derives names of tests by a language's syntax.
func NameOf(language string) func(suite.TestID) job.TestName { return job.NameBy(syntaxOf(language)) }

func syntaxOf(language string) suite.Syntax {
	if language == Jest {
		return jestid.Syntax{}
	}
	return junitid.Syntax{}
}

// head is the report without its tests.
func (a *acceptor) head(r *job.Report) *job.Report {
	out := &job.Report{
		Version: job.Version, Tool: line(r.Tool), Started: r.Started, Finished: r.Finished, Cost: cost(r.Cost),
		Notes: list(r.Notes, maxNotes, maxSentence),
		Project: job.Project{Language: a.scope.Language, Build: line(r.Project.Build), Provider: line(r.Project.Provider),
			Runtime: line(r.Project.Runtime), Tests: count(r.Project.Tests), Isolated: r.Project.Isolated, Parallel: r.Project.Parallel,
			BuildArgs: slices.Clone(a.scope.Args)},
	}
	if e := r.Error; e != nil {
		out.Error = &job.Error{Code: word(e.Code), Message: cut(e.Message, maxSentence), Hint: cut(e.Hint, maxSentence),
			Detail: cut(e.Detail, maxText)}
	}
	return out
}

// test is the result for one test, without its patches.
func (a *acceptor) test(t job.TestReport) job.TestReport {
	out := job.TestReport{
		Test: t.Test, Verdict: t.Verdict, Reason: cut(t.Reason, maxSentence), Failure: failure(t.Failure),
		FailingOrder: a.seen(t.FailingOrder), PassingOrder: a.seen(t.PassingOrder),
		Polluters: a.orders(t.Polluters), StateSetters: a.orders(t.StateSetters),
		State: list(t.State, maxList, maxSentence), StateMatters: t.StateMatters, OtherLoader: t.OtherLoader,
		NoReset: a.places(t.NoReset), NoResetOfTests: a.places(t.NoResetOfTests),
		Reflectable: a.places(t.Reflectable), ResetBodies: bodies(t.ResetBodies),
		Unpatched: known(t.Unpatched, unpatched), NonIdempotent: t.NonIdempotent, Notes: list(t.Notes, maxNotes, maxSentence), Cost: cost(t.Cost),
	}
	if o, ok := a.order(t.MinimalOrder); ok && len(o) > 0 && o[len(o)-1] == t.Test {
		out.MinimalOrder = minimal(out, o)
	}
	for _, c := range head(t.Cleaners, maxGroups) {
		polluter, ok := a.order(c.Polluter)
		cleaner, also := a.order(c.Cleaner)
		if ok && also && len(cleaner) > 0 {
			out.Cleaners = append(out.Cleaners, suite.Cleaner{Polluter: polluter, Cleaner: cleaner})
		}
	}
	for _, c := range head(t.Changes, maxList) {
		out.Changes = append(out.Changes, job.StateChange{Field: line(c.Field), Path: line(c.Path),
			Before: cut(c.Before, maxSentence), After: cut(c.After, maxSentence)})
	}
	for _, e := range head(t.Evidence, maxAnswers) {
		if o, ok := a.order(e.Order); ok && outcomes[e.Outcome] {
			out.Evidence = append(out.Evidence, suite.Answer{Order: o, Outcome: e.Outcome, Repeats: count(e.Repeats), Why: line(e.Why)})
		}
	}
	for _, c := range head(t.Reproduce, 1) {
		for _, o := range failing(out) {
			if built, ok := a.command(c, o); ok {
				out.Reproduce = []job.Command{built}
				break
			}
		}
	}
	return out
}

// shared takes what several tests have in common.
func (a *acceptor) shared(r, out *job.Report) {
	out.Observed = a.seen(r.Observed)
	for _, t := range head(r.LeftOut, maxGroups) {
		if a.valid(t) {
			out.LeftOut = append(out.LeftOut, t)
		}
	}
	for _, c := range head(r.Cohorts, maxGroups) {
		tests := suite.Filter(head(c.Tests, maxTests), func(t suite.TestID) bool { return a.tests[t] != "" })
		failing, ok := a.order(c.Failing)
		passing, also := a.order(c.Passing)
		cause, known := a.order(c.Cause)
		if ok && also && known && len(tests) > 0 {
			out.Cohorts = append(out.Cohorts, job.Cohort{Tests: tests, Failing: failing, Passing: passing, Cause: cause, Repeats: count(c.Repeats)})
		}
	}
	for _, c := range head(r.Crashes, maxNotes) { // they are why tests are left out
		if o, ok := a.order(c.Order); ok && crashes[c.Crash.Kind] && (c.Crash.During == "" || a.valid(c.Crash.During)) {
			crash := suite.Crash{Kind: c.Crash.Kind, During: c.Crash.During}
			out.Crashes = append(out.Crashes, job.Ended{Crash: crash, Order: o, Times: count(c.Times)})
		}
	}
}

// readFile reads a small regular file of the sources; "" if there is none.
func readFile(all fs.FS, name string) string {
	f, err := all.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSource {
		return ""
	}
	text, err := io.ReadAll(io.LimitReader(f, maxSource))
	if err != nil {
		return ""
	}
	return string(text)
}

// maxSource bounds a source file that is read. maxRead bounds the memory for all that are kept while
// a report is read.
const (
	maxSource = 1 << 20
	maxRead   = 16 << 20
	perLine   = 100 // bytes for each line in addition to its text
)
