package patch

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("x", i) + "\n")
	}
	return b.String()
}

func edited(t *testing.T, before, after string) File {
	t.Helper()
	files, err := Parse(Unified(Edit{"f", before, after}))
	if err != nil {
		t.Fatal(err)
	}
	return files[0]
}

func TestCarry(t *testing.T) {
	base := numbers(30)
	patched := strings.Replace(base, "\nxxxxxxxxxx\n", "\nxxxxxxxxxx\nnew\n", 1)
	f := edited(t, base, patched)
	for name, c := range map[string]struct {
		head, want string
		err        error
	}{
		"unchanged":             {base, patched, nil},
		"longer above":          {"top\n" + base, "top\n" + patched, nil},
		"shorter above":         {strings.TrimPrefix(base, "\nx\nxx\n"), strings.TrimPrefix(patched, "\nx\nxx\n"), nil},
		"changed below":         {base + "more\n", patched + "more\n", nil},
		"changed in the hunk":   {strings.Replace(base, "\nxxxxxxxxx\n", "\nother\n", 1), "", ErrMoved},
		"inserted in the hunk":  {strings.Replace(base, "\nxxxxxxxxx\n", "\nxxxxxxxxx\nother\n", 1), "", ErrMoved},
		"applied there already": {patched, "", ErrMoved},
		"gone":                  {"", "", ErrMoved},
		"another file":          {"completely\ndifferent\n", "", ErrMoved},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := NewCarrier(base, c.head).Carry(f)
			if !errors.Is(err, c.err) || got != c.want {
				t.Errorf("%v, %q", err, got)
			}
		})
	}
}

// TestCarryAdaptsLineEnds checks that the tested text may have other line ends than the commit, as
// git can be configured to write them.
func TestCarryAdaptsLineEnds(t *testing.T) {
	base := numbers(30)
	patched := strings.Replace(base, "\nxxxx\n", "\nxxxx\nnew\n", 1)
	crlf := strings.NewReplacer("\n", "\r\n")
	if got, err := NewCarrier(base, base).Carry(edited(t, crlf.Replace(base), crlf.Replace(patched))); err != nil || got != patched {
		t.Errorf("from CRLF to LF: %v, %q", err, got)
	}
	other := NewCarrier(crlf.Replace(base), crlf.Replace(base))
	if got, err := other.Carry(edited(t, base, patched)); err != nil || got != crlf.Replace(patched) {
		t.Errorf("from LF to CRLF: %v, %q", err, got)
	}
}

// FuzzCarry checks that carrying to the same text equals applying, and that carrying in either
// direction gives the same text with both changes.
func FuzzCarry(f *testing.F) {
	f.Add("a\nb\nc\nd\ne\nf\ng\nh\n", "a\nb\nc\nd\ne\nf\ng\nH\n", "A\nb\nc\nd\ne\nf\ng\nh\n")
	f.Add("", "a\n", "")
	f.Add("a", "b", "a")
	f.Fuzz(func(t *testing.T, base, patched, head string) {
		files, err := Parse(Unified(Edit{"f", base, patched}))
		if err != nil {
			return
		}
		if got, err := NewCarrier(base, base).Carry(files[0]); err != nil || got != patched {
			t.Fatalf("%q to %q on itself: %q, %v", base, patched, got, err)
		}
		got, err := NewCarrier(base, head).Carry(files[0])
		if err != nil {
			return
		}
		others, err := Parse(Unified(Edit{"f", base, head}))
		if err != nil {
			return
		}
		back, err := NewCarrier(base, patched).Carry(others[0])
		if err != nil || back == got {
			return
		}
		// Among equal lines there are several right places.
		repeats := func(s string) bool {
			l := Lines(s)
			return len(slices.Compact(slices.Sorted(slices.Values(l)))) < len(l)
		}
		same := slices.Equal(slices.Sorted(slices.Values(Lines(got))), slices.Sorted(slices.Values(Lines(back))))
		if !same || !repeats(base) && !repeats(patched) && !repeats(head) {
			t.Errorf("base %q, patched %q, head %q: %q and %q", base, patched, head, got, back)
		}
	})
}
