package templates

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// TestCommandHelp: paragraphs and rows of tables are wrapped, commands are not.
func TestCommandHelp(t *testing.T) {
	const text = `Finds the reason why tests fail only in some orders of tests, and proves a patch for each.
It never changes anything.

Exit status:
  0  fine
  1  something went wrong in a way that takes many words to say, more
     than fit into one line
 12  other
After the table.

Usage:
  odfix fix [DIR] [--test TEST]… [-- BUILD ARGUMENTS] and so on until the line is too long for the width

Flags:
  -t, --test test     a failing test, in words that are longer than one line of this narrow terminal
`
	const want = `Finds the reason why tests fail only in some orders of tests,
and proves a patch for each. It never changes anything.

Exit status:
  0  fine
  1  something went wrong in a way that takes many words to
     say, more than fit into one line
 12  other
After the table.

Usage:
  odfix fix [DIR] [--test TEST]… [-- BUILD ARGUMENTS] and so on until the line is too long for the width

Flags:
  -t, --test test     a failing test, in words that are
                      longer than one line of this narrow
                      terminal
`
	if diff := cmp.Diff(want, CommandHelp(text, 61)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for width, most := range map[int]int{0: 80, 20: 60, 500: 100} {
		for line := range strings.Lines(CommandHelp(text, width)) {
			if n := utf8.RuneCountInString(line) - 1; n > most && !strings.HasPrefix(line, "  odfix") {
				t.Errorf("width %d: %d columns: %s", width, n, line)
			}
		}
	}
}
