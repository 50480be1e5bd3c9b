package suite

import (
	"fmt"
	"slices"
)

// Count is a number with its noun.
func Count(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, several)
}

// Filter returns the elements that keep accepts, in their order, in a new list.
func Filter[S ~[]E, E any](list S, keep func(E) bool) S {
	var out S
	for _, x := range list {
		if keep(x) {
			out = append(out, x)
		}
	}
	return out
}

// AppendNew appends to a list what it does not have yet.
func AppendNew[S ~[]E, E comparable](list S, more ...E) S {
	for _, x := range more {
		if !slices.Contains(list, x) {
			list = append(list, x)
		}
	}
	return list
}
