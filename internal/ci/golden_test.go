package ci

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew; look at the difference before you commit it")

func TestLogs(t *testing.T) {
	logs := glob(t, "testdata/logs/*.log")
	for _, path := range logs {
		t.Run(filepath.Base(path), func(t *testing.T) {
			golden(t, strings.TrimSuffix(path, ".log"), Order)(path)
		})
	}
}

func TestOrderFiles(t *testing.T) {
	for _, path := range glob(t, "testdata/orders/*.order") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			golden(t, strings.TrimSuffix(path, ".order"), Order)(path)
		})
	}
}

func TestJestReports(t *testing.T) {
	for _, path := range slices.Concat(glob(t, "testdata/jest/*.json"), glob(t, "testdata/jest/*.xml")) {
		if strings.HasSuffix(path, ".want.json") {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			golden(t, strings.TrimSuffix(path, filepath.Ext(path)), Order)(path)
		})
	}
}

func TestReportFolders(t *testing.T) {
	for _, times := range glob(t, "testdata/reports/*/times.txt") {
		dir := filepath.Dir(times)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Chdir(placeReports(t, dir))
			golden(t, "", Order)("build")
			golden(t, "last-", func(string) (Evidence, error) {
				return LastRun(glob(t, "build/*"))
			})("")
		})
	}
}

// placeReports copies a case's reports to a folder "build", and returns that folder's parent. It
// sets the files' times, which git does not keep.
func placeReports(t *testing.T, dir string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "times.txt"))
	if err != nil {
		t.Fatal(err)
	}
	tmp := t.TempDir()
	for _, line := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		after, name, ok := strings.Cut(line, " ")
		if !ok || after == "#" {
			continue
		}
		ms, err := strconv.Atoi(after)
		if err != nil {
			t.Fatalf("%s: %q: %v", dir, line, err)
		}
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		when := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(ms) * time.Millisecond)
		writeAt(t, filepath.Join(tmp, "build", name), content, when)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	goldenDir[t.Name()] = abs
	return tmp
}

// goldenDir maps tests that changed their working folder to the folder of their golden files.
var goldenDir = map[string]string{}

func writeAt(t *testing.T, path string, content []byte, when time.Time) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, when, when); err != nil {
		t.Fatal(err)
	}
}

// golden compares the evidence at a path with prefix+"want.json" (or prefix.want.json).
func golden(t *testing.T, prefix string, read func(string) (Evidence, error)) func(string) {
	t.Helper()
	want := prefix + ".want.json"
	if dir := goldenDir[t.Name()]; dir != "" {
		want = filepath.Join(dir, prefix+"want.json")
	}
	return func(path string) {
		t.Helper()
		ev, err := read(path)
		if err != nil {
			t.Fatal(err)
		}
		var buf bytes.Buffer
		e := json.NewEncoder(&buf)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(ev); err != nil {
			t.Fatal(err)
		}
		got := strings.ReplaceAll(buf.String(), `\\`, "/")
		if *update {
			if err := os.WriteFile(want, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			return
		}
		b, err := os.ReadFile(want)
		if err != nil {
			t.Fatalf("%v; run go test with -update and look at what it wrote", err)
		}
		if diff := cmp.Diff(string(b), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want, diff)
		}
	}
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %d files, %v", pattern, len(paths), err)
	}
	return paths
}

// TestOrderFileOfJest checks ids of Jest's tests, which have blanks and can contain " #".
func TestOrderFileOfJest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "order.txt")
	text := "# seen in CI\nsrc/a.test.js#cart › adds #1\n__tests__/b.spec.tsx#works\tFAIL\nsrc/c.test.mjs\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	ev, err := Order(path)
	want := []string{"src/a.test.js#cart › adds #1", "__tests__/b.spec.tsx#works", "src/c.test.mjs"}
	if err != nil || !slices.Equal(ev.Tests, want) || !slices.Equal(ev.Failed, want[1:2]) {
		t.Errorf("%q, failed %q, %v", ev.Tests, ev.Failed, err)
	}
}
