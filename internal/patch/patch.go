// Package patch makes, reads, merges and applies unified diffs, in the form that `git apply`
// accepts.
//
// Invariants: a diff made here applies to exactly the bytes it was made from, and gives exactly the
// requested bytes, whatever the line ends, the encoding and the last line's newline. A path that
// leaves the folder is refused, because a diff may come from elsewhere.
package patch

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Edit is one file before and after a change. Both texts are bytes in the file's own encoding. The
// file exists before and after.
type Edit struct {
	Path   string // relative, with '/'
	Before string
	After  string
}

// Unified formats the edits as one patch, in the given order, with three lines of context and git's
// headers. It leaves out edits without a change.
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

// hunks returns the diff without its two header lines.
func hunks(before, after string) string {
	if before == after {
		return ""
	}
	diff, err := udiff.ToUnifiedDiff("a", "b", before, udiff.Lines(before, after), udiff.DefaultContextLines)
	if err != nil {
		panic(err) // the edits are those of before
	}
	// The library counts no unchanged line between two edits of a hunk (go-udiff 0.4.1), so that the
	// hunks after it began too early.
	added := 0
	for _, h := range diff.Hunks {
		h.ToLine = h.FromLine + added
		for _, l := range h.Lines {
			switch l.Kind {
			case udiff.Insert:
				added++
			case udiff.Delete:
				added--
			}
		}
	}
	text := diff.String()
	for range 2 {
		_, text, _ = strings.Cut(text, "\n")
	}
	return text
}

// tab returns the tab that ends a name with a space, as in git, so that no tool reads the rest of
// the name as a time stamp.
func tab(name string) string {
	if strings.Contains(name, " ") && !strings.HasPrefix(name, `"`) {
		return "\t"
	}
	return ""
}
