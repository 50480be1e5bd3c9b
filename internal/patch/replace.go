package patch

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Replacement is a change without context: it replaces lines [At, To) of the text before.
type Replacement struct {
	At, To int
	With   []string // including line ends
}

// Replacements returns the changes from one text to another, in the order of the lines.
func Replacements(before, after string) []Replacement {
	var out []Replacement
	line := lineIndex(before)
	for _, e := range udiff.Lines(before, after) {
		out = append(out, Replacement{line(e.Start), line(e.End), Lines(e.New)})
	}
	return out
}

// lineIndex returns a function that counts the lines before an offset. Offsets are at a line's
// start or at the end, and must increase.
func lineIndex(text string) func(offset int) int {
	at, n := 0, 0
	return func(offset int) int {
		n += strings.Count(text[at:offset], "\n")
		at = offset
		if offset == len(text) && text != "" && !strings.HasSuffix(text, "\n") {
			return n + 1
		}
		return n
	}
}
