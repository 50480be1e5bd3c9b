package accept

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suggest"
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
	for _, s := range strings.Split(line(text), "; ") {
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
// lines that it only moves, the indentation counts.
func hides(f patch.File) string {
	old := map[string]bool{}
	for _, h := range f.Hunks {
		for _, l := range h.Before {
			old[strings.TrimSpace(l)] = true
		}
	}
	for _, h := range f.Hunks {
		for _, l := range h.After {
			l = strings.TrimRight(l, "\r\n")
			columns, indent, gap := widths(l)
			switch {
			case indent > maxIndent:
				return "code far to the right"
			case old[strings.TrimSpace(l)]:
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
