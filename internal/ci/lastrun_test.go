package ci

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

var noon = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)

// put writes a report of one failing test that ended at the given second.
func put(t *testing.T, dir, class, run string, second float64) {
	t.Helper()
	property := ""
	if run != "" {
		property = `<property name="sun.java.command" value="/x/surefirebooter1.jar /x ` + run + `-jvmRun1 a b"/>`
	}
	xml := fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="%[1]s" time="0.5" tests="1"><properties>%[2]s</properties>
  <testcase name="fails" classname="%[1]s" time="0.5"><failure type="x">at x</failure></testcase>
</testsuite>`, class, property)
	when := noon.Add(time.Duration(second * float64(time.Second)))
	writeAt(t, filepath.Join(dir, "TEST-"+class+".xml"), []byte(xml), when)
}

func TestLastRunLeavesOutEarlierRuns(t *testing.T) {
	const morning, evening = "2024-05-01T08-00-00_000", "2024-05-01T12-00-00_000"
	for name, c := range map[string]struct {
		lay  func(t *testing.T, surefire, failsafe, other string)
		want string
	}{
		"same token however long it took": {func(t *testing.T, s, _, _ string) {
			put(t, s, "a.OneTest", evening, 0)
			put(t, s, "a.TwoTest", evening, 4000)
		}, "a.OneTest a.TwoTest"},
		"another token right before": {func(t *testing.T, s, _, _ string) {
			put(t, s, "a.OneTest", morning, 0)
			put(t, s, "a.TwoTest", evening, 2)
		}, "a.TwoTest"},
		"no token, no rest": {func(t *testing.T, s, _, _ string) {
			put(t, s, "a.TwoTest", "", 0)
			put(t, s, "a.OneTest", "", 9)
		}, "a.TwoTest a.OneTest"},
		"no token, a rest": {func(t *testing.T, s, _, _ string) {
			put(t, s, "a.OneTest", "", 0)
			put(t, s, "a.TwoTest", "", 11)
		}, "a.TwoTest"},
		"integration tests follow": {func(t *testing.T, s, f, _ string) {
			put(t, s, "a.OneTest", evening, 0)
			put(t, f, "a.OneIT", "2024-05-01T12-01-00_000", 60)
		}, "a.OneTest a.OneIT"},
		"integration tests of the morning": {func(t *testing.T, s, f, _ string) {
			put(t, f, "a.OneIT", morning, -3600)
			put(t, s, "a.OneTest", evening, 0)
		}, "a.OneTest"},
		"another module in the same run": {func(t *testing.T, s, _, o string) {
			put(t, o, "b.OneTest", evening, 0)
			put(t, s, "a.OneTest", evening, 3000)
		}, "b.OneTest a.OneTest"},
		"another module in an earlier run": {func(t *testing.T, s, _, o string) {
			put(t, o, "b.OneTest", morning, -60)
			put(t, s, "a.OneTest", evening, 0)
		}, "a.OneTest"},
	} {
		t.Run(name, func(t *testing.T) {
			one, two := t.TempDir(), t.TempDir()
			c.lay(t, filepath.Join(one, "target", "surefire-reports"), filepath.Join(one, "target", "failsafe-reports"),
				filepath.Join(two, "target", "surefire-reports"))
			ev, err := LastRun([]string{one, two, t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range ev.Failed {
				got = append(got, strings.TrimSuffix(f, "#fails"))
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("failed: %v, want %s; notes %q", got, c.want, ev.Notes)
			}
			if left := len(strings.Fields(c.want)) < countReports(t, one)+countReports(t, two); left != (len(ev.Notes) > 0) {
				t.Errorf("notes %q, though left out is %v", ev.Notes, left)
			}
		})
	}
}

func countReports(t *testing.T, dir string) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "target", "*", "TEST-*.xml"))
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

func TestNothingFailedIsNoError(t *testing.T) {
	dir := t.TempDir()
	writeAt(t, filepath.Join(dir, "target/surefire-reports/TEST-a.T.xml"),
		[]byte(`<testsuite name="a.T"><testcase name="m" classname="a.T"/></testsuite>`), noon)
	ev, err := LastRun([]string{dir})
	if err != nil || len(ev.Failed) != 0 || !slices.Equal(ev.Tests, []string{"a.T#m"}) {
		t.Errorf("%+v, %v", ev, err)
	}
}

func TestOrderBetweenReports(t *testing.T) {
	for name, c := range map[string]struct {
		lay   func(t *testing.T, dir string)
		want  string
		trust suite.Provenance
	}{
		"by file time": {func(t *testing.T, d string) {
			put(t, d, "a.ZTest", "", 1)
			put(t, d, "a.ATest", "", 2)
		}, "a.ZTest#fails a.ATest#fails", suite.Partial},
		"one file": {func(t *testing.T, d string) { put(t, d, "a.ZTest", "", 1) }, "a.ZTest#fails", suite.Exact},
		"unpacked, all of one time": {func(t *testing.T, d string) {
			put(t, d, "a.ZTest", "", 1)
			put(t, d, "a.ATest", "", 1)
		}, "a.ATest#fails a.ZTest#fails", suite.Inferred},
		"nested classes are done first": {func(t *testing.T, d string) {
			put(t, d, "a.BTest", "", 1)
			put(t, d, "a.ATest$In$Deep", "", 2)
			put(t, d, "a.ATest$In", "", 3)
			put(t, d, "a.ATest$Out", "", 4)
			put(t, d, "a.ATest", "", 5)
			put(t, d, "a.CTest", "", 6)
		}, "a.BTest#fails a.ATest#fails a.ATest$In#fails a.ATest$In$Deep#fails a.ATest$Out#fails a.CTest#fails", suite.Partial},
		"time stamps beat file times": {func(t *testing.T, d string) {
			for i, class := range []string{"a.ATest", "a.BTest"} {
				writeAt(t, filepath.Join(d, "TEST-"+class+".xml"), fmt.Appendf(nil,
					`<testsuite name="%s" timestamp="2024-05-01T12:00:0%d.000Z"><testcase name="m()" classname="%[1]s"/></testsuite>`, class, 9-i), noon)
			}
		}, "a.BTest#m a.ATest#m", suite.Partial},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c.lay(t, dir)
			ev, err := Order(dir)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(ev.Tests, " "); got != c.want || ev.Provenance != c.trust {
				t.Errorf("got %s (%s)\nwant %s (%s)", got, ev.Provenance, c.want, c.trust)
			}
		})
	}
}

func TestABrokenReportDoesNotHideTheOthers(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.GoodTest", "", 1)
	writeAt(t, filepath.Join(dir, "TEST-a.EmptyTest.xml"), nil, noon)
	writeAt(t, filepath.Join(dir, "TEST-a.CutTest.xml"),
		[]byte(`<testsuite name="a.CutTest"><testcase name="m" classname="a.CutTest"/><testca`), noon)
	if err := os.Mkdir(filepath.Join(dir, "TEST-a.FolderTest.xml"), 0o755); err != nil {
		t.Fatal(err)
	}
	ev, err := Order(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(ev.Tests, " "); got != "a.CutTest#m a.GoodTest#fails" {
		t.Errorf("tests %s", got)
	}
	for _, want := range []string{"TEST-a.EmptyTest.xml", "TEST-a.CutTest.xml ends early"} {
		if !slices.ContainsFunc(ev.Notes, func(n string) bool { return strings.Contains(n, want) }) {
			t.Errorf("no note contains %q: %q", want, ev.Notes)
		}
	}
}

// TestReportsOlderThanSources: whoever applied a patch and did not run the tests is told so.
func TestReportsOlderThanSources(t *testing.T) {
	for name, c := range map[string]struct {
		second int
		note   bool
	}{"older source": {-60, false}, "newer source": {60, true}} {
		dir := t.TempDir()
		put(t, filepath.Join(dir, "target", "surefire-reports"), "a.OneTest", "", 0)
		writeAt(t, filepath.Join(dir, "src", "test", "OneTest.java"), []byte("x"), noon.Add(time.Duration(c.second)*time.Second))
		ev, err := LastRun([]string{dir})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(ev.Notes, " "), "older than "+filepath.Join(dir, "src", "test", "OneTest.java")); got != c.note {
			t.Errorf("%s: notes %q", name, ev.Notes)
		}
	}
}
