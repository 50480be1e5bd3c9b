package restore

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/odfix/odfix/internal/state"
)

// local reports whether the text contains one of these folders, or is the machine's name. The name
// may be an ordinary word, so it counts only if it is the whole text.
func local(words string, here []string) bool {
	if host, err := os.Hostname(); err == nil && words == strconv.Quote(host) {
		return true
	}
	return slices.ContainsFunc(here, func(s string) bool { return strings.Contains(words, s) })
}

// withoutLocalPaths returns the text without this machine's folders.
func withoutLocalPaths(text string, here []string) string {
	for _, s := range here {
		text = strings.ReplaceAll(text, s, "…")
	}
	return text
}

// portable returns the differences that two processes agree on, without values that are specific to
// one process or to this machine. A patch is made from them, and must be the same everywhere.
func portable(changes, again []state.Change, here []string) []state.Change {
	var out []state.Change
	for _, c := range changes {
		same := func(o state.Change) bool { return o.Field == c.Field && o.Path == c.Path }
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
