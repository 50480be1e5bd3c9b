package githubtest

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// DiffLine is a line of a diff. Sign is ' ', '+' or '-'.
type DiffLine struct {
	Sign rune
	Text string
}

// SuggestedChange is the diff of the suggestion in a comment, or nothing without a suggestion. The
// comment is at the end of the hunk, on the lines from start to line; start 0 means one line.
func SuggestedChange(hunk string, start, line int, body string) []DiffLine {
	text, empty, found := Suggestion(body)
	if !found {
		return nil
	}
	start = cmp.Or(start, line)
	before, after := lines(hunk, start, line), text+"\n"
	if empty {
		after = ""
	}
	const all = 1 << 20 // lines of context
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

// lines are the lines of a hunk's new side from first to last.
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
