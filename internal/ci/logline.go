package ci

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// logLine is one line of a build log without the additions of CI systems.
type logLine struct {
	text  string
	level bool // it began with Maven's [INFO], [WARNING] or [ERROR]
}

// The marks of lines that matter. They are tested first, since a log may have millions of other
// lines.
var marks = [][]byte{[]byte("Running "), []byte("Tests "), []byte("Time elapsed"), []byte("--- "),
	[]byte("Results"), []byte("Crashed tests"), []byte(" skipped"), []byte("MultiThreadedBuilder")}

func interesting(raw []byte) bool {
	return slices.ContainsFunc(marks, func(m []byte) bool {
		return bytes.Contains(raw, m)
	}) || bytes.IndexByte(raw, 0x1b) >= 0
}

var (
	// Colours and other control sequences of terminals.
	ansi = regexp.MustCompile("\x1b(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[@-Z\\\\-_])")
	// Time stamps of GitHub Actions, Jenkins, GitLab (with its stream number), TeamCity, log4j.
	stamp = regexp.MustCompile(`^\s*\[?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,:]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?(?: \d\d[OE]\+?)?\s?`)
	// The first columns of `gh run view --log`: job, step, time.
	columns = regexp.MustCompile(`^[^\t]*\t[^\t]*\t\x{FEFF}?(?:\d{4}-)`)
	level   = regexp.MustCompile(`\[(?:INFO|WARNING|ERROR)\] ?`)
)

// cleanLine removes colours, time stamps and Maven's level.
func cleanLine(raw []byte) logLine {
	s := validUTF8(raw)
	if strings.Contains(s, "\x1b") {
		s = ansi.ReplaceAllString(s, "")
	}
	s = strings.TrimRight(s, " \t\r")
	if i := strings.LastIndexByte(s, '\r'); i >= 0 {
		s = s[i+1:] // the progress bar overwrites itself
	}
	if columns.MatchString(s) {
		_, s, _ = strings.Cut(s, "\t")
		_, s, _ = strings.Cut(s, "\t")
	}
	s = strings.TrimPrefix(s, "\uFEFF")
	s = s[len(stamp.FindString(s)):]
	l := cutLevel(s)
	if 2*len(l.text) < len(raw) {
		l.text = strings.Clone(l.text) // what is kept of it keeps no long line
	}
	return l
}

// cutLevel finds Maven's level: at the beginning, or after output of a test that did not end its
// line.
func cutLevel(s string) logLine {
	at := level.FindStringIndex(s)
	if at == nil {
		return logLine{text: s}
	}
	if at[0] > 0 {
		all := level.FindAllStringIndex(s, -1)
		at = all[len(all)-1]
	}
	return logLine{text: s[at[1]:], level: true}
}

// The lines of Surefire and Failsafe, 2.12 to 3.5.
var (
	mojoLine    = regexp.MustCompile(`^-{3,} (?:maven-)?([\w.-]+?)(?:-maven-plugin|-plugin)?:([\w.-]+):([\w-]+) \(([^)]*)\) @ (\S+) -{3,}$`)
	runningLine = regexp.MustCompile(`^Running (\S+)$`)
	doneLine    = regexp.MustCompile(`Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+), Time elapsed: ([\d.,]*).*?(?: -{1,2} in (\S+))?$`)
	testLine    = regexp.MustCompile(`^(\S.*?)(?:(?: --)? +Time elapsed: [\d.,]+ \w+(?: +<<< (FAILURE|ERROR)!)?| skipped)$`)
	resultsLine = regexp.MustCompile(`^Results ?:$`)
	totalLine   = regexp.MustCompile(`^Tests run: \d+, Failures: \d+, Errors: \d+`)
	crashLine   = regexp.MustCompile(`^Crashed tests:$`)
	sectionLine = regexp.MustCompile(`^(Failed tests|Failures|Tests in error|Errors|Flakes|Flaked tests)\s*:\s*(.*)$`)
)
