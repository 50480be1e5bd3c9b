// Package patch makes, reads, merges and applies unified diffs: what `git apply` takes as it is.
//
// Invariants: a diff made here applies to the very bytes it was made from, and gives the very bytes
// that were wanted, whatever the line ends, the encoding and the last line's newline. A path that
// leaves the folder a diff is applied in is refused, since a diff may come from elsewhere.
package patch

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Edit is one file before and after. Both texts are bytes in the file's own encoding; the file
// exists before and after.
type Edit struct {
	Path   string // relative, with '/'
	Before string
	After  string
}

// Unified is the edits as one patch, in the given order, with three lines of context and git's
// headers. Edits that change nothing leave no trace.
func Unified(edits ...Edit) string {
	var b strings.Builder
	for _, e := range edits {
		body := hunks(e.Before, e.After)
		if body == "" {
			continue
		}
		from, to := quote("a/"+e.Path), quote("b/"+e.Path)
		b.WriteString("diff --git " + from + " " + to + "\n")
		b.WriteString("--- " + from + tab(from) + "\n")
		b.WriteString("+++ " + to + tab(to) + "\n")
		b.WriteString(body)
	}
	return b.String()
}

// hunks is the diff without its two header lines.
func hunks(before, after string) string {
	if before == after {
		return ""
	}
	diff := udiff.Unified("a", "b", before, after)
	for range 2 {
		_, diff, _ = strings.Cut(diff, "\n")
	}
	return diff
}

// tab ends a name that holds a space, as git does, so that nobody takes the rest of the name for a
// time stamp.
func tab(name string) string {
	if strings.Contains(name, " ") && !strings.HasPrefix(name, `"`) {
		return "\t"
	}
	return ""
}
