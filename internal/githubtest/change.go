package githubtest

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// DiffLine is a line of a change as it is shown: Sign is ' ', '+' or '-'.
type DiffLine struct {
	Sign rune
	Text string
}

// SuggestedChange is what accepting the suggestion of a comment changes, line by
// line. The comment stands at the end of the hunk, on lines from start (or line
// alone, where start is 0) to line. Nothing where there is no suggestion.
func SuggestedChange(hunk string, start, line int, body string) []DiffLine {
	text, empty, found := Suggestion(body)
	if !found {
		return nil
	}
	if start == 0 {
		start = line
	}
	before, after := lines(hunk, start, line), text+"\n"
	if empty {
		after = ""
	}
	const all = 1 << 20 // lines around a change
	diff, err := udiff.ToUnifiedDiff("", "", before, udiff.Lines(before, after), all)
	if err != nil || len(diff.Hunks) == 0 { // it changes nothing
		return unchanged(before)
	}
	var out []DiffLine
	for _, l := range diff.Hunks[0].Lines {
		sign := map[udiff.OpKind]rune{udiff.Delete: '-', udiff.Insert: '+', udiff.Equal: ' '}[l.Kind]
		out = append(out, DiffLine{sign, strings.TrimRight(l.Content, "\r\n")})
	}
	return out
}

func unchanged(text string) []DiffLine {
	var out []DiffLine
	for l := range strings.Lines(text) {
		out = append(out, DiffLine{' ', strings.TrimRight(l, "\r\n")})
	}
	return out
}

var hunkHead = regexp.MustCompile(`^@@ -\d+(?:,\d+)? \+(\d+)`)

// lines are those of a hunk's new side from first to last.
func lines(hunk string, first, last int) string {
	var out strings.Builder
	n := 0
	for text := range strings.Lines(hunk) {
		text = strings.TrimRight(text, "\r\n")
		if m := hunkHead.FindStringSubmatch(text); m != nil {
			_, _ = fmt.Sscan(m[1], &n) // digits
			continue
		}
		if strings.HasPrefix(text, "-") || strings.HasPrefix(text, `\`) {
			continue
		}
		if n >= first && n <= last && text != "" {
			out.WriteString(text[1:] + "\n")
		}
		n++
	}
	return out.String()
}
