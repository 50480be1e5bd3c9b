package suggest

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Fence is the row of backticks that encloses a text as a block of Markdown. It is longer than any
// row of backticks in the text.
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

// Block returns the text as a block of Markdown. info names its language.
func Block(info, text string) string {
	fence := Fence(text)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return fence + info + "\n" + text + fence
}

// Suggestion returns the piece as GitHub's suggestion block. A suggestion without lines removes the
// lines of the comment.
func (p Piece) Suggestion() string {
	var b strings.Builder
	for _, l := range p.Lines {
		b.WriteString(l + "\n")
	}
	return Block("suggestion", b.String())
}

// Odd reports whether a line holds characters that a comment may change, or that a reviewer cannot
// see: control characters except tab, characters that change the direction of writing, blank letters,
// and bytes that are not UTF-8.
func Odd(line string) bool {
	return !utf8.ValidString(line) || strings.IndexFunc(line, func(r rune) bool { return r != '\t' && Unseen(r) }) >= 0
}

// Unseen reports whether a character is not shown as such, or changes how others are shown.
func Unseen(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) ||
		strings.ContainsRune("\u2028\u2029\u2800\ufffd\U0001d159\U00013441", r)
}
