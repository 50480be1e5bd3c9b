package ci

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"

	"github.com/odfix/odfix/internal/suite"
)

// orderLine is one line of an order file. A blank line or a comment has no id.
type orderLine struct {
	id      string
	failed  bool
	several bool // there are more tests in the line
}

// parseOrderFile reads one test a line. A '#' at the beginning of a line, or after a blank, begins
// a comment. A line may have columns separated by tabs: a number before the id, the class and its
// method in two columns, and the outcome of the test.
func parseOrderFile(path string, src *source) (Evidence, error) {
	ev := Evidence{Source: "order file " + path, Provenance: suite.Exact}
	b := newBudget(src.limits)
	for {
		raw, err := src.line()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Evidence{}, src.failure(err)
		}
		l, err := parseOrderLine(validUTF8(raw))
		if err != nil {
			return Evidence{}, fmt.Errorf("%s, line %d: %w", path, src.lineNo, err)
		}
		if l.id == "" {
			continue
		}
		if l.several {
			return Evidence{}, fmt.Errorf("%s, line %d has several tests; write one test a line "+
				"(odfix run --orders reads orders of one line each)", path, src.lineNo)
		}
		if !b.spend(l.id) {
			return Evidence{}, fmt.Errorf("%s %w; keep only the tests of one module", path, b.err())
		}
		ev.add(l)
	}
	if len(ev.Tests) == 0 {
		return Evidence{}, fmt.Errorf("%s names no test; write one a line, as Class#method", path)
	}
	return ev, nil
}

func (e *Evidence) add(l orderLine) {
	l.id = strings.Clone(l.id) // without the line that it is a part of
	e.Tests = append(e.Tests, l.id)
	if !strings.Contains(l.id, "#") {
		e.Provenance = suite.Partial
	}
	if l.failed {
		e.Failed = append(e.Failed, l.id)
	}
}

// parseOrderLine reads one line. Its error quotes the line and says how to write a test.
func parseOrderLine(s string) (orderLine, error) {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "#") {
		return orderLine{}, nil
	}
	jest := jestLine.MatchString(s)
	for _, mark := range []string{" #", "\t#"} {
		if !jest || mark[0] == '\t' { // titles of Jest's tests can contain '#'
			s, _, _ = strings.Cut(s, mark)
		}
	}
	if strings.TrimSpace(s) == "" {
		return orderLine{}, nil
	}
	var l orderLine
	if rest, ok := markedAfter(s); ok {
		s = rest + "\tFAIL"
	}
	fields := strings.Split(s, "\t")
	l.several = severalTests(fields)
	for i, f := range fields {
		id, ok := parseID(f)
		if !ok || outcomeWord(f) || (len(fields) > 1 && !strings.ContainsAny(id, ".#")) {
			continue
		}
		l.id = withMethod(id, fields[i+1:])
		for _, rest := range fields[i+1:] {
			l.failed = l.failed || failedWord(rest)
		}
		return l, nil
	}
	return l, fmt.Errorf("%q is not a test; write Class#method, Class.method or a class name (and %q for a comment)", short(s), "# …")
}

// severalTests reports whether at least two columns are tests, as in a file of --orders.
func severalTests(fields []string) bool {
	n := 0
	for _, f := range fields {
		if id, ok := parseID(f); ok && (strings.Contains(id, "#") || jestLine.MatchString(id)) {
			n++
		}
	}
	return n > 1
}

// withMethod adds the method from the column after the class, if there is one.
func withMethod(id string, next []string) string {
	if strings.Contains(id, "#") || len(next) == 0 {
		return id
	}
	m := strings.Trim(strings.TrimSpace(next[0]), `"',`)
	if m == "" || strings.ContainsAny(m, ".# ") || outcomeWord(m) || !unicode.IsLetter([]rune(m)[0]) {
		return id
	}
	return testID(id, m)
}

// markedAfter removes a mark such as FAIL from the end of a line that has blanks instead of tabs.
// People type such lines. The mark must be in capitals, since names of tests can have blanks.
func markedAfter(s string) (rest string, marked bool) {
	at := strings.LastIndexByte(s, ' ')
	if at < 0 || strings.Contains(s, "\t") || s[at:] != strings.ToUpper(s[at:]) || !failedWord(s[at:]) {
		return s, false
	}
	return strings.TrimRight(s[:at], " <"), true
}

func failedWord(s string) bool {
	switch strings.ToLower(strings.Trim(s, " !<")) {
	case "fail", "failed", "failure", "error":
		return true
	}
	return false
}

func outcomeWord(s string) bool {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "pass", "passed", "ok", "success", "skip", "skipped", "ignored":
		return true
	}
	return failedWord(s)
}

// jestLine begins with a file of Jest's tests, alone or with a test: "src/cart.test.js#cart ›
// adds".
var jestLine = regexp.MustCompile(`^(?:[^\s#"'\[(]+|[^\s#"'][^\s#"]*/[^\s#"]*|[^\s#"'][^\s#"]*\.(?:test|spec))\.[cm]?[jt]sx?( \[[^\]]*\])?(#.|\t|$)`)

// parseID reads a test in the spellings of people and tools.
func parseID(s string) (string, bool) {
	s = strings.TrimPrefix(strings.TrimSpace(s), "- ")
	if len(s) <= maxName && jestLine.MatchString(s) && !strings.ContainsFunc(s, unicode.IsControl) {
		return s, true
	}
	s = strings.Trim(strings.TrimRight(s, ","), `"'`)
	if s == "" || len(s) > maxName || strings.ContainsFunc(s, unicode.IsControl) {
		return "", false
	}
	if class, method, ok := strings.Cut(s, "#"); ok {
		return testID(class, method), isLaunchable(class) && method != "" && method != "*"
	}
	if class, method, ok := inParens(s); ok && !strings.Contains(method, ".") {
		return testID(class, method), true
	}
	if strings.ContainsAny(s, "([{") {
		class, method, ok := dotted(s)
		return testID(class, method), ok && strings.ContainsAny(s[len(s)-1:], ")]}")
	}
	if class, method, ok := byConvention(s); ok && isClass(s) {
		return testID(class, method), true
	}
	return s, isClass(s) && (strings.Contains(s, ".") || unicode.IsUpper([]rune(s)[0]))
}

// isLaunchable accepts "Class" and "Suite>Class".
func isLaunchable(s string) bool {
	suite, class, ok := strings.Cut(s, ">")
	return isClass(suite) && (!ok || isClass(class))
}

// short shortens text of the file, for a message.
func short(s string) string {
	r := []rune(s)
	if len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return s
}
