package ci

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// The longest pauses within one run of the build. They are used only if the reports do not name
// their run. Surefire's reports name it since 2.20.
const (
	// betweenClasses: from one report to the begin of the next class.
	betweenClasses = 10 * time.Second
	// betweenModules: Maven compiles and packages between two modules' tests.
	betweenModules = 10 * time.Minute
)

// ReportFolders returns the folders of a module in which Maven's plugins (target/surefire-reports
// and target/failsafe-reports) and Gradle's tasks (build/test-results/TASK) leave reports.
func ReportFolders(module string) []string {
	var out []string
	for _, pattern := range []string{"target/surefire-reports", "target/failsafe-reports", "build/test-results/*"} {
		found, _ := filepath.Glob(filepath.Join(escaped.Replace(module), filepath.FromSlash(pattern)))
		out = append(out, found...)
	}
	return out
}

// escaped escapes what has a meaning in a pattern.
var escaped = strings.NewReplacer("*", "\\*", "?", "\\?", "[", "\\[")

// LastRun reads the reports of the last run in the modules' report folders. Reports of earlier
// runs, which Maven's plugins do not delete, are left out with a note. Without reports the error
// wraps ErrNoReports. Failed is empty if no test failed.
func LastRun(moduleDirs []string) (Evidence, error) {
	var folders []*folder
	r := reader{context.Background(), ownLimits}
	for _, dir := range moduleDirs {
		for _, path := range ReportFolders(dir) {
			f, err := r.folder(path, newBudget(r.limits))
			if err == nil && len(f.reports) > 0 {
				folders = append(folders, f)
			}
		}
	}
	if len(folders) == 0 {
		return Evidence{}, fmt.Errorf("%w in %s (looked for TEST-*.xml below target/surefire-reports and build/test-results); "+
			"run the tests first, or name the failing test",
			ErrNoReports, strings.Join(firstFew(moduleDirs), ", "))
	}
	folders, old := lastBuild(folders)
	ev := evidence(folders, "test reports of the last run")
	for _, f := range old {
		ev.note("%s is from an earlier run and was left out", f.path)
	}
	newest := folders[0].end
	for _, f := range folders {
		if f.end.After(newest) {
			newest = f.end
		}
	}
	if file := changedSince(moduleDirs, newest); file != "" {
		ev.note("the test reports are older than %s. If a test does not fail here any more, it may be repaired already: run your tests, "+
			"and then odfix fix", file)
	}
	return ev, nil
}

// maxSources is how many files are compared with the time of the reports.
const maxSources = 50_000

// changedSince returns a source file of the modules that is newer than the time; "" if none is.
func changedSince(moduleDirs []string, at time.Time) (changed string) {
	left := maxSources
	for _, dir := range moduleDirs {
		_ = filepath.WalkDir(filepath.Join(dir, "src"), func(path string, d fs.DirEntry, err error) error {
			if left--; left < 0 || changed != "" {
				return filepath.SkipAll
			}
			if err != nil || !d.Type().IsRegular() {
				return nil // what cannot be read says nothing
			}
			if fi, err := d.Info(); err == nil && fi.ModTime().After(at) {
				changed = path
			}
			return nil
		})
	}
	return changed
}

func firstFew(dirs []string) []string {
	if len(dirs) > 4 {
		return append(slices.Clone(dirs[:4]), "…")
	}
	return dirs
}

// lastBuild separates the folders of the newest run from older ones. It keeps folders that name the
// same run. It also keeps folders that name no run or belong to the other plugin, if they are close
// in time.
func lastBuild(folders []*folder) (last, old []*folder) {
	slices.SortFunc(folders, func(a, b *folder) int { return b.end.Compare(a.end) })
	newest := folders[0]
	start := newest.start
	for _, f := range folders {
		same := f.run == newest.run && f.run != ""
		other := f.run != "" && newest.run != "" && !same && filepath.Base(f.path) == filepath.Base(newest.path)
		if !same && (other || start.Sub(f.end) > betweenModules) {
			old = append(old, f)
			continue
		}
		last = append(last, f)
		if f.start.Before(start) {
			start = f.start
		}
	}
	return last, old
}

// keepLastRun drops the reports that an earlier run left in the folder.
func (f *folder) keepLastRun() {
	if len(f.reports) == 0 {
		return
	}
	slices.SortFunc(f.reports, func(a, b *report) int { return a.written.Compare(b.written) })
	newest := f.reports[len(f.reports)-1]
	kept := slices.DeleteFunc(slices.Clone(f.reports), func(r *report) bool { return r.run != newest.run })
	if newest.run == "" {
		kept = afterLastRest(kept)
	}
	if left := len(f.reports) - len(kept); left > 0 {
		f.notes = append(f.notes, fmt.Sprintf("%s: %d older reports are from an earlier run and were left out", f.path, left))
	}
	f.reports, f.run = kept, newest.run
	f.start, f.end = began(kept[0]), newest.written
	for _, r := range kept {
		if b := began(r); b.Before(f.start) {
			f.start = b
		}
	}
}

// afterLastRest keeps the reports after the last long pause, oldest first.
func afterLastRest(rs []*report) []*report {
	for i := len(rs) - 1; i > 0; i-- {
		if began(rs[i]).Sub(rs[i-1].written) > betweenClasses {
			return rs[i:]
		}
	}
	return rs
}

// began is when the class of a report began, or an estimate.
func began(r *report) time.Time {
	if !r.stamp.IsZero() {
		return r.stamp
	}
	return r.written.Add(-r.seconds)
}

// sortByTime sorts reports in the order in which their classes ran. It uses the times at which the
// classes began if the reports have them, and else the times of the files. A nested class ends
// before its outer class and comes after it in the order.
func sortByTime(rs []*report) {
	stamped := !slices.ContainsFunc(rs, func(r *report) bool { return r.stamp.IsZero() })
	slices.SortStableFunc(rs, func(a, b *report) int {
		if stamped {
			if c := a.stamp.Compare(b.stamp); c != 0 {
				return c
			}
		}
		return cmp.Or(a.written.Compare(b.written), cmp.Compare(a.class, b.class))
	})
	putBeforeNested(rs)
}

// putBeforeNested moves each report before the reports of its nested classes, which are directly
// before it. It needs as many steps as classes are nested in each other.
func putBeforeNested(rs []*report) {
	var blocks [][]*report // each begins with the outermost class
	for _, r := range rs {
		block := []*report{r}
		for n := len(blocks); n > 0 && blocks[n-1][0].class != r.class && nestedIn(blocks[n-1][0].class, r.class); n-- {
			block = slices.Insert(block, 1, blocks[n-1]...)
			blocks = blocks[:n-1]
		}
		blocks = append(blocks, block)
	}
	copy(rs, slices.Concat(blocks...))
}

// trust returns the provenance of the order of a folder's reports. Files of copies and unpacked
// archives often all have the same time.
func (f *folder) trust(ev *Evidence) suite.Provenance {
	times := map[time.Time]bool{}
	for _, r := range f.reports {
		t := r.written
		if !r.stamp.IsZero() {
			t = r.stamp
		}
		times[t] = true
	}
	if len(times) == len(f.reports) {
		return suite.Partial
	}
	ev.note("%s: several reports have one time (it may have whole seconds only, or they were copied); the order between their classes is a guess, "+
		"a build log would show it", f.path)
	return suite.Inferred
}
