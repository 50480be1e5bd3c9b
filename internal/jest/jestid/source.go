package jestid

import (
	"regexp"
	"strings"
)

var (
	// javaScriptFile matches the files of JavaScript and TypeScript.
	javaScriptFile = regexp.MustCompile(`\.[cm]?[jt]sx?$`)
	// matched is Jest's own choice of test files.
	matched = regexp.MustCompile(`(?:^|/)__tests__/(?:.*/)?[^/]+$|(?:^|[/.])(?:spec|test)\.[cm]?[jt]sx?$`)
	// says matches paths that say so in another form, such as test/cart.js and CartTest.js.
	says = regexp.MustCompile(`(?:^|[/._-])(?i:tests?|specs?|e2e|it|integration|unit)[/._-]|[a-z0-9](?:Test|Spec)s?[/.]`)
	// makesTest matches the beginning of a test, or of a block of tests, in a line of its own: a title and
	// more. A title with ${} in other quotes than its own is text that a program writes.
	makesTest = regexp.MustCompile(strings.NewReplacer(
		"BLOCK", `(?:it|test|describe)(?:\.\w+)*`,
		"TABLE", "(?:\\([^()\\n]*\\)|`[^`]*`)?",
		"TITLE", `'(?:[^'\\\n$]|\\.|\$[^{'\n])*\$?'|"(?:[^"\\\n$]|\\.|\$[^{"\n])*\$?"|`+"`[^`]*`",
		"BODY", `(?:async\s*(?:\(|function\b|\w+\s*=>)|function\b|\(|\w+\s*=>)`,
	).Replace(`(?m)^[ \t]*(?:\([^()\n]*\bBLOCK\)|[fx]?BLOCK)TABLE\(\s*(?:(?:TITLE)\s*,|[\w$.]+(?:\(\))?,\s*BODY)|^[ \t]*[fx]?BLOCK\.each[(<` + "`]"))
	// comments begin a line, and have lines that can look like the beginning of a test.
	comments = regexp.MustCompile(`(?ms)^[ \t]*/\*.*?\*/`)
)

// makesTests reports whether a source makes tests of Jest.
func makesTests(text string) bool {
	return makesTest.MatchString(comments.ReplaceAllString(text, ""))
}

// TestSource returns the condition for the text of a file whose path says that it has tests of Jest.
// nil: the path does not say so. Jest's own configuration says it more exactly, and is not read here: it
// can be a program.
func TestSource(file string) func(text string) bool {
	switch {
	case !IsSource(file):
		return nil
	case matched.MatchString(file):
		return func(text string) bool { return makesTests(text) || strings.Contains(text, "new RuleTester(") }
	case says.MatchString(file):
		return makesTests
	}
	return nil
}

// IsSource reports whether a path is that of a source of JavaScript or TypeScript.
func IsSource(file string) bool { return javaScriptFile.MatchString(file) }
