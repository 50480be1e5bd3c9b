package build

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseProperties(t *testing.T) {
	data := "#surefire\n" +
		"! other comment\r\n" +
		"tc.0=a.B\n" +
		"  spaced  =  value with trailing \n" +
		"colon\\:key:c\\=d\n" +
		"empty=\n" +
		"alone\n" +
		"long=one,\\\n   two,\\\n   three\n" +
		"unicode=\\u00e9\\uD83D\\uDE00 \\t\\n\\\\ \\q\n" +
		"stray=a\\uzz\n" +
		"slash=ends in two\\\\\n" +
		"last=no newline"
	want := map[string]string{
		"tc.0": "a.B", "spaced": "value with trailing ", "colon:key": "c=d", "empty": "", "alone": "",
		"long": "one,two,three", "unicode": "é😀 \t\n\\ q", "stray": "azz", "slash": `ends in two\`, "last": "no newline",
	}
	if diff := cmp.Diff(want, ParseProperties(data)); diff != "" {
		t.Error(diff)
	}
}

func FuzzParseProperties(f *testing.F) {
	f.Add("a=b\\\n c\n#x\n\\u0041=\\u004")
	f.Add("\\")
	f.Fuzz(func(t *testing.T, data string) { ParseProperties(data) })
}
