package maven

import (
	"sort"
	"strings"

	"github.com/odfix/odfix/internal/java/build"
)

// applyRunOrder sorts Classes as the provider does. Surefire passes them unsorted and sorts inside
// the fork.
func applyRunOrder(l *build.Launch) {
	switch order := strings.ToLower(l.RunOrder); order {
	case "", "filesystem":
	case "alphabetical":
		sort.Strings(l.Classes)
	case "reversealphabetical":
		sort.Sort(sort.Reverse(sort.StringSlice(l.Classes)))
	case "hourly":
		sort.Strings(l.Classes)
		unordered(l, "by the hour of the day (alphabetical in even hours, reversed in odd ones)")
	case "random":
		unordered(l, "at random")
	case "failedfirst":
		unordered(l, "with the classes first that failed in the run before")
	case "balanced":
		unordered(l, "by how long they took in the run before")
	default:
		unordered(l, "in the order \""+l.RunOrder+"\", which is unknown to odfix")
	}
}

func unordered(l *build.Launch, how string) {
	l.Unordered = true
	l.Notes = append(l.Notes, "The build orders its test classes "+how+".")
}
