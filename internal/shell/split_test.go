package shell

import (
	"slices"
	"testing"
)

func TestSplit(t *testing.T) {
	for i := range odd {
		words := odd[i:]
		if got, ok := Split(Line(words...)); !ok || !slices.Equal(got, words) {
			t.Errorf("%q became %q (%v)", words, got, ok)
		}
	}
	for _, line := range []string{"", " ", "a  b", " a", "a ", "a;b", "a|b", "$(id)", "`id`", "a\nb",
		`"a"`, "'a", `a\b`, "a=$b", "a&", "'a'", "~", "*"} {
		if got, ok := Split(line); ok {
			t.Errorf("%q became %q", line, got)
		}
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("mvn '-Dtest=a b' test")
	f.Fuzz(func(t *testing.T, line string) {
		if words, ok := Split(line); ok && Line(words...) != line {
			t.Errorf("%q became %q", line, words)
		}
	})
}
