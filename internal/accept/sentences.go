package accept

import (
	"regexp"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suggest"
)

// details match what odfix says of a check that holds. What else a runner says of one is not kept: it
// would stand among odfix' own words.
var details = regexp.MustCompile(`^(?:` + strings.Join([]string{
	`\d+ (?:of (?:the )?\d+ )?(?:tests|pairs)(?:, those of several tests one after another)?`,
	`\d+ of the \d+ that run each test directly after every other`,
	`those of \d+ (?:classes|files) run one after another`,
	`\d+ tests that end their process are left out of all orders`,
	`\d+ tests give no result there without the patch and were not compared`,
	`some tests fail in this order with and without the patch, or are flaky`,
}, "|") + `)$`)

// detail keeps the parts of a check's detail that odfix says.
func (a *acceptor) detail(text string) string {
	var kept []string
	for _, s := range strings.Split(line(text), "; ") {
		if s, _, _ = strings.Cut(s, " ("); details.MatchString(s) {
			kept = append(kept, s)
		}
	}
	return strings.Join(kept, "; ")
}

// maxLine bounds the lines that a patch adds: what is far to the right is not seen.
const maxLine = 1000 // bytes

var (
	farRight = regexp.MustCompile(`[^\s\pZ][\s\pZ]{20,}[^\s\pZ]`)
	// escape is an escape in Java, where one can end a comment or begin a line that is not seen.
	escape = regexp.MustCompile(`\\u+[0-9A-Fa-f]{4}`)
)

// hides says what in the lines that a patch adds could hide code from a reviewer; "" if nothing.
// Lines that the file has at that place already may stay.
func hides(f patch.File) string {
	for _, h := range f.Hunks {
		for _, l := range h.After {
			l = strings.TrimRight(l, "\r\n")
			switch {
			case slices.ContainsFunc(h.Before, func(b string) bool { return strings.TrimRight(b, "\r\n") == l }):
			case suggest.Odd(l):
				return "characters that cannot be seen"
			case len(l) > maxLine:
				return "more than 1,000 characters"
			case farRight.MatchString(l):
				return "code far to the right"
			case strings.HasSuffix(f.Path, ".java") && escape.MatchString(l):
				return "an escaped character"
			}
		}
	}
	return ""
}
