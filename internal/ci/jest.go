package ci

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/odfix/odfix/internal/suite"
)

var (
	jestFile = regexp.MustCompile(`^\s*(PASS|FAIL)\s+(?:.*\s)?(\S+\.[cm]?[jt]sx?)(?: \([\d.]+ m?s(?:, [^)]*)?\))?$`)
	jestTest = regexp.MustCompile(`^\s*● (\S.*)$`)
)

// jestOther are headings of Jest that look like failing tests.
var jestOther = []string{"Console", "Cannot log after tests are done", "Validation Warning", "Deprecation Warning",
	"Multiple configurations found"}

// jestBroken replaces the name of a test if the whole file failed.
const jestBroken = "Test suite failed to run"

// jestBetween separates the titles of describe blocks and tests.
const jestBetween = " › "

// jestSideBySide explains why the order between test files is unknown.
const jestSideBySide = "Jest lists test files as they end, and its workers may run them side by side: " +
	"which ran before which in one process is not known"

// jestLog reads the output of Jest's default reporters. Its order has test files only, because
// --verbose lists tests by their describe blocks, not as they ran.
type jestLog struct {
	files, failed set
	file          string // whose failures are listed
}

// jestMark is a quick test for lines that matter.
func jestMark(raw []byte) bool {
	return bytes.Contains(raw, []byte("PASS")) || bytes.Contains(raw, []byte("FAIL")) || bytes.Contains(raw, []byte("● "))
}

func (j *jestLog) line(text string, spent func(string)) {
	if len(text) > maxName {
		return
	}
	if m := jestFile.FindStringSubmatch(text); m != nil {
		file := strings.TrimPrefix(m[2], "./")
		spent(file)
		j.files.add(file)
		j.file = ""
		if m[1] == "FAIL" {
			j.file = file
		}
		return
	}
	m := jestTest.FindStringSubmatch(text)
	if m == nil || j.file == "" {
		return
	}
	name := strings.TrimSpace(m[1])
	for _, s := range jestOther {
		if strings.HasPrefix(name, s) {
			return
		}
	}
	if name == jestBroken {
		j.failed.add(j.file)
		return
	}
	id := j.file + "#" + name
	spent(id)
	j.failed.add(id)
}

func (j *jestLog) evidence(source string) Evidence {
	ev := Evidence{Source: source, Provenance: suite.Partial, Tool: Jest}
	if len(j.files.list) > 1 {
		ev.Provenance = suite.Inferred
		ev.note("%s", jestSideBySide)
	}
	ev.Parts = []Part{{Execution: "jest", Tests: j.files.list, Failed: j.failed.list}}
	ev.join()
	return ev
}

// jestSource matches the path of a file of Jest's tests. If the path has brackets or apostrophes,
// it needs a folder or the ending of a test file, because titles can have them, too.
var jestSource = regexp.MustCompile(`^(?:[^#"'\[(]*|[^#"'][^#"]*/[^#"]*|[^#"'][^#"]*\.(?:test|spec))\.[cm]?[jt]sx?$`)

// IsJest reports whether an id begins with a file of Jest's tests.
func IsJest(id string) bool {
	file, _, _ := strings.Cut(id, "#")
	return jestSource.MatchString(file)
}

// JestFile returns the file in a test's id, if it names one.
func JestFile(id string) string {
	file, _, _ := strings.Cut(id, "#")
	if !jestSource.MatchString(file) {
		return ""
	}
	return file
}

// SameJest reports whether two ids may mean the same test: their titles are equal, and also their
// files if both have one.
func SameJest(a, b string) bool { return JestTestOf(a).Same(JestTestOf(b)) }

// JestTest is a test of Jest: its file, if that is known, and its titles as in JestTitles.
type JestTest struct{ File, Titles string }

// JestTestOf reads an id. Who compares ids many times keeps what it returns.
func JestTestOf(id string) JestTest { return JestTest{JestFile(id), JestTitles(id)} }

// Same is SameJest.
func (t JestTest) Same(o JestTest) bool {
	return t.Titles == o.Titles && (t.File == "" || o.File == "" || EndsInPath(t.File, o.File) || EndsInPath(o.File, t.File))
}

// JestNames is the file that a source names a test of Jest with, or "", and the test's titles as
// they may be meant, joined by blanks. They are empty if the name is that of a file.
func JestNames(name string) (file string, titles []string) {
	file = JestFile(name)
	name = strings.TrimPrefix(name[len(file):], "#")
	titles = []string{JestPlain(name)}
	if _, own, ok := strings.Cut(name, "#"); ok && file == "" { // titles where the file should be
		titles = append(titles, JestPlain(own))
	}
	return file, titles
}

// JestPlain is the titles of a test joined by blanks, whichever of the signs that reporters put
// between them is there. A title that has such a sign loses it, too.
func JestPlain(titles string) string {
	return strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(titles, jestBetween, " "), " > ", " "))
}

// EndsInPath reports whether the last parts of a path are those of another.
func EndsInPath(path, end string) bool {
	before, ok := strings.CutSuffix(path, end)
	return ok && (before == "" || strings.HasSuffix(before, "/"))
}

// JestTitles returns the titles of an id, joined as Jest joins them for --testNamePattern.
func JestTitles(id string) string {
	if file := JestFile(id); file != "" {
		id = strings.TrimPrefix(id[len(file):], "#")
	}
	return strings.ReplaceAll(id, jestBetween, " ")
}
