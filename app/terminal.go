package main

import (
	"github.com/odfix/odfix/internal/terminal"
	"github.com/odfix/odfix/templates"
)

// textOptions returns the options for text on standard output. NO_COLOR turns colours off with any
// value except the empty one (no-color.org).
func textOptions(w world) templates.Options {
	o := templates.Options{Width: terminal.Width(w.stdout)}
	o.Color = terminal.Is(w.stdout) && w.getenv("NO_COLOR") == "" && w.getenv("TERM") != "dumb"
	return o
}
