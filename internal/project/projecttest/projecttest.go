// Package projecttest is what every implementation of the interfaces in internal/project must do,
// as tests, and a language in memory on which the engine itself is tested.
package projecttest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// Example is a small project with one polluter, its victim, and a cleaner.
type Example struct {
	Dir                       string
	Work                      string // where builds are kept between tests; empty: a new folder
	Polluter, Victim, Cleaner suite.TestID
	// Writer writes File into the folder in which its tests run, and Finder fails if the file is
	// there. Empty: the language's tests write no files.
	Writer, Finder suite.TestID
	File           string
	// InProcess means that the language starts no process.
	InProcess bool
}

// Test runs the conformance tests of a language on an example.
func Test(t *testing.T, l project.Language, e Example) {
	ours := newProcesses(t)
	if e.Work == "" {
		e.Work = t.TempDir()
	}
	p, err := l.Open(t.Context(), project.Options{Dir: e.Dir, Work: e.Work, Log: zap.NewNop(), Parallel: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	t.Run("about", func(t *testing.T) { about(t, l, p, e) })
	t.Run("exact orders", func(t *testing.T) { orders(t, p, e) })
	t.Run("written files", func(t *testing.T) { writtenFiles(t, p, e) })
	t.Run("refusal", func(t *testing.T) { refusal(t, p, e) })
	t.Run("observing", func(t *testing.T) { observing(t, p, e) })
	t.Run("editing", func(t *testing.T) { editing(t, p, e) })
	t.Run("closing", func(t *testing.T) {
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Run(t.Context(), suite.Order{e.Victim}, repair.Trial{Price: suite.Fresh}); err == nil {
			t.Error("a closed project runs tests")
		}
		ours.haveEnded(t, e.InProcess)
	})
}

func about(t *testing.T, l project.Language, p project.Project, e Example) {
	if !l.Recognises(e.Dir) || p.About().Language != l.Name() {
		t.Errorf("%q opens as %q", l.Name(), p.About().Language)
	}
	for _, id := range []suite.TestID{e.Polluter, e.Victim, e.Cleaner} {
		if found, err := suite.NewResolver(p.Suite(), p.Syntax()).Resolve(string(id)); err != nil || !slices.Contains(found, id) {
			t.Errorf("%s: %v, %v", id, found, err)
		}
	}
	one, err := p.Fingerprint(t.Context())
	two, err2 := p.Fingerprint(t.Context())
	if err != nil || err2 != nil || one == "" || one != two {
		t.Errorf("fingerprints %q (%v) and %q (%v)", one, err, two, err2)
	}
}

// orders checks that every order runs exactly as requested, in a separate process.
func orders(t *testing.T, p project.Project, e Example) {
	for _, c := range []struct {
		order suite.Order
		want  suite.Outcome
	}{
		{suite.Order{e.Victim}, suite.Pass},
		{suite.Order{e.Polluter, e.Victim}, suite.Fail},
		{suite.Order{e.Victim}, suite.Pass}, // the polluter's process has ended
		{suite.Order{e.Polluter, e.Cleaner, e.Victim}, suite.Pass},
	} {
		run, err := p.Run(t.Context(), c.order, repair.Trial{Price: suite.Fresh})
		if err != nil {
			t.Fatal(err)
		}
		var ran suite.Order
		for _, r := range run.Results {
			ran = append(ran, r.Test)
		}
		if !slices.Equal(ran, c.order) || run.Last().Outcome != c.want {
			t.Errorf("%v: ran %v, %s, want %s", c.order, ran, run.Last().Outcome, c.want)
		}
	}
	if n := p.Stats().Questions[suite.Fresh]; n < 4 {
		t.Errorf("%d questions are counted", n)
	}
}

// writtenFiles checks that files in the project's folder are visible to later tests of the same
// process, and not to the next fresh run or in the checkout.
func writtenFiles(t *testing.T, p project.Project, e Example) {
	if e.Writer == "" {
		t.Skip("the language's tests write no files")
	}
	outcome := func(o ...suite.TestID) suite.Outcome {
		run, err := p.Run(t.Context(), o, repair.Trial{Price: suite.Fresh})
		if err != nil {
			t.Fatal(err)
		}
		return run.Last().Outcome
	}
	for range 2 {
		if got := outcome(e.Writer, e.Finder); got != suite.Fail {
			t.Errorf("after the writer: %s", got)
		}
		if got := outcome(e.Finder); got != suite.Pass {
			t.Errorf("in the next fresh run: %s", got)
		}
	}
	if _, err := os.Stat(filepath.Join(e.Dir, filepath.FromSlash(e.File))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the checkout has the file: %v", err)
	}
}

// observing checks that the state through which the polluter affects its victim has a name, and
// that the victim passes if that state is restored before it.
func observing(t *testing.T, p project.Project, e Example) {
	at, ok := p.(project.Observer)
	if !ok {
		t.Skip("the language observes no state")
	}
	failing, passing := suite.Order{e.Polluter, e.Victim}, suite.Order{e.Victim, e.Polluter}
	seen, err := at.Observe(t.Context(), passing, project.Look{})
	if err != nil {
		t.Fatal(err)
	}
	if run := seen.Run; !slices.Equal(run.Order, passing) || run.At(0).Outcome != suite.Pass || seen.Heap != nil {
		t.Errorf("observed: %+v", run)
	}
	places := state.Relate(seen.Trace).Ways(suite.Order{e.Polluter}, e.Victim)
	if len(places) == 0 {
		t.Fatal("no state was seen between polluter and victim")
	}
	if seen, err = at.Observe(t.Context(), failing, project.Look{Contents: true, Fields: places}); err != nil {
		t.Fatal(err)
	}
	if len(seen.Heap.Below(suite.Order{e.Polluter}, e.Victim, places)) == 0 {
		t.Errorf("what differs in %v after the polluter is not seen", places)
	}
	for before, want := range []suite.Outcome{suite.Fail, suite.Pass} { // 0: nothing is restored
		run, restored, err := at.RunRestored(t.Context(), failing, places, before)
		if err != nil || run.Last().Outcome != want {
			t.Errorf("restored before %d: %+v, %v", before, run, err)
		}
		if before > 0 && !slices.ContainsFunc(restored, func(r project.Restored) bool { return r.Changed && r.Problem == "" }) {
			t.Errorf("restored: %+v", restored)
		}
	}
	if e.Writer != "" {
		file, err := filepath.Rel(p.About().Root, filepath.Join(e.Dir, filepath.FromSlash(e.File)))
		if err != nil {
			t.Fatal(err)
		}
		if files, err := at.FilesLeft(t.Context(), suite.Order{e.Writer}); err != nil || !slices.Contains(files, filepath.ToSlash(file)) {
			t.Errorf("files left: %v, %v", files, err)
		}
	}
}

// refusal checks that an order that cannot run exactly is refused.
func refusal(t *testing.T, p project.Project, e Example) {
	missing := e.Victim + "ThatIsNotThere"
	run, err := p.Run(t.Context(), suite.Order{missing, e.Victim}, repair.Trial{Price: suite.Fresh})
	var refused *project.RefusedError
	switch {
	case errors.As(err, &refused):
		if !slices.Contains(refused.Tests, missing) {
			t.Errorf("refused %v", refused.Tests)
		}
	case err != nil:
		t.Errorf("%T is no refusal: %v", err, err)
	case run.At(0).Outcome != suite.Unresolved:
		t.Errorf("a missing test: %+v", run.At(0))
	}
}

// editing checks that the cleaner's statements at the beginning of the victim make it pass, in an
// overlay and in a copy built by the project's own build, and that the checkout does not change.
func editing(t *testing.T, p project.Project, e Example) {
	at, ok := p.(project.Editable)
	if !ok {
		t.Skip("the language edits no sources")
	}
	ed, err := at.Editor(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ed.Close() }()
	script, err := ed.Script(t.Context(), suite.Order{e.Cleaner}, e.Victim)
	if err != nil || len(script) == 0 {
		t.Fatalf("%v, %v", script, err)
	}
	var keep []string
	for _, s := range script {
		if !s.Assertion {
			keep = append(keep, s.ID)
		}
	}
	built, err := ed.Build(t.Context(), repair.Edit{Helper: suite.Order{e.Cleaner}, Keep: keep, Complete: true,
		Location: patch.VictimStart, At: e.Victim, Style: patch.Inline})
	if err != nil {
		t.Fatal(err)
	}
	failing := suite.Order{e.Polluter, e.Victim}
	if run, err := p.Run(t.Context(), failing, repair.Trial{Price: suite.Fresh, Overlay: built.Overlay}); err != nil ||
		run.Last().Outcome != suite.Pass {
		t.Errorf("with the overlay: %+v, %v", run, err)
	}
	if o, ok := p.(project.Observer); ok {
		seen, err := o.Observe(t.Context(), failing, project.Look{Contents: true, Overlay: built.Overlay})
		if err != nil || seen.Run.Last().Outcome != suite.Pass {
			t.Errorf("observed with the overlay: %+v, %v", seen, err)
		}
	}
	site, err := p.Build(t.Context(), built.Files)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = site.Close() }()
	if run, err := site.Run(t.Context(), failing); err != nil || run.Last().Outcome != suite.Pass {
		t.Errorf("in the patched copy: %+v, %v", run, err)
	}
	for path, before := range built.Before {
		if now, err := p.Source(path); err != nil || now != before || !p.IsTestSource(path) || p.IsProductionSource(path) {
			t.Errorf("%s is no test source or has changed: %v", path, err)
		}
	}
}
