package investigate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/odfix/odfix/internal/ci"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/suite"
)

// TestAttackMuchEvidence: a log of a fork's pull request names as many failing tests and as long
// orders as its author likes, before anybody has approved it. The time to choose among them grows
// with their number only, and few of them are kept.
func TestAttackMuchEvidence(t *testing.T) {
	for _, tool := range []ci.Tool{"", ci.Jest} {
		g := gathering{}
		for source := range 12 {
			ev := ci.Evidence{Tool: tool, Provenance: suite.Exact, Source: fmt.Sprintf("log %d", source)}
			for i := range 60_000 {
				name := fmt.Sprintf("a.b%d.C%dTest#m%d", source, i%100, i)
				if tool == ci.Jest { // names that all may mean the same test
					name = fmt.Sprintf("%s/b%d_%d.test.js#cart is empty", strings.Repeat("a/", 5), source, i)
				}
				ev.Tests, ev.Failed = append(ev.Tests, name), append(ev.Failed, name)
			}
			ev.Parts = []ci.Part{{Module: "m", Tests: ev.Tests, Failed: ev.Failed}}
			g.keep(sourced{ev: ev})
		}
		ev := g.best()
		if n := len(ev.Tests) + len(ev.Spare); n == 0 || n > 2*mostFailing || len(ev.Order.Failed) > mostFailing {
			t.Errorf("%q: %d failing tests are kept, %d of the order", tool, n, len(ev.Order.Failed))
		}
		if g.kept > mostEvidence || g.failing > mostFailingBytes+1000 {
			t.Errorf("%q: %d bytes of orders and %d of failing tests are kept", tool, g.kept, g.failing)
		}
		orders := 0
		for _, x := range g.found {
			if len(x.ev.Tests) > 0 {
				orders++
			}
		}
		if notes := strings.Join(ev.Notes, " "); orders == 0 || orders == len(g.found) || !strings.Contains(notes, "too long to be kept") ||
			!strings.Contains(notes, "names 60000 failing tests; 5") {
			t.Errorf("%q: %d orders of %d sources, notes %q", tool, orders, len(g.found), notes)
		}
	}
}

// TestAttackManyFolders: the folder of a build is looked for with a few of the failing tests, and
// ends after a number of files, however many packages and names there are.
func TestAttackManyFolders(t *testing.T) {
	sources := fstest.MapFS{"a/b/CTest.java": {}, "a/b/DTest.java": {}}
	names := []string{"a.b.CTest#works"}
	for i := range 10_000 {
		names = append(names, fmt.Sprintf("a.b.X%dTest#works", i))
	}
	l := newLook(sources, names)
	if len(l.paths) != mostLocating || !l.holdsAny(".") {
		t.Errorf("%d tests are looked for, and the first is not found", len(l.paths))
	}
	if l.left = 2; l.holdsAny(".") || l.left >= 0 {
		t.Errorf("it looks at more files than it may: %d are left", l.left)
	}
}

// An order that is too long takes nothing from the sources after it.
func TestTooLongAnOrder(t *testing.T) {
	long := ci.Evidence{Provenance: suite.Exact, Source: "a long log", Failed: []string{"a.ATest#fails"}}
	for i := range 400_000 {
		long.Tests = append(long.Tests, fmt.Sprintf("a.b.c.d.CTest#aTestWithANameOfItsOwn%d", i))
	}
	short := ci.Evidence{Provenance: suite.Partial, Source: "a log", Tests: []string{"a.BTest#passes", "a.BTest#fails"}, Failed: []string{"a.BTest#fails"}}
	g := gathering{}
	g.keep(sourced{ev: long})
	g.keep(sourced{ev: short})
	ev := g.best()
	if ev.Order.Source != "a log" || len(ev.Order.Tests) != 2 || len(ev.Tests)+len(ev.Spare) != 2 {
		t.Errorf("order %q of %d tests, failing %v, %v", ev.Order.Source, len(ev.Order.Tests), ev.Tests, ev.Spare)
	}
}

// TestAttackSlowEvidence: logs and reports are read for a limited time. What remains is left out,
// and what was read counts. Too many names end only their source.
func TestAttackSlowEvidence(t *testing.T) {
	log := filepath.Join(t.TempDir(), "ci.log")
	if err := os.WriteFile(log, investigatetest.Recording(t, "demo.log"), 0o600); err != nil {
		t.Fatal(err)
	}
	g := gathering{left: longReading}
	read := func(ctx context.Context, name string) error {
		_, err := g.add(ctx, log, logLimits, github.Run{}, redJob{}, name, anyTests)
		return err
	}
	if err := g.reading(t.Context(), "the first log", read); err != nil || len(g.found) != 1 || g.left >= longReading {
		t.Fatalf("%v, %d sources, %s left", err, len(g.found), g.left)
	}
	g.left = 0
	if err := g.reading(t.Context(), "the second log", read); err != nil || len(g.found) != 1 || !g.gone {
		t.Errorf("%v, %d sources, read again: %v", err, len(g.found), g.gone)
	}
	g.left = longReading
	err := g.reading(t.Context(), "the third log", func(context.Context, string) error { return ci.ErrTooMuch })
	if notes := strings.Join(g.notes, "\n"); err != nil || !strings.Contains(notes, "the second log: left out, since reading") ||
		!strings.Contains(notes, "the third log: left out, since it names too many tests") {
		t.Errorf("%v, %q", err, notes)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.reading(gone, "the fourth log", read); !errors.Is(err, context.Canceled) {
		t.Errorf("the job ends, and not with its context: %v", err)
	}
}

// TestAttackStoredEvidence: a row of the database has a limit, also if each character of a name is
// escaped. The order is not stored before the commit may run.
func TestAttackStoredEvidence(t *testing.T) {
	var ev ci.Evidence
	for i := range 2 * mostFailing {
		name := fmt.Sprintf("a.test.js#%s%d", strings.Repeat("<", 900), i)
		ev.Tests, ev.Failed = append(ev.Tests, name), append(ev.Failed, name)
	}
	g := gathering{}
	g.keep(sourced{ev: ev})
	content, err := json.Marshal(g.best())
	if most := 3*mostFailingBytes + mostOrderBytes; err != nil || len(content) > most || len(g.best().Tests) < 100 {
		t.Errorf("%v, %d bytes of at most %d", err, len(content), most)
	}
	if content, err = json.Marshal(g.best().digested()); err != nil || len(content) > 100<<10 {
		t.Errorf("%v, %d bytes before it may run", err, len(content))
	}
}

// TestAttackSameFileNames: the modules of tests are found with as many steps as there are files,
// also if all have one name.
func TestAttackSameFileNames(t *testing.T) {
	sources, names := fstest.MapFS{"pom.xml": {}, "m/pom.xml": {}}, []string{}
	for i := range 5_000 {
		names = append(names, fmt.Sprintf("p%d.ATest#works", i))
		sources[fmt.Sprintf("m/src/test/java/q%d/ATest.java", i)] = &fstest.MapFile{}
	}
	sources["m/src/test/java/p4999/ATest.java"] = &fstest.MapFile{}
	homes, err := modulesOf(t.Context(), sources, names)
	if err != nil || len(homes) != 1 || homes["p4999.ATest#works"] != "m" {
		t.Errorf("%v, %v", homes, err)
	}
}

// TestAttackUncountedEvidence: of a source only what is counted stays in memory.
func TestAttackUncountedEvidence(t *testing.T) {
	g := gathering{}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 2 * mostSources {
		ev := ci.Evidence{Failed: []string{"a.B#c"}}
		long := strings.Repeat("x", 1000)
		for i := range 2000 {
			ev.Flaked = append(ev.Flaked, long+fmt.Sprint(i%100))
			part := ci.Part{Module: long, Execution: long + "y"}
			for k := range 9 {
				part.Failed = append(part.Failed, fmt.Sprintf("a.B#c%d", k))
			}
			ev.Parts = append(ev.Parts, part)
		}
		g.keep(sourced{ev: ev})
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 2<<20 || len(g.found) != mostSources {
		t.Errorf("%d KiB are kept of %d sources", grown>>10, len(g.found))
	}
	runtime.KeepAlive(g)
}

// TestAttackLongOrders: orders that are too long leave nothing in memory.
func TestAttackLongOrders(t *testing.T) {
	g := gathering{}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for source := range 40 {
		ev := ci.Evidence{Failed: []string{"a.B#c"}}
		for i := range 2700 {
			ev.Tests = append(ev.Tests, fmt.Sprintf("a.B#%s%d.%d", strings.Repeat("x", 2500), source, i))
		}
		g.keep(sourced{ev: ev})
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 2<<20 || len(g.found) != 40 {
		t.Errorf("%d KiB are kept of %d sources", grown>>10, len(g.found))
	}
	runtime.KeepAlive(g)
}

// TestAttackRepeatedNames: a name that a source repeats is stored, and so counted, each time.
func TestAttackRepeatedNames(t *testing.T) {
	long := []string{"a.B#" + strings.Repeat("\x01", 3000), "a.C#" + strings.Repeat("\x01", 3000)}
	var orders, failing gathering
	ev := ci.Evidence{Provenance: suite.Exact, Failed: long[:1]}
	same := ci.Evidence{}
	for i := range 2770 {
		ev.Tests, same.Failed = append(ev.Tests, long[i%2]), append(same.Failed, long[i%2])
	}
	orders.keep(sourced{ev: ev})
	failing.keep(sourced{ev: same})
	for name, g := range map[string]*gathering{"order": &orders, "failing": &failing} {
		content, err := json.Marshal(g.best())
		if err != nil || len(content) > mostOrderBytes+mostFailingBytes || len(content) < 6*3000 {
			t.Errorf("%s: %v, %d bytes", name, err, len(content))
		}
	}
}

// TestManyFailingModules: where the names of failing tests do not all fit, those of the part that is
// investigated come first, and they are those of its order.
func TestManyFailingModules(t *testing.T) {
	var ev ci.Evidence
	for m := range 2 {
		part := ci.Part{Module: fmt.Sprint(m)}
		for i := range 2990 + 10*m {
			part.Tests = append(part.Tests, fmt.Sprintf("m%d.B#%s%d", m, strings.Repeat("x", 200), i))
		}
		part.Failed = part.Tests
		ev.Parts = append(ev.Parts, part)
		ev.Tests, ev.Failed = append(ev.Tests, part.Tests...), append(ev.Failed, part.Tests...)
	}
	g := gathering{}
	g.keep(sourced{ev: ev})
	got := g.best()
	if len(got.Tests) != 3000 || len(got.Spare) == 0 || len(got.Order.Tests) != 3000 || len(got.Order.Failed) != 3000 {
		t.Errorf("%d tests, %d others, an order of %d, %d of which failed", len(got.Tests), len(got.Spare), len(got.Order.Tests), len(got.Order.Failed))
	}
}

// TestAttackManyPackages: of all package.json files, few bytes are read.
func TestAttackManyPackages(t *testing.T) {
	sources := fstest.MapFS{}
	for i := range 40 {
		sources[fmt.Sprintf("p%d/package.json", i)] = &fstest.MapFile{Data: []byte(strings.Repeat(" ", 1<<20))}
	}
	opened := counting{FS: sources}
	if got := packageIn(&opened, []string{"a.test.js#x"}); got == "" || opened.read > mostPackageBytes {
		t.Errorf("%q, %d bytes are read", got, opened.read)
	}
}

// counting counts the bytes that are read of files.
type counting struct {
	fs.FS
	read int64
}

func (c *counting) Open(name string) (fs.File, error) {
	f, err := c.FS.Open(name)
	return countedFile{f, &c.read}, err
}

type countedFile struct {
	fs.File
	read *int64
}

func (f countedFile) Read(b []byte) (int, error) {
	n, err := f.File.Read(b)
	*f.read += int64(n)
	return n, err
}

func (f countedFile) ReadDir(n int) ([]fs.DirEntry, error) { return f.File.(fs.ReadDirFile).ReadDir(n) }
