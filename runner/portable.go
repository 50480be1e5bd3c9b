package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/state"
)

// minLocal is the length from which on a text is taken for this machine's own.
const minLocal = 4

// here are texts that mean something on this machine, or in this copy of the project, only; longer ones first.
func (p *project) here() []string {
	home, _ := os.UserHomeDir()
	host, _ := os.Hostname()
	all := []string{p.build.Tree(), p.build.Checkout(), p.work, os.TempDir(), home, host}
	for _, path := range all[:len(all)-1] {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			all = append(all, real)
		}
	}
	all = slices.DeleteFunc(all, func(s string) bool { return len(s) < minLocal || s == "localhost" })
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(all)
}

func local(text string, here []string) bool {
	return slices.ContainsFunc(here, func(s string) bool { return strings.Contains(text, s) })
}

// anywhere is the text without what is this machine's own.
func anywhere(text string, here []string) string {
	for _, s := range here {
		text = strings.ReplaceAll(text, s, "…")
	}
	return text
}

// portable are the differences that two processes agree on, without values that are one process's or this machine's own:
// what a patch is made from must be the same everywhere.
func portable(changes, again []state.Change, here []string) []state.Change {
	var out []state.Change
	for _, c := range changes {
		same := func(o state.Change) bool { return o.Place == c.Place && o.Path == c.Path }
		i := slices.IndexFunc(again, same)
		if i < 0 || local(c.Path, here) {
			continue
		}
		if c.Before != again[i].Before || local(c.Before, here) {
			c.Before = ""
		}
		if c.After != again[i].After || local(c.After, here) {
			c.After = ""
		}
		out = append(out, c)
	}
	return out
}
