package config

import (
	"strings"
	"testing"
)

// oneByOne is Matches in a simple and slow form.
func oneByOne(p, s string) bool {
	star, resume := -1, 0
	i, j := 0, 0
	for j < len(s) {
		switch {
		case i < len(p) && p[i] == '*':
			star, resume = i, j
			i++
		case i < len(p) && p[i] == s[j]:
			i, j = i+1, j+1
		case star >= 0:
			resume++
			i, j = star+1, resume
		default:
			return false
		}
	}
	return strings.Trim(p[i:], "*") == ""
}

// texts are all texts of these letters, up to a length.
func texts(letters string, most int) []string {
	all := []string{""}
	for from := 0; most > 0; most-- {
		to := len(all)
		for _, t := range all[from:to] {
			for _, l := range letters {
				all = append(all, t+string(l))
			}
		}
		from = to
	}
	return all
}

// TestAttackLongNames: comparing each place of the name with the whole pattern takes 10^12 steps.
func TestAttackLongNames(t *testing.T) {
	const long = 1 << 20
	name := strings.Repeat("a", 2*long)
	for p, want := range map[string]bool{
		"*" + strings.Repeat("a", long) + "b*": false, "*" + strings.Repeat("a", long) + "*": true, strings.Repeat("*a", long) + "b": false,
		strings.Repeat("*a", long) + "*b*": false, strings.Repeat("*a", 2*long): true, strings.Repeat("a*", 2*long+1): false,
	} {
		if got := Name(p).Matches(name); got != want {
			t.Errorf("%.10s…: %v", p, got)
		}
	}
}

// TestNamesMatchAsBefore: all short patterns match what they matched before.
func TestNamesMatchAsBefore(t *testing.T) {
	names := texts("ab", 6)
	for _, p := range texts("ab*", 5) {
		for _, s := range names {
			if got, want := Name(p).Matches(s), oneByOne(p, s); got != want {
				t.Fatalf("%q against %q: %v, want %v", p, s, got, want)
			}
		}
	}
}

func FuzzNames(f *testing.F) {
	f.Add("a*b*c", "aXbYbZc")
	f.Add("*test*", "unit test (17)")
	f.Add("ab*ba", "aba")
	f.Fuzz(func(t *testing.T, p, s string) {
		if got, want := Name(p).Matches(s), oneByOne(p, s); got != want {
			t.Errorf("%q against %q: %v, want %v", p, s, got, want)
		}
	})
}
