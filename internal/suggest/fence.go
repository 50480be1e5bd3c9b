package suggest

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Fence is the backticks that can enclose a text as a block of Markdown: more
// than any run of them in the text.
func Fence(text string) string {
	longest, run := 2, 0
	for i := range len(text) {
		if run++; text[i] != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	return strings.Repeat("`", longest+1)
}

// Block is the text as a block of Markdown; info says what it is.
func Block(info, text string) string {
	fence := Fence(text)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return fence + info + "\n" + text + fence
}

// Suggestion is the piece as GitHub's suggestion block. No lines at all remove
// the lines the comment stands on.
func (p Piece) Suggestion() string {
	var b strings.Builder
	for _, l := range p.Lines {
		b.WriteString(l + "\n")
	}
	return Block("suggestion", b.String())
}

// Odd reports whether a line holds what might not survive a comment, or would
// not be seen by whoever accepts it: control characters but tab, characters
// that change the direction of writing, and what is not UTF-8.
func Odd(line string) bool {
	return !utf8.ValidString(line) || strings.IndexFunc(line, func(r rune) bool {
		return r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' || r == utf8.RuneError
	}) >= 0
}
