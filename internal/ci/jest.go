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

// jestOther are lines of Jest that look like a failing test.
var jestOther = []string{"Console", "Cannot log after tests are done", "Validation Warning", "Deprecation Warning",
	"Multiple configurations found"}

// jestBroken replaces the name of a test if the whole file failed.
const jestBroken = "Test suite failed to run"

// jestLog reads the output of Jest's default reporters. The order is one of test files: --verbose
// lists tests by their describe blocks, not as they ran.
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
		spent(m[2])
		j.files.add(m[2])
		j.file = ""
		if m[1] == "FAIL" {
			j.file = m[2]
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
	spent(name)
	if name == jestBroken {
		j.failed.add(j.file)
		return
	}
	j.failed.add(j.file + "#" + name)
}

func (j *jestLog) evidence(source string) Evidence {
	ev := Evidence{Source: source, Provenance: suite.Partial, Tool: Jest}
	if len(j.files.list) > 1 {
		ev.Provenance = suite.Inferred
		ev.note("Jest prints test files as they end, and workers run them side by side: which ran before which in one process is not known")
	}
	ev.Parts = []Part{{Execution: "jest", Tests: j.files.list, Failed: j.failed.list}}
	ev.join()
	return ev
}
