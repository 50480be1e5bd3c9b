package patch

import (
	"slices"
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

// TestAttackManySlowPatches: all patches of one text together look at a bounded number of lines.
func TestAttackManySlowPatches(t *testing.T) {
	const lines = 100_000
	text := NewText(strings.Repeat("\n", lines) + "x\n")
	moved := File{Path: "A.java", Hunks: []Hunk{{Line: 1, Before: []string{"x\n"}, After: []string{"y\n"}}}}
	fitting := 0
	for text.Fits(moved) == nil {
		if fitting++; fitting > mostLooked/lines {
			t.Fatal("there is no limit")
		}
	}
	if fitting < mostLooked/lines-1 {
		t.Errorf("only %d patches fit", fitting)
	}
}

// TestAttackManyCarriedPatches: all patches that are carried from one text to another look at a
// bounded number of lines.
func TestAttackManyCarriedPatches(t *testing.T) {
	const lines = 100_000
	text := strings.Repeat("\n", lines) + "x\n"
	c := NewCarrier(text, "\n"+text)
	moved := File{Path: "A.java", Hunks: []Hunk{{Line: 1, Before: []string{"x\n"}, After: []string{"y\n"}}}}
	carried := 0
	for ; carried <= mostLooked/lines; carried++ {
		if got, err := c.Carry(moved); err != nil {
			break
		} else if got != "\n"+strings.Repeat("\n", lines)+"y\n" {
			t.Fatalf("it is changed at another place: %d bytes", len(got))
		}
	}
	if carried > mostLooked/lines || carried < mostLooked/lines-1 {
		t.Errorf("%d patches are carried", carried)
	}
}

// built is what a patch makes of a text, and whether it fits: every line but the last has an end.
func built(f File, text string) (string, bool) {
	before := NewText(text)
	var out []string
	done, shift := 0, 0
	for _, h := range f.Hunks {
		at, err := before.place(h, done, h.at()+shift)
		if err != nil {
			return "", false
		}
		out = append(append(out, before.lines[done:at]...), h.After...)
		done, shift = at+len(h.Before), at-h.at()
	}
	out = append(out, before.lines[done:]...)
	i := slices.IndexFunc(out, unended)
	return strings.Join(out, ""), i < 0 || i == len(out)-1
}

// TestPatchesThatFit: Fits and Apply agree with what the whole result looks like.
func TestPatchesThatFit(t *testing.T) {
	for _, text := range []string{"", "a\n", "a", "a\nb\n", "a\nb"} {
		for _, hunks := range [][]Hunk{
			{{Line: 1, Before: []string{"a\n"}, After: []string{"c\n"}}}, {{Line: 1, Before: []string{"a\n"}, After: []string{"c"}}},
			{{Line: 1, Before: []string{"a"}, After: []string{"c"}}}, {{Line: 0, After: []string{"c"}}}, {{Line: 0, After: []string{"c", "d\n"}}},
			{{Line: 1, Before: []string{"a\n"}}, {Line: 2, Before: []string{"b\n"}, After: []string{"c"}}},
			{{Line: 1, Before: []string{"a\n"}, After: []string{"c"}}, {Line: 2, Before: []string{"b"}, After: []string{"d"}}},
			{{Line: 1, Before: []string{"a\n"}, After: []string{"c"}}, {Line: 2, Before: []string{"b"}}},
		} {
			f := File{Path: "A.java", Hunks: hunks}
			out, err := f.Apply(text)
			want, ok := built(f, text)
			if fits := NewText(text).Fits(f); (fits == nil) != ok || (err == nil) != ok || ok && out != want {
				t.Errorf("%q with %v: %q, %v, %v, want %q, %v", text, hunks, out, err, fits, want, ok)
			}
		}
	}
}
