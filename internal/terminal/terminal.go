// Package terminal shows a person, or the log of a build, what a job is doing.
//
// Invariant: everything that comes from a runner is untrusted. Control characters are removed from
// it, so it can neither move the cursor nor forge a line, and it holds no command of GitHub Actions.
package terminal

import (
	"os"

	"golang.org/x/term"
)

// Is reports whether the output goes to a terminal.
func Is(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Width returns the terminal's number of columns, or 0 if w is not a terminal.
func Width(w any) int {
	if f, ok := w.(*os.File); ok {
		if cols, _, err := term.GetSize(int(f.Fd())); err == nil {
			return cols
		}
	}
	return 0
}
