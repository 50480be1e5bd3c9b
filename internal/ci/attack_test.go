package ci

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// small are limits like those of a server, which reads what strangers write.
var small = Limits{Bytes: 64 << 20, Tests: 100_000, Names: 1 << 20}

// write writes files, and returns the path of the first one, or of their folder.
func write(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		file := filepath.Join(dir, files[i])
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(files[i+1]), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if len(files) == 2 {
		return filepath.Join(dir, files[0])
	}
	return dir
}

// many repeats a text with a number in it.
func many(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// TestAttackShortNames: a source names its class or file once, and then very many tests with short
// names. What counts is what is kept.
func TestAttackShortNames(t *testing.T) {
	long := strings.Repeat("a", maxName-20)
	class := "com." + long + "T"
	cases := fmt.Sprintf(`<testsuite name="%s">%s</testsuite>`, class, many(900, `<testcase name="m%d"/>`))
	for name, files := range map[string][]string{
		"Jest": {"ci.log", "FAIL " + long + ".test.js\n" + many(5000, "  ● t%d\n")},
		"Surefire": {"ci.log", "[INFO] Running " + class + "\n[ERROR] Tests run: 5000, Failures: 5000, Errors: 0, Skipped: 0, " +
			"Time elapsed: 1 s\n" + many(5000, "[ERROR] m%d  Time elapsed: 0 s  <<< FAILURE!\n")},
		"a summary": {"ci.log", "[INFO] Running " + class + "\n[ERROR] Tests run: 9, Failures: 9, Errors: 0, Skipped: 0, Time elapsed: 1 s - in " + class +
			"\n[INFO] Results:\n[ERROR] Failures:\n" + many(5000, "[ERROR]   "+long+"T.m%d:3 x\n")},
		"folders of reports": {"a/TEST-a.xml", cases, "b/TEST-b.xml", cases},
		"names of reports": {"a/TEST-a.xml", fmt.Sprintf(`<testsuite name="%s"/>`, class),
			"b/TEST-b.xml", strings.Repeat(fmt.Sprintf(`<testsuite name="%s"/>`, class), 1100)},
	} {
		t.Run(name, func(t *testing.T) {
			ev, err := Read(t.Context(), write(t, files...), small)
			if !errors.Is(err, ErrTooMuch) {
				t.Errorf("%d tests, %v", len(ev.Tests), err)
			}
		})
	}
}

// TestAttackSummaryNames: a summary names a class without its package, which the log has once.
func TestAttackSummaryNames(t *testing.T) {
	class := "com." + strings.Repeat("a", maxName-20) + ".T"
	for _, section := range []string{"Failures", "Flakes"} {
		log := "[INFO] Running " + class + "\n[INFO] Running " + class + "$N\n[INFO] Results:\n[ERROR] " + section + ":\n" +
			many(5000, "[ERROR]   T$N%d.m:3 x\n")
		ev, err := Read(t.Context(), write(t, "ci.log", log), small)
		kept := 0
		for _, f := range slices.Concat(ev.Failed, ev.Flaked) {
			kept += len(f)
		}
		if kept > 2*small.Names || err == nil && len(ev.Failed)+len(ev.Flaked) == 0 {
			t.Errorf("%s: %d and %d tests with %d bytes of names, %v", section, len(ev.Failed), len(ev.Flaked), kept, err)
		}
	}
}

// TestAttackPackedReports: what is packed in an artifact could be of any length.
func TestAttackPackedReports(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(`<testsuite name="a.T"><testcase name="m"><failure/></testcase></testsuite>`)); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	for _, file := range []string{write(t, "TEST-a.xml", packed.String()), filepath.Dir(write(t, "TEST-a.xml", packed.String()))} {
		if ev, err := Read(t.Context(), file, small); err == nil {
			t.Errorf("%s is unpacked: %v", file, ev.Failed)
		}
		if ev, err := Order(file); err != nil || len(ev.Failed) != 1 {
			t.Errorf("a person's own file: %v, %v", ev.Failed, err)
		}
	}
}

// TestAttackEndlessReading: reading ends with its context, whatever the source.
func TestAttackEndlessReading(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for name, files := range map[string][]string{
		"a log":     {"ci.log", "[INFO] Running a.T\n"},
		"a report":  {"TEST-a.xml", `<testsuite name="a.T"><testcase name="m"/></testsuite>`},
		"reports":   {"a/TEST-a.xml", `<testsuite name="a.T"><testcase name="m"/></testsuite>`, "b/TEST-b.xml", `<testsuite name="a.U"/>`},
		"results":   {"jest.json", `{"testResults":[{"name":"a.test.js","assertionResults":[{"title":"x","status":"failed"}]}]}`},
		"an order":  {"order.txt", "a.T#m\n"},
		"its merge": nil,
	} {
		if files == nil {
			if Merged(gone, write(t, "ci.log", "+"+strings.Repeat("a", 40)+":refs/remotes/pull/1/merge\n")) != "" {
				t.Error("the log is searched for a merge")
			}
			continue
		}
		if ev, err := Read(gone, write(t, files...), small); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %d tests, %v", name, len(ev.Tests), err)
		}
	}
}

// TestAttackLongNames: very long names are left out, with a note, and cost no time.
func TestAttackLongNames(t *testing.T) {
	long := strings.Repeat("x", 4*maxID)
	for name, file := range map[string]string{
		"a report": write(t, "TEST-a.xml", `<testsuite name="a.T"><testcase name="`+long+`"><failure/></testcase>
			<testcase name="m"><failure/></testcase></testsuite>`),
		"results": write(t, "jest.json", `{"numFailedTests":2,"testResults":[{"name":"a.test.js","assertionResults":[{"title":"`+long+`","status":"failed"},
			{"title":"m","status":"failed"}]}]}`),
	} {
		ev, err := Read(t.Context(), file, small)
		if err != nil || len(ev.Failed) != 1 || !strings.Contains(strings.Join(ev.Notes, " "), "left out") {
			t.Errorf("%s: %.100q, %.200q, %v", name, ev.Failed, ev.Notes, err)
		}
	}
}

// held is the memory that a value keeps, in bytes.
func held(t *testing.T, make func() any) int64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	v := make()
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(v)
	return int64(after.HeapAlloc) - int64(before.HeapAlloc)
}

// TestAttackShortPartsOfLongTexts: what is kept of a source does not keep the lines and attributes
// that it is a part of.
func TestAttackShortPartsOfLongTexts(t *testing.T) {
	pad := strings.Repeat("A", maxAttrValue-100)
	for name, files := range map[string][]string{
		"the class of a report": {"TEST-a.xml", `<testsuite name="x">` + strings.Repeat(`<testcase classname="F1(`+pad+`)"/>`, 600) + `</testsuite>`},
		"the class of a test":   {"TEST-a.xml", `<testsuite name="x">` + strings.Repeat(`<testcase classname="F1(`+pad[:900]+`)"/>`, 6000) + `</testsuite>`},
		"a run": manyReports(600, `<testsuite name="a.T%d"><property name="sun.java.command" value="2026-01-01T00-00-00_000-jvmRun1 `+
			pad+`"/><testcase name="m"/></testsuite>`),
		"modules of a log": {"ci.log", many(3000, "[INFO] --- maven-surefire-plugin:2.22.0:test ("+pad[:4000]+"%d) @ m ---\n"+
			"[ERROR] a.T.m  Time elapsed: 0 s  <<< FAILURE!\n")},
		"an order":          {"test.json", many(600, "com.acme.A%d\tFAIL\t"+pad+"\n")},
		"classes of Gradle": {"ci.log", many(3000, pad[:2900]+"[INFO] A%d > initializationError FAILED\n")},
		"methods of Gradle": {"ci.log", many(3000, "A%d > classMethod > "+pad[:900]+" FAILED\n")},
		"tasks of Gradle":   {"ci.log", many(3000, "> Task :"+pad[:2900]+"%d\na.T > m FAILED\n")},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, files...)
			n := held(t, func() any {
				ev, _ := Read(t.Context(), path, small) // the error is not what counts here
				return ev
			})
			if n > 4<<20 {
				t.Errorf("%d KiB are held", n>>10)
			}
		})
	}
}

// manyReports are files with a number in their text.
func manyReports(n int, format string) (files []string) {
	for i := range n {
		files = append(files, fmt.Sprintf("TEST-%d.xml", i), fmt.Sprintf(format, i))
	}
	return files
}

// TestAttackNestedReports: reports of nested classes are sorted in one pass, whatever their number.
func TestAttackNestedReports(t *testing.T) {
	const n = 40_000
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var rs []*report
	for i := range n {
		rs = append(rs, &report{class: fmt.Sprintf("A$%d", i), stamp: at, written: at})
	}
	for range n {
		rs = append(rs, &report{class: "A", stamp: at.Add(time.Hour), written: at})
	}
	sortByTime(rs)
	if rs[0].class != "A" || rs[1].class == "A" || rs[n].class == "A" || rs[n+1].class != "A" {
		t.Errorf("%s, %s, … %s, %s", rs[0].class, rs[1].class, rs[n].class, rs[n+1].class)
	}
}
