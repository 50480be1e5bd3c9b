package ci

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/odfix/odfix/internal/suite"
)

// own reads sources of a person's own machine.
var own = reader{context.Background(), ownLimits}

// Every error names the file and says what to do.
func TestRefusals(t *testing.T) {
	noise := make([]byte, 100_000)
	rand.New(rand.NewSource(1)).Read(noise)
	noise[0] = 'x'
	for name, c := range map[string]struct {
		content []byte
		want    []string
	}{
		"empty.txt":    {nil, []string{"empty", "one test a line"}},
		"blank.txt":    {[]byte("\n\n  \n"), []string{"is empty"}},
		"comments.txt": {[]byte("# a\n# b\n"), []string{"names no test", "Class#method"}},
		"typo.txt": {[]byte("com.acme.FooTest#bar\ncom.acme.BazTest bar\n"),
			[]string{"line 2", `"com.acme.BazTest bar"`, "Class#method"}},
		"orders.txt":  {[]byte("com.acme.FooTest#bar\tcom.acme.BazTest#bar\n"), []string{"line 1", "several tests", "--orders"}},
		"pattern.txt": {[]byte("com.acme.FooTest#bar\ncom.acme.Foo*#bar\n"), []string{"line 2", "is not a test"}},
		"novel.txt": {[]byte("It was the best of times,\nit was the worst of times.\n"),
			[]string{"neither an order file nor a log of", "test reports"}},
		"noise.bin": {noise, []string{"neither an order file nor a log of"}},
		"logs.zip":  {[]byte("PK\x03\x04whatever"), []string{"zip archive", "unpack"}},
		"broken.gz": {[]byte("\x1f\x8bnot really"), []string{"cannot be unpacked"}},
		"page.xml":  {[]byte("<?xml version='1.0'?><html><body/></html>"), []string{"not a test report", "<testsuite>", "TEST-*.xml"}},
		"bomb.xml": {[]byte(`<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;">]><testsuite name="&lol2;"/>`),
			[]string{"DOCTYPE"}},
		"quiet.log": {[]byte("[INFO] Scanning for projects...\n[INFO] BUILD SUCCESS\n"),
			[]string{"2 lines", "Running com.acme.FooTest", "without -q"}},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			writeAt(t, path, c.content, time.Now())
			_, err := Order(path)
			if err == nil {
				t.Fatal("accepted")
			}
			for _, w := range append(c.want, name) {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q does not contain %q", err, w)
				}
			}
			if len(err.Error()) > 600 {
				t.Errorf("an error of %d characters", len(err.Error()))
			}
		})
	}
}

func TestRefusesMissingAndEmptyFolders(t *testing.T) {
	dir := t.TempDir()
	if _, err := Order(filepath.Join(dir, "nowhere")); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("missing: %v", err)
	}
	for _, err := range []error{second(Order(dir)), second(LastRun([]string{dir})), second(LastRun(nil))} {
		if !errors.Is(err, ErrNoReports) {
			t.Errorf("empty folder: %v", err)
		}
	}
	if runtime.GOOS != "windows" {
		if _, err := Order(os.DevNull); err == nil || !strings.Contains(err.Error(), "neither a file nor a folder") {
			t.Errorf("device: %v", err)
		}
	}
}

func second(_ Evidence, err error) error { return err }

func TestDisguisedLogs(t *testing.T) {
	plain, err := os.ReadFile("testdata/logs/surefire-3.5.3.log")
	if err != nil {
		t.Fatal(err)
	}
	want, err := Order("testdata/logs/surefire-3.5.3.log")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"gzip":                 zipped(t, plain),
		"utf-16 of powershell": asUTF16(string(plain), false),
		"utf-16 big-endian":    asUTF16(string(plain), true),
		"crlf":                 bytes.ReplaceAll(plain, []byte("\n"), []byte("\r\n")),
		"noise between":        withNoise(plain),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log")
			writeAt(t, path, content, time.Now())
			got, err := Order(path)
			if err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(got.Tests, got.Failed) != fmt.Sprint(want.Tests, want.Failed) {
				t.Errorf("got  %v %v\nwant %v %v", got.Tests, got.Failed, want.Tests, want.Failed)
			}
		})
	}
}

// withNoise inserts binary lines and a line of a megabyte between the lines of a log.
func withNoise(log []byte) []byte {
	random := rand.New(rand.NewSource(2))
	var out bytes.Buffer
	for i, line := range bytes.SplitAfter(log, []byte("\n")) {
		out.Write(line)
		noise := make([]byte, 300)
		random.Read(noise)
		if i == 40 {
			noise = bytes.Repeat([]byte("#"), 1<<20)
		}
		if !strings.HasPrefix(string(line), "second") { // not inside a message of two lines
			out.Write(append(noise, '\n'))
		}
	}
	return out.Bytes()
}

func zipped(t *testing.T, b []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func asUTF16(s string, big bool) []byte {
	var out []byte
	for _, u := range utf16.Encode([]rune("\ufeff" + s)) {
		if big {
			out = append(out, byte(u>>8), byte(u))
		} else {
			out = append(out, byte(u), byte(u>>8))
		}
	}
	return out
}

func TestCutArchiveIsReadUpToTheCut(t *testing.T) {
	plain, err := os.ReadFile("testdata/logs/plain.log")
	if err != nil {
		t.Fatal(err)
	}
	whole := zipped(t, bytes.Repeat(plain, 20))
	path := filepath.Join(t.TempDir(), "cut.log.gz")
	writeAt(t, path, whole[:len(whole)-20], time.Now())
	ev, err := Order(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(ev.Tests) == 0 || ev.Provenance != suite.Partial || !strings.Contains(fmt.Sprint(ev.Notes), "cannot be read to its end") {
		t.Errorf("%d tests, %s, notes %q", len(ev.Tests), ev.Provenance, ev.Notes)
	}
}

// endless repeats a pattern n times without holding all of it.
type endless struct {
	pattern string
	n, at   int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.n == 0 {
		return 0, io.EOF
	}
	n := copy(p, e.pattern[e.at:])
	if e.at += n; e.at == len(e.pattern) {
		e.at, e.n = 0, e.n-1
	}
	return n, nil
}

// A log of many megabytes, with one line of half its size, needs no more memory than a small one.
func TestHugeLogNeedsLittleMemory(t *testing.T) {
	head := "[INFO] Running com.acme.FooTest\n" +
		"[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 1 s <<< FAILURE! -- in com.acme.FooTest\n"
	huge := io.MultiReader(
		strings.NewReader(head),
		&endless{pattern: "2024-05-01T12:00:00Z DEBUG some.Logger - nothing happened here, as so often\n", n: 5_500_000},
		&endless{pattern: strings.Repeat("x", 4096), n: 25_000},
		strings.NewReader("[INFO] Running com.acme.BarTest\n"),
	)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	src, err := own.source("huge.log", huge)
	if err != nil {
		t.Fatal(err)
	}
	ev, err := parseLog("huge.log", src)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"com.acme.FooTest", "com.acme.BarTest"}; fmt.Sprint(ev.Tests) != fmt.Sprint(want) {
		t.Errorf("tests %v, want %v", ev.Tests, want)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 80<<20 {
		t.Errorf("allocated %d MB for a log of 500 MB", grown>>20)
	}
	if held := int64(after.HeapInuse) - int64(before.HeapInuse); held > 20<<20 {
		t.Errorf("holds %d MB", held>>20)
	}
}

// TestHostileJestJSONNeedsLittleMemory reads values that take much more memory than their text, and
// values that are skipped.
func TestHostileJestJSONNeedsLittleMemory(t *testing.T) {
	for name, c := range map[string]struct{ begin, again, want string }{
		"tests":     {`{"testResults":[{"name":"a.test.js","assertionResults":[{}`, `,{}`, ErrTooMuch.Error()},
		"titles":    {`{"testResults":[{"assertionResults":[{"ancestorTitles":[""`, `,""`, ErrTooMuch.Error()},
		"files":     {`{"testResults":[{"name":"a.test.js"}`, `,{"name":"a"}`, ErrTooMuch.Error()},
		"unclosed":  {`{"coverageMap":[`, `[`, "max depth"},
		"in a file": {`{"testResults":[{"console":[`, `[`, "max depth"},
		"skipped":   {`{"coverageMap":[{}`, `,{}`, "larger than"},
		"a path":    {`{"testResults":[{"name":"` + strings.Repeat("/", 20<<20) + `"}`, " ", "has no name"},
		"a number":  {`{"testResults":[{"startTime":1`, `1`, "larger than"},
	} {
		t.Run(name, func(t *testing.T) {
			src := &endless{pattern: strings.Repeat(c.again, 1000), n: 1 << 30}
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			_, err := parseJestJSON("f.json", io.MultiReader(strings.NewReader(c.begin), src), newBudget(ownLimits))
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 600 {
				t.Errorf("%.600v does not contain %s", err, c.want)
			}
			if grown := (after.TotalAlloc - before.TotalAlloc) >> 20; grown > 500 {
				t.Errorf("allocated %d MiB", grown)
			}
		})
	}
}

func TestSourceHasALimit(t *testing.T) {
	src, err := own.source("endless.log", &endless{pattern: "nothing\n", n: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	src.left = 1 << 20 // as if most of the source had been read
	if _, err := parseLog("endless.log", src); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("got %v", err)
	}
}
