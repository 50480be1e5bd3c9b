package maven

import (
	"sort"
	"strings"
)

// applyRunOrder puts Classes into the order in which the provider runs them.
// Surefire hands them over as it found them and sorts inside the fork.
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
		l.unordered("in the order \"" + l.RunOrder + "\", which odfix does not know")
	}
}

func (l *Launch) unordered(how string) {
	l.Unordered = true
	l.Notes = append(l.Notes, "The build orders its test classes "+how+".")
}
