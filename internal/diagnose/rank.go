package diagnose

import (
	"cmp"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/suite"
)

// cleaningWords are words that are common in the names of tests that restore state.
var cleaningWords = []string{
	"reset", "clear", "null", "remove", "shutdown", "close", "clean", "stop", "restore",
	"default", "delete", "unregister", "deregister", "dispose", "destroy", "flush", "evict", "cancel", "empty",
}

// ranked lists every test but the victim itself as a candidate cleaner, likely ones first and the
// polluter's own last.
func (k *cleaning) ranked() suite.Order {
	type scored struct {
		t suite.TestID
		n int
	}
	var list []scored
	for _, t := range k.fit(k.all) {
		if !slices.Contains(k.polluter, t) {
			list = append(list, scored{t, k.score(t)})
		}
	}
	slices.SortStableFunc(list, func(a, b scored) int { return cmp.Compare(b.n, a.n) })
	out := make(suite.Order, 0, len(list)+1)
	for _, s := range list {
		out = append(out, s.t)
	}
	if k.ownOnly || k.in.Once {
		return out
	}
	return append(out, k.polluter...)
}

// score rates how likely a test is to clean the state that the polluter left.
func (k *cleaning) score(t suite.TestID) int {
	n := 0
	last := k.polluter[len(k.polluter)-1]
	if k.Same(t, last) {
		n += 4
	}
	if k.Same(t, k.c.id) {
		n += 3
	}
	if p := folder(k.Top(t)); p == folder(k.Top(last)) || p == folder(k.Top(k.c.id)) {
		n++
	}
	n += min(4, 2*shared(k.Name(t), k.Name(last)))
	name := strings.ToLower(k.Name(t))
	if slices.ContainsFunc(cleaningWords, func(w string) bool { return strings.Contains(name, w) }) {
		n += 3
	}
	return n
}

// shared returns how many words of at least four letters two camel-case names have in common.
func shared(a, b string) int {
	n := 0
	theirs := words(b)
	for _, w := range words(a) {
		if slices.Contains(theirs, w) {
			n++
		}
	}
	return n
}

func words(name string) []string {
	var out []string
	begin := 0
	for i := 1; i <= len(name); i++ {
		if i == len(name) || name[i] == '_' || name[i] >= 'A' && name[i] <= 'Z' {
			if w := strings.Trim(strings.ToLower(name[begin:i]), "_"); len(w) >= 4 && w != "test" {
				out = append(out, w)
			}
			begin = i
		}
	}
	return out
}

// folder returns the name of a group without its last part: a package, or the folder of a file.
func folder(group string) string {
	cut := strings.LastIndexByte(group, '/')
	if cut < 0 {
		cut = strings.LastIndexByte(group, '.')
	}
	return group[:max(0, cut)]
}
