package accept

import (
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
	maxDeeper  = 40 // how much deeper than the lines around it a line may be indented
	maxGap     = 40 // of one gap, or of all that are wider than smallGap together
	smallGap   = 8
	maxEmpty   = 6 // lines one after the other; in a file, twice as many
)

// hides says what in the lines that a patch adds could hide code from a reviewer; "" if nothing. Of
// lines that it only moves, the indentation counts. A second copy of a moved line is new.
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
		most int      // how deep it may be indented
	}
	var lines []added
	more := 0 // empty lines that are new
	for _, h := range f.Hunks {
		was, _ := empty(h.Before)
		is, longest := empty(h.After)
		if more += is - was; longest > maxEmpty || more > 2*maxEmpty {
			return "code behind many empty lines"
		}
		after := map[string]bool{}
		for _, l := range head(h.After, maxAdded) {
			after[l] = true
		}
		gone, deepest := suite.Filter(h.Before, func(l string) bool { return !after[l] }), 0
		for _, l := range h.Before {
			_, indent, _ := widths(l, 0, 0)
			deepest = max(deepest, indent)
		}
		for _, l := range h.After {
			if l = strings.TrimRight(l, "\r\n"); old[l] == 0 {
				lines = append(lines, added{l, gone, min(deepest+maxDeeper, maxIndent)})
				continue
			}
			old[l]--
			text[strings.TrimSpace(l)]--
		}
	}
	for _, l := range lines {
		if _, indent, _ := widths(l.line, 0, 0); indent > l.most {
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

// hidden says what a line could hide that replaces one of these lines. Only what is new in the line, and
// the blanks beside it, are measured: the rest was in the file already.
func hidden(l string, before []string, java bool) string {
	first, end := different(l, before)
	for first > 0 && !strings.ContainsRune(" \t", rune(l[first-1])) {
		first--
	}
	if last := strings.IndexAny(l[end:], " \t"); last >= 0 {
		end += last
	} else {
		end = len(l)
	}
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

// unseen reports whether a line holds characters that a reviewer does not see, or blanks that a keyboard
// does not have. What makes an emoji coloured, or joins two of them, is shown with it.
func unseen(l string) bool {
	var b strings.Builder
	var before rune
	for _, r := range l {
		emoji := unicode.Is(unicode.So, before) || before >= 0x1f3fb && before <= 0x1f3ff
		switch {
		case r == '\ufe0f' && (emoji || unicode.Is(unicode.Sm, before) || before == 'ℹ'):
		case r == '\u200d' && (emoji || before == '\ufe0f'):
		case unicode.IsSpace(r) && r != ' ' && r != '\t':
			return true
		default:
			b.WriteRune(r)
		}
		before = r
	}
	return suggest.Odd(b.String()) || !utf8.ValidString(l)
}

// empty counts the lines without a sign, and the most of them that follow each other.
func empty(lines []string) (all, most int) {
	blank := func(r rune) bool {
		return unicode.IsSpace(r) || unicode.In(r, unicode.Mn, unicode.Me) || suggest.Unseen(r)
	}
	n := 0
	for _, l := range lines {
		if strings.TrimFunc(l, blank) != "" {
			n = 0
			continue
		}
		all++
		n++
		most = max(most, n)
	}
	return all, most
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

// widths measures a line in columns: how far its first sign is indented; where the last sign before end
// ends; and the blanks between signs that are at the part from first to end (in bytes), or next to it:
// the widest gap, or all that are not small.
func widths(l string, first, end int) (columns, indent, gap int) {
	at, behind, last, sum := 0, 0, -1, 0 // last is where the last sign ends; behind it are these columns
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
			if gap = max(gap, at-behind); at-behind > smallGap {
				sum += at - behind
			}
		}
		if at++; i < end {
			columns = at
		}
		behind, last = at, i+utf8.RuneLen(r)
	}
	return columns, indent, max(gap, sum)
}
