package main

import (
	"os"

	"golang.org/x/term"

	"github.com/odfix/odfix/templates"
)

// isTerminal reports whether the output goes to a terminal.
func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// terminal returns the options for text on standard output. NO_COLOR turns colours off with any
// value except the empty one (no-color.org).
func terminal(w world) templates.Options {
	o := templates.Options{Width: width(w.stdout)}
	o.Color = isTerminal(w.stdout) && w.getenv("NO_COLOR") == "" && w.getenv("TERM") != "dumb"
	return o
}

// width returns the terminal's number of columns, or 0 if w is not a terminal.
func width(w any) int {
	if f, ok := w.(*os.File); ok {
		if cols, _, err := term.GetSize(int(f.Fd())); err == nil {
			return cols
		}
	}
	return 0
}
