package accept

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suggest"
	"github.com/odfix/odfix/internal/suite"
)

// details match what odfix says of a check that holds. What else a runner says of one is not kept: it
// would stand among odfix' own words.
var details = regexp.MustCompile(`^(?:` + strings.Join([]string{
	`\d{1,9} (?:of (?:the )?\d{1,9} )?(?:tests|pairs)(?:, those of several tests one after another)?`,
	`\d{1,9} of the \d{1,9} that run each test directly after every other`,
	`those of \d{1,9} (?:classes|files) run one after another`,
	`\d{1,9} tests that end their process are left out of all orders`,
	`\d{1,9} tests give no result there without the patch and were not compared`,
	`some tests fail in this order with and without the patch, or are flaky`,
}, "|") + `)$`)

// onceWorse is the end of what odfix says of a check that did not hold in its first run.
var onceWorse = regexp.MustCompile(` in parallel with other processes, and no worse in \d{1,9} runs with no other process$`)

// detail keeps the parts of a check's detail that odfix says.
func (a *acceptor) detail(text string) string {
	var kept []string
	for _, s := range strings.Split(cut(text, maxID+maxSentence), "; ") {
		if end := onceWorse.FindString(s); end != "" {
			kept = append(kept, "a test failed once"+end)
		} else if s, _, _ = strings.Cut(s, " ("); details.MatchString(s) {
			kept = append(kept, s)
		}
	}
	return strings.Join(kept, "; ")
}

// What is far to the right in a line is not seen, nor is what stands behind many blanks. These bounds
// are columns; a tab has eight.
const (
	maxColumns = 300
	maxIndent  = 120
	maxGap     = 20
)

// hides says what in the lines that a patch adds could hide code from a reviewer; "" if nothing. Of
// lines that it only moves, the indentation counts; of others, what they do not share with one that
// they replace.
func hides(f patch.File) string {
	old, text := map[string]bool{}, map[string]bool{}
	for _, h := range f.Hunks {
		for _, l := range h.Before {
			old[strings.TrimRight(l, "\r\n")], text[strings.TrimSpace(l)] = true, true
		}
	}
	for _, h := range f.Hunks {
		gone := suite.Filter(h.Before, func(l string) bool { return !slices.Contains(head(h.After, maxAdded), l) })
		for _, l := range h.After {
			l = strings.TrimRight(l, "\r\n")
			_, indent, _ := widths(l)
			switch {
			case old[l]:
				continue
			case indent > maxIndent:
				return "code far to the right"
			case text[strings.TrimSpace(l)]:
				continue
			}
			l = different(l, head(gone, maxReplaced))
			switch columns, _, gap := widths(l); {
			case suggest.Odd(l):
				return "characters that cannot be seen"
			case columns > maxColumns || gap >= maxGap:
				return "code far to the right"
			case strings.HasSuffix(f.Path, ".java") && escapesSign(l):
				return "an escaped character"
			}
		}
	}
	return ""
}

// Bounds of the lines of a hunk that are compared with each other.
const (
	maxAdded    = 500
	maxReplaced = 50
)

// different is the part of a line that is not the same as in the most similar of the lines before.
func different(l string, before []string) string {
	out := l
	for _, b := range before {
		b = strings.TrimRight(b, "\r\n")
		first, most := 0, min(len(l), len(b))
		for first < most && l[first] == b[first] {
			first++
		}
		last := 0
		for last < most-first && l[len(l)-1-last] == b[len(b)-1-last] {
			last++
		}
		end := len(l) - last
		for first > 0 && first < len(l) && !utf8.RuneStart(l[first]) {
			first--
		}
		for end < len(l) && !utf8.RuneStart(l[end]) {
			end++
		}
		if end-first < len(out) {
			out = l[first:end]
		}
	}
	return out
}

// widths are the columns of a line up to its last sign, those before its first, and the most between
// two signs.
func widths(l string) (columns, indent, gap int) {
	at, seen := 0, false
	for _, r := range l {
		if unicode.IsSpace(r) {
			at++
			if r == '\t' {
				at += 7
			}
			continue
		}
		if !seen {
			indent = at
		} else {
			gap = max(gap, at-columns)
		}
		at++
		columns, seen = at, true
	}
	return columns, indent, gap
}
