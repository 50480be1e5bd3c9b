package ci

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// Bounds of a search for report folders and of a folder's content.
const (
	maxReportFiles = 50_000
	maxDepth       = 8
	maxEntries     = 500_000
)

// folder holds the reports of one plugin execution's folder, from its newest run only, in the order
// in which their classes ran.
type folder struct {
	path       string
	reports    []*report
	run        string // as in report
	start, end time.Time
	notes      []string
}

// oneReport returns the evidence of a single report file: one class with all its tests.
func oneReport(path string, src *source) (Evidence, error) {
	r, err := parseReport(path, src, newBudget(src.limits))
	if err != nil {
		return Evidence{}, err
	}
	if r.jest {
		return jestReport(r)
	}
	f := &folder{path: filepath.Dir(path), reports: []*report{r}}
	ev := evidence([]*folder{f}, "report "+path)
	if len(ev.Tests) == 0 {
		return Evidence{}, fmt.Errorf("%s holds no test; give the folder with all of the run's reports", path)
	}
	return ev, nil
}

// takeJest removes Jest's reports from the folders and returns them.
func takeJest(folders []*folder) []*report {
	var out []*report
	for _, f := range folders {
		f.reports = slices.DeleteFunc(f.reports, func(r *report) bool {
			if r.jest {
				out = append(out, r)
			}
			return r.jest
		})
	}
	return out
}

// jestReport returns the evidence of a file that a reporter of Jest wrote. It has the tests of each
// file in the order in which they ran. The files are in the order in which they ended.
func jestReport(r *report) (Evidence, error) {
	ev := Evidence{Source: "report " + r.path, Provenance: suite.Exact, Tool: Jest}
	if len(r.cases) == 0 {
		return Evidence{}, fmt.Errorf("%s holds no test; give the report of a whole run", r.path)
	}
	if r.suites > 1 {
		ev.Provenance = suite.Inferred
		ev.note("%s", jestSideBySide)
	}
	if r.cut {
		ev.note("%s ends early; its last tests are missing", r.path)
		ev.Provenance = ev.Provenance.AtBest(suite.Partial)
	}
	var failures, flakes set
	r.sort(&failures, &flakes)
	part := Part{Execution: "jest", Failed: failures.list, Took: r.seconds}
	for _, c := range r.cases {
		part.Tests = append(part.Tests, c.id)
	}
	ev.Parts, ev.Flaked = []Part{part}, flakes.list
	ev.join()
	return ev, nil
}

// tree reads the reports in dir, or in the report folders below it.
func (r reader) tree(dir string) (Evidence, error) {
	dirs, err := reportDirs(dir)
	if err != nil {
		return Evidence{}, err
	}
	var folders []*folder
	spent := newBudget(r.limits)
	for _, d := range dirs {
		f, err := r.folder(d, spent)
		if err == nil && !spent.add(len(d)) {
			err = spent.err()
		}
		if errors.Is(err, ErrTooMuch) {
			return Evidence{}, fmt.Errorf("%s %w; give the reports of one module", dir, err)
		}
		if err != nil {
			return Evidence{}, err
		}
		folders = append(folders, f)
	}
	jest := takeJest(folders)
	ev := evidence(folders, "test reports in "+dir)
	for _, x := range jest { // reporters of Jest can be configured to use Surefire's file names
		if j, err := jestReport(x); err == nil && len(ev.Failed) == 0 && (len(j.Failed) > 0 || len(ev.Tests) == 0) {
			ev = j
		}
	}
	if len(ev.Tests) == 0 {
		return Evidence{}, fmt.Errorf("%w in %s (looked for TEST-*.xml there and in the folders below); run the "+
			"tests first, or give their target/surefire-reports", ErrNoReports, dir)
	}
	return ev, nil
}

// reportDirs finds the folders that hold reports: dir itself, or folders below it.
func reportDirs(dir string) ([]string, error) {
	found := map[string]bool{}
	entries := 0
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if entries++; entries > maxEntries {
			return fmt.Errorf("%s has too many files to search; give the folder with the TEST-*.xml files itself", dir)
		}
		switch {
		case err != nil && path == dir:
			return fmt.Errorf("%s cannot be read: %w", dir, err)
		case err != nil:
			return nil // an unreadable folder has no reports
		case e.IsDir() && path != dir && skipDir(dir, path, e.Name()):
			return fs.SkipDir
		case e.Type().IsRegular() && isReportName(e.Name()):
			found[filepath.Dir(path)] = true
		}
		return nil
	})
	if found[dir] || found[filepath.Clean(dir)] {
		return []string{dir}, err
	}
	return slices.Sorted(maps.Keys(found)), err
}

func skipDir(root, path, name string) bool {
	rel, err := filepath.Rel(root, path)
	return err != nil || strings.Count(filepath.ToSlash(rel), "/") >= maxDepth ||
		strings.HasPrefix(name, ".") || name == "node_modules" || name == "src"
}

// folder reads all reports of one folder and keeps those of its last run.
func (r reader) folder(dir string, spent *budget) (*folder, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", dir, err)
	}
	f := &folder{path: dir}
	for _, e := range entries {
		if !isReportName(e.Name()) || !e.Type().IsRegular() {
			continue
		}
		if len(f.reports) == maxReportFiles {
			return nil, fmt.Errorf("%s holds more than %d reports; give one module's", dir, maxReportFiles)
		}
		one, err := r.report(filepath.Join(dir, e.Name()), spent)
		switch {
		case errors.Is(err, ErrTooMuch) || r.ctx.Err() != nil:
			return nil, cmp.Or(r.ctx.Err(), err)
		case err == nil:
			f.reports = append(f.reports, one)
		case len(f.notes) < mostNotes:
			f.notes = append(f.notes, err.Error())
		}
	}
	f.keepLastRun()
	sortByTime(f.reports)
	return f, nil
}

// evidence joins folders.
func evidence(folders []*folder, source string) Evidence {
	ev := Evidence{Source: source, Provenance: suite.Exact}
	slices.SortStableFunc(folders, func(a, b *folder) int { return a.end.Compare(b.end) })
	var flaked set
	for _, f := range folders {
		part := Part{Module: moduleOf(f.path), Execution: filepath.Base(f.path)}
		for _, n := range f.notes {
			ev.note("%s", n)
		}
		var failed set
		for _, r := range f.reports {
			part.take(r)
			r.sort(&failed, &flaked)
		}
		ev.qualify(f)
		part.Failed = failed.list
		if len(f.reports) > 1 {
			ev.Provenance = ev.Provenance.AtBest(f.trust(&ev))
		}
		if len(part.Tests) > 0 {
			ev.Parts = append(ev.Parts, part)
		}
	}
	ev.join()
	ev.Flaked = flaked.list
	return ev
}

// take adds a report's tests. Invocations of one test, which canonicalMethod makes equal, count
// once.
func (p *Part) take(r *report) {
	p.Took += r.seconds
	for _, c := range r.cases {
		if n := len(p.Tests); n == 0 || p.Tests[n-1] != c.id {
			p.Tests = append(p.Tests, c.id)
		}
	}
}

// sort separates the tests that failed from those that passed when they ran again.
func (r *report) sort(failures, flakes *set) {
	for _, c := range r.cases {
		switch c.status {
		case failed:
			failures.add(c.id)
		case flaked:
			flakes.add(c.id)
		}
	}
}

// qualify lowers the provenance if the reports' order is not certain.
func (e *Evidence) qualify(f *folder) {
	reruns := false
	for _, r := range f.reports {
		reruns = reruns || r.reruns
		if r.suites > 1 {
			e.note("%s holds the tests of several classes: their order may have changed when they were joined", r.path)
			e.Provenance = e.Provenance.AtBest(suite.Inferred)
		}
		if r.long > 0 {
			e.note("%s has %d tests with names of more than %d bytes; they are left out", r.path, r.long, maxID)
			e.Provenance = e.Provenance.AtBest(suite.Partial)
		}
		if r.cut {
			e.note("%s ends early; its last tests are missing", r.path)
			e.Provenance = e.Provenance.AtBest(suite.Partial)
		}
	}
	if reruns {
		e.note("%s: the build ran failing tests again; the reruns are not part of the order", f.path)
		e.Provenance = e.Provenance.AtBest(suite.Partial)
	}
}

// moduleOf is the module's folder for …/module/target/surefire-reports.
func moduleOf(dir string) string {
	parent := filepath.Dir(filepath.Clean(dir))
	if filepath.Base(parent) == "target" {
		parent = filepath.Dir(parent)
	}
	return filepath.ToSlash(parent)
}
