package accept

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suggest"
	"github.com/odfix/odfix/internal/suite"
)

// What is far to the right in a line is not seen, nor is what stands behind many blanks. These bounds
// are columns; a tab ends at a multiple of eight. maxEmpty is a number of lines.
const (
	maxColumns = 300
	maxIndent  = 120
	maxGap     = 40
	maxEmpty   = 6
)

// hides says what in the lines that a patch adds could hide code from a reviewer; "" if nothing. Of
// lines that it only moves, the indentation counts. Each line of the file may be moved once.
func hides(f patch.File) string {
	old, text := map[string]int{}, map[string]int{}
	for _, h := range f.Hunks {
		for _, l := range h.Before {
			old[strings.TrimRight(l, "\r\n")]++
			text[strings.TrimSpace(l)]++
		}
	}
	type added struct {
		line string
		gone []string // lines that the hunk removes
	}
	var lines []added
	for _, h := range f.Hunks {
		if empty(h.After) > max(maxEmpty, empty(h.Before)) {
			return "code behind many empty lines"
		}
		gone := suite.Filter(h.Before, func(l string) bool { return !slices.Contains(head(h.After, maxAdded), l) })
		for _, l := range h.After {
			if l = strings.TrimRight(l, "\r\n"); old[l] == 0 {
				lines = append(lines, added{l, gone})
				continue
			}
			old[l]--
			text[strings.TrimSpace(l)]--
		}
	}
	for _, l := range lines {
		if _, indent, _ := widths(l.line, 0, 0); indent > maxIndent {
			return "code far to the right"
		}
		if moved := strings.TrimSpace(l.line); text[moved] > 0 {
			text[moved]--
		} else if what := hidden(l.line, head(l.gone, maxReplaced), strings.HasSuffix(f.Path, ".java")); what != "" {
			return what
		}
	}
	return ""
}

// hidden says what a line could hide that replaces one of these lines. What is to the right of all that
// is new in it, and not next to it, was there before.
func hidden(l string, before []string, java bool) string {
	first, end := different(l, before)
	switch columns, _, gap := widths(l, first, end); {
	case unseen(l):
		return "characters that cannot be seen"
	case columns > maxColumns || gap >= maxGap:
		return "code far to the right"
	case java && escapesSign(l):
		return "an escaped character"
	}
	return ""
}

// unseen reports whether a line holds characters that a reviewer does not see. Those that make an emoji
// coloured, or join two, are shown with it.
func unseen(l string) bool {
	var b strings.Builder
	var before rune
	for _, r := range l {
		if r != '\ufe0f' && r != '\u200d' || !unicode.In(before, unicode.So, unicode.Sk) && before != '\ufe0f' {
			b.WriteRune(r)
		}
		before = r
	}
	return suggest.Odd(b.String()) || !utf8.ValidString(l)
}

// empty is the most lines without a sign that follow each other.
func empty(lines []string) int {
	most, n := 0, 0
	for _, l := range lines {
		if n++; strings.TrimSpace(l) != "" {
			n = 0
		}
		most = max(most, n)
	}
	return most
}

// Bounds of the lines of a hunk that are compared with each other.
const (
	maxAdded    = 500
	maxReplaced = 50
)

// different says where the part of a line begins and ends that is not the same as in the most similar
// of the lines before.
func different(l string, before []string) (first, end int) {
	end = len(l)
	for _, b := range before {
		b = strings.TrimRight(b, "\r\n")
		same, most := 0, min(len(l), len(b))
		for same < most && l[same] == b[same] {
			same++
		}
		last := 0
		for last < most-same && l[len(l)-1-last] == b[len(b)-1-last] {
			last++
		}
		to := len(l) - last
		for same > 0 && same < len(l) && !utf8.RuneStart(l[same]) {
			same--
		}
		for to < len(l) && !utf8.RuneStart(l[to]) {
			to++
		}
		if to-same < end-first {
			first, end = same, to
		}
	}
	return first, end
}

// widths are the columns of a line before its first sign, those up to the last sign before end, and the
// most blank ones between two signs at, or next to, a part of the line.
func widths(l string, first, end int) (columns, indent, gap int) {
	at, behind, last := 0, 0, -1 // last is where the last sign ends; behind it are these columns
	for i, r := range l {
		if unicode.IsSpace(r) {
			if at++; r == '\t' {
				at = (at + 7) / 8 * 8
			}
			continue
		}
		switch {
		case last < 0:
			indent = at
		case last <= end && i >= first:
			gap = max(gap, at-behind)
		}
		if at++; i < end {
			columns = at
		}
		behind, last = at, i+utf8.RuneLen(r)
	}
	return columns, indent, gap
}
