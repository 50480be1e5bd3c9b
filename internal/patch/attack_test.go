package patch

import (
	"strings"
	"testing"
)

// TestAttackSlowPatch: patches whose lines fit nearly everywhere, or that have many moved hunks,
// are refused after a bounded number of lines. Each would otherwise keep the server busy for
// minutes.
func TestAttackSlowPatch(t *testing.T) {
	nearly := Hunk{Line: 1, Before: append(strings.SplitAfter(strings.Repeat("\n", 60_000), "\n")[:60_000], "x\n")}
	if _, err := (File{Path: "A.java", Hunks: []Hunk{nearly}}).Apply(strings.Repeat("\n", 1_000_000) + "x"); err == nil {
		t.Error("a hunk whose last line differs fits")
	}
	var text strings.Builder
	moved := File{Path: "B.java"}
	for i := range 100_000 {
		line := strings.Repeat("y", i%50) + strings.Repeat("z", i/50) + "\n"
		text.WriteString(line)
		if i > 0 && i%2 == 0 {
			moved.Hunks = append(moved.Hunks, Hunk{Line: 1, Before: []string{line}})
		}
	}
	_, err := moved.Apply(text.String())
	if err == nil || !strings.Contains(err.Error(), "too many changes") {
		t.Errorf("50,000 hunks that have moved: %v", err)
	}
	if got, err := (File{Path: "C.java", Hunks: []Hunk{{Line: 9, Before: []string{"a\n", "a\n", "b\n"}, After: []string{"c\n"}}}}).Apply(
		"a\na\na\nb\n"); err != nil || got != "a\nc\n" {
		t.Errorf("a moved hunk that begins within a near match: %q, %v", got, err)
	}
}
