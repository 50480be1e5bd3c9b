package config

import (
	"slices"
	"testing"
)

// TestOlderNameOfReflection checks that "rewind" in a file means reflection.
func TestOlderNameOfReflection(t *testing.T) {
	for name, want := range map[Technique]string{Reflection: "reflection", "rewind": "reflection", Helper: "helper", Reset: "reset"} {
		if got := name.Kind(); got != want {
			t.Errorf("%s makes patches of the kind %q, not %q", name, got, want)
		}
	}
	c, problems := Decode(".odfix.yml", []byte("version: 1\ntechniques: [helper, rewind]\n"))
	if len(problems) > 0 || !slices.Equal(c.Techniques, []Technique{Helper, "rewind"}) {
		t.Errorf("%v, and these problems: %v", c.Techniques, problems)
	}
}
