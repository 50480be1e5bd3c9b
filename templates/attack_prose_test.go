package templates

import "testing"

// TestAttackProse: foreign words in a sentence are nothing that GitHub links: no commit, no issue, no
// address. A commit's id may have letters only.
func TestAttackProse(t *testing.T) {
	for text, want := range map[string]string{
		"broken by defaced and then effaced": "broken by `defaced` and then `effaced`",
		"see defaced-now, defaced's":         "see `defaced-now`, `defaced's`",
		"see a1b2c3d or 1234567":             "see `a1b2c3d` or `1234567`",
		"added 3 faces to the cafe":          "added 3 faces to the cafe",
		"www.example.com and #1":             "`www.example.com` and `#1`",
	} {
		if got := Prose(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
