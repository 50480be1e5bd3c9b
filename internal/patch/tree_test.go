package patch

import (
	"strings"
	"testing"
)

// TestTree checks that patches of one file become one patch that applies, and that a contradicting
// patch is refused as a whole.
func TestTree(t *testing.T) {
	text := strings.Repeat("line\n", 3) + "middle\n" + strings.Repeat("end\n", 9)
	reads := 0
	tree := Tree{Read: func(string) (string, error) { reads++; return text, nil }}
	add := func(after string) error {
		return tree.Add(Unified(Edit{Path: "a.java", Before: text, After: after}))
	}
	if err := add("line\ntop\n" + text[len("line\n"):]); err != nil {
		t.Fatal(err)
	}
	if err := add(text + "bottom\n"); err != nil {
		t.Fatal(err)
	}
	if err := add(strings.Replace(text, "line\n", "line\nelse\n", 1)); err == nil || !strings.Contains(err.Error(), "same place") {
		t.Errorf("a contradiction was taken: %v", err)
	}
	want := "line\ntop\n" + text[len("line\n"):] + "bottom\n"
	if got := tree.Files()["a.java"]; got != want || tree.before["a.java"] != text || reads != 1 {
		t.Errorf("got %q after %d reads", got, reads)
	}
	back, err := ApplyAll(tree.Diff(), func(string) (string, error) { return text, nil })
	if err != nil || back["a.java"] != want {
		t.Errorf("%v, %q", err, back)
	}
}
