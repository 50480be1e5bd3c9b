package suite

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSentences(t *testing.T) {
	s := &Suite{Problems: []Problem{
		{"a.test.js", "Configuration error:\n\n  no module b\n  more"}, {"x.test.js", "no module y\n  at z"},
		{"b.test.js", "Configuration error:\n\n  no module b"}, {"c.test.js", "Configuration error:\n\n  no module b"},
		{"d.test.js", "Configuration error:\n\n  no module b"}, {"e.test.js", "it is empty:"},
	}}
	want := []string{
		"a.test.js, b.test.js, c.test.js and 1 more cannot be run: Configuration error: no module b",
		"x.test.js cannot be run: no module y",
		"e.test.js cannot be run: it is empty:",
	}
	if d := cmp.Diff(want, s.Sentences()); d != "" {
		t.Error(d)
	}
}
