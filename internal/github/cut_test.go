package github

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestAttackCutMarkdown: text of a code span or a block is still in one in the shortened Markdown, or
// is left out.
func TestAttackCutMarkdown(t *testing.T) {
	x := strings.Repeat("x", 40)
	for name, c := range map[string]struct{ text, want string }{
		"short":                     {"`a`\n", "`a`\n"},
		"at the end of a line":      {"first\n" + x + "\n`@team " + x + "`\n", "first\n" + x},
		"one long line":             {"`@team " + x + x + x + "`\n", ""},
		"not in a block":            {"first\n```sh\n" + x + "\n" + x + "\n```\n", "first"},
		"not in half a suggestion":  {"first\n````suggestion\n```\n" + x + "\n" + x + "\n````\n", "first"},
		"tildes":                    {"first\n~~~\n" + x + "\n```\n" + x + "\n~~~\n", "first"},
		"after a block":             {"```\na\n```\n" + x + "\n" + x + "\n" + x, "```\na\n```\n" + x},
		"a block that is not ended": {"```\na\n``` b\n" + x + "\n" + x + "\n```\n", ""},
		"a span of three backticks": {"```a``b```\n" + x + "\n" + x + x + "\n", "```a``b```\n" + x},
		"indented":                  {"1. a\n   ```\n   " + x + "\n" + x + "\n   ```\n", "1. a"},
	} {
		const most = 80
		got := CutMarkdown(c.text, most)
		if name != "short" {
			c.want += cutShort
		}
		if got != c.want || len(got) > most {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestCut(t *testing.T) {
	for text, want := range map[string]string{"ab": "ab", "abcdefgh": "abcdef", "abcde€€": "abcde", "abcd  gh": "abcd"} {
		if got := Cut(text, 6); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	if got := Cut(strings.Repeat("€", 200), 250); len(got) > 250 || !utf8.ValidString(got) || !strings.HasSuffix(got, cutShort) {
		t.Errorf("%q", got)
	}
}
