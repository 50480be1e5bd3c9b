package templates

import (
	"regexp"
	"strings"
	"unicode"
)

// commands are parts of a text that GitHub or a CI system acts on, also in commit messages: skipped
// builds, references to issues (which a verb before them closes), people, and addresses.
var commands = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`(?i)\[([^\][]*(?:skip|no[ _-]?ci)[^\][]*)\]`), "($1)"},
	{regexp.MustCompile(`(?i)\*+(no_ci)\*+`), "$1"},
	{regexp.MustCompile(`#([0-9])`), "# $1"},
	{regexp.MustCompile(`(?i)\b(gh)-([0-9])`), "$1 $2"},
	{regexp.MustCompile(`@([A-Za-z0-9])`), "@ $1"},
	{regexp.MustCompile(`://`), ": //"},
	{regexp.MustCompile(`(?i)\bwww\.`), "www ."},
}

// inert changes foreign text so that it only reads as text.
func inert(s string) string {
	for _, c := range commands {
		s = c.what.ReplaceAllString(s, c.with)
	}
	return s
}

// asName returns a name for a text without Markdown. It quotes a name that has blanks, so that people
// do not read the name as a part of odfix' sentence.
func asName(s string) string {
	s = Harmless(s, false)
	if strings.ContainsFunc(s, unicode.IsSpace) {
		s = "“" + quotes.Replace(s) + "”"
	}
	return s
}

// quotes replaces what could end a quotation.
var quotes = strings.NewReplacer("“", "'", "”", "'", "‟", "'", "″", "'", "＂", "'", `"`, "'")
