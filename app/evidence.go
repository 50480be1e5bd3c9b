package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/ci"
	"github.com/odfix/odfix/internal/java"
	"github.com/odfix/odfix/internal/java/build"
	"github.com/odfix/odfix/internal/jest"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/shell"
	"github.com/odfix/odfix/internal/suite"
)

// evidence finds out what failed and in which order. It reads what the flags name, else the reports
// of the last run in the checkout.
func (f *fix) evidence(j *job.Job) error {
	if f.order != "" {
		return f.ordered(j)
	}
	project := java.Around(j.Dir) // odfix can be started in any folder of the project
	top := cmp.Or(project, j.Dir)
	modules := reportModules(top, f.module)
	ev, err := ci.LastRun(modules)
	if len(f.tests) > 0 {
		// The tests are named. The reports only help if they show the same failure.
		if err == nil && showsAny(ev, f.tests) {
			observe(j, ev)
		} else if err == nil {
			timed(j, ev.Parts)
		}
		return nil
	}
	name := "Name the failing test: odfix fix --test CLASS#METHOD"
	if isJest(j) {
		return &job.Error{
			Code: codeNoJestReport, Message: "Jest leaves no report of its last run",
			Detail: "npx jest --json --outputFile=jest.json\nodfix fix --order jest.json",
			Hint: "Type these two lines in the package's folder, or name the failing test: " +
				"odfix fix --test 'FILE#DESCRIBE › TEST'",
		}
	}
	switch {
	case project == "":
		return noProject(j.Dir, modules)
	case errors.Is(err, ci.ErrNoReports):
		return &job.Error{
			Code: "no-reports", Message: fmt.Sprintf("there is no test report of a last run below %s", top),
			Hint: name + ", or run your tests (mvn test, gradle test) and then odfix fix, or give the log of a failed build with --order.",
		}
	case err == nil && len(ev.Tests) > 0 && !slices.ContainsFunc(ev.Tests, func(t string) bool { return !java.IsReproduction(t) }):
		return &job.Error{Code: "no-reports", Message: "the test reports are those of the command with which odfix showed a failing order",
			Hint: name + ", or run your tests and then odfix fix."}
	case err != nil:
		return &job.Error{Code: "bad-reports", Message: "the reports of the last run cannot be read: " + err.Error(), Hint: name + "."}
	case len(ev.Failed) == 0:
		return &job.Error{
			Code: codeNoFailure, Message: fmt.Sprintf("no test failed in the last run (its reports have %s)", suite.Count(len(ev.Tests), "test", "tests")),
			Hint: name + ". If it fails in CI only, give CI's log with --order. To look for tests that could fail in another " +
				"order, run odfix detect.",
		}
	}
	observe(j, ev)
	return nil
}

// isJest reports whether the job's project uses Jest.
func isJest(j *job.Job) bool {
	return j.Language == "jest" || j.Language == "" && !java.Language{}.Recognises(j.Dir) && jest.Language{}.Recognises(j.Dir)
}

// Codes of errors that have an exit status of their own.
const (
	codeNoFailure    = "no-failure"
	codeNoJestReport = "no-jest-report"
)

// noProject returns what is wrong with the folder. A module with reports below it may be the project.
func noProject(dir string, modules []string) error {
	b := build.NoProject(dir)
	out := &job.Error{Code: b.Code, Message: b.Message, Hint: b.Hint, Detail: b.Detail}
	if at := java.Around(modules[0]); at != "" {
		out.Hint = "Give the folder of the project: odfix fix " + shell.Quote(at)
	}
	return out
}

// ordered reads the order from --order.
func (f *fix) ordered(j *job.Job) error {
	ev, err := ci.Order(f.order)
	if err != nil {
		return usage("", "--order: %v", err)
	}
	observe(j, ev)
	if len(j.Tests) > 0 {
		return nil
	}
	switch {
	case len(j.Order.Failed) > 0:
	case len(ev.Parts) > 0: // a run of tests, of which none failed
		return &job.Error{Code: codeNoFailure,
			Message: fmt.Sprintf("no test failed in %s (%s ran)", ev.Source, suite.Count(len(ev.Tests), "test", "tests")),
			Hint: "Give the log or the reports of a run in which a test failed, or name the test with --test. " +
				"To look for tests that could fail in another order, run odfix detect."}
	default:
		return usage("Name the failing test: odfix fix --order "+shell.Quote(f.order)+" --test TEST",
			"%s does not show which test failed", ev.Source)
	}
	return nil
}

// observe puts evidence into the job. If the source has several modules and only one has
// failures, the order is that of this module: tests of the others never ran in its process.
func observe(j *job.Job, ev ci.Evidence) {
	j.Order = &job.ObservedOrder{
		Provenance: ev.Provenance, Source: ev.Source, Tests: ev.Tests, Failed: ev.Failed, Notes: ev.Notes,
	}
	red := suite.Filter(ev.Parts, func(p ci.Part) bool { return len(p.Failed) > 0 })
	if len(red) == 1 {
		j.Order.Tests, j.Order.Failed = red[0].Tests, red[0].Failed
	}
	timed(j, red)
}

// timed sets how long the tests took: those of the slowest part, because one part is examined.
func timed(j *job.Job, parts []ci.Part) {
	for _, p := range parts {
		if p.Took > j.Took {
			j.Took, j.Timed = p.Took, len(p.Tests)
		}
	}
}

// showsAny reports whether one of the named tests failed there.
func showsAny(ev ci.Evidence, names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool {
		return slices.ContainsFunc(ev.Failed, func(f string) bool { return ci.Same(f, n) })
	})
}

// maxDepth is how many folders below a checkout are searched for modules.
const maxDepth = 8

// reportModules returns the folders below dir that contain test reports. If the module is a folder,
// it returns only that one.
func reportModules(dir, module string) []string {
	if module != "" {
		own := filepath.Join(dir, filepath.FromSlash(module))
		if fi, err := os.Stat(own); err == nil && fi.IsDir() {
			return []string{own}
		}
	}
	var out []string
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil // unreadable folders have no reports for odfix
		}
		rel, _ := filepath.Rel(dir, path)
		name := d.Name()
		hidden := strings.HasPrefix(name, ".") && rel != "."
		if hidden || name == "src" || name == "node_modules" || name == "target" || name == "build" && rel != "." && !isThere(path, "pom.xml") ||
			strings.Count(rel, string(filepath.Separator)) >= maxDepth {
			return filepath.SkipDir
		}
		if len(ci.ReportFolders(path)) > 0 {
			out = append(out, path)
		}
		return nil
	})
	if len(out) == 0 {
		out = []string{dir}
	}
	return out
}
