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

// Without returns the tests that are not among the others, in a new list.
func Without[S ~[]TestID](tests S, others []TestID) S {
	return slices.DeleteFunc(slices.Clone(tests), func(t TestID) bool { return slices.Contains(others, t) })
}

// Union returns the orders of both lists, each once.
func Union(a, b []Order) []Order {
	seen := map[string]bool{}
	var out []Order
	for _, o := range slices.Concat(a, b) {
		if !seen[o.Key()] {
			seen[o.Key()] = true
			out = append(out, o)
		}
	}
	return out
}

// FirstAndCount names the first of the tests, and the number of the others.
func FirstAndCount(tests []TestID) string {
	if len(tests) == 1 {
		return string(tests[0])
	}
	return fmt.Sprintf("%s and %d more", tests[0], len(tests)-1)
}
