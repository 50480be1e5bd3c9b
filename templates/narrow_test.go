package templates

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestNarrow: at 80 columns, orders and state wrap; only diffs and commands are as long as they are.
func TestNarrow(t *testing.T) {
	r := victim()
	r.Tests[0].Changes[0].After = strings.Repeat("long value ", 20)
	r.Tests[0].Failure.Message = "expected:<" + strings.Repeat("a", 400) + "> but was:<" + strings.Repeat("b", 400) + ">"
	text := Fix(r, Options{Width: 80})
	for line := range strings.Lines(text) {
		words := strings.Fields(line[min(len(line), margin):]) // without the label
		long := utf8.RuneCountInString(strings.TrimRight(line, "\n")) > 80
		if long && len(words) > 1 && !strings.HasPrefix(line, "    ---") && !strings.HasPrefix(line, "    +++") &&
			!strings.Contains(line, "aaa") && !strings.Contains(line, "bbb") {
			t.Errorf("too long: %s", line)
		}
	}
	for _, want := range []string{"Order         com.example.shop.CatalogueImportTest#readsThePriceListOfAGermanSupplier\n", "\n                  polluter"} {
		if !strings.Contains(text, want) && !strings.Contains(text, strings.ReplaceAll(want, "polluter", "leaves")) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

func TestBothHalvesOfAFailure(t *testing.T) {
	long := strings.Repeat("x", 90)
	for message, want := range map[string]string{
		"expected:<1> but was:<2>":                       "expected:<1> but was:<2>",
		"expected:<" + long + "> but was:<2>":            "expected:<xxxxxxxxxxxxxxxxx… but was:<2>",
		"expected:<1> but was:<" + long + ">":            "expected:<1> but was:<xxxxxxxxxxxxxxxx…",
		"expected:<" + long + "> but was:<" + long + ">": "expected:<xxxxxxxx… but was:<xxxxxxxxxx…",
		"no such file, " + long:                          "no such file, xxxxxxxxxxxxxxxxxxxxxxxxx…",
	} {
		if got := halves(message, 40); got != want {
			t.Errorf("%q: %q (%d), want %q", message, got, utf8.RuneCountInString(got), want)
		}
	}
}
