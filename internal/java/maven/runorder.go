package maven

import (
	"sort"
	"strings"
)

// applyRunOrder sorts Classes as the provider does. Surefire passes them unsorted and sorts inside
// the fork.
func (l *Launch) applyRunOrder() {
	switch order := strings.ToLower(l.RunOrder); order {
	case "", "filesystem":
	case "alphabetical":
		sort.Strings(l.Classes)
	case "reversealphabetical":
		sort.Sort(sort.Reverse(sort.StringSlice(l.Classes)))
	case "hourly":
		sort.Strings(l.Classes)
		l.unordered("by the hour of the day (alphabetical in even hours, reversed in odd ones)")
	case "random":
		l.unordered("at random")
	case "failedfirst":
		l.unordered("with the classes first that failed in the run before")
	case "balanced":
		l.unordered("by how long they took in the run before")
	default:
		l.unordered("in the order \"" + l.RunOrder + "\", which is unknown to odfix")
	}
}

func (l *Launch) unordered(how string) {
	l.Unordered = true
	l.Notes = append(l.Notes, "The build orders its test classes "+how+".")
}
