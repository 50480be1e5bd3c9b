package suggest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/patch"
)

// all shows every line of a text, as a pull request that adds the file does.
func all(text string) []Shown {
	var bares []string
	for _, l := range patch.Lines(text) {
		bares = append(bares, bare(l))
	}
	return []Shown{{First: 1, Lines: bares}}
}

// only shows some lines of a text.
func only(text string, first, last int) []Shown {
	return []Shown{{First: first, Lines: all(text)[0].Lines[first-1 : last]}}
}

func TestPieces(t *testing.T) {
	const text = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n"
	for name, c := range map[string]struct {
		after string
		shown []Shown
		want  []Piece
		err   error
	}{
		"replaced":              {"a\nB\nc\nd\ne\nf\ng\nh\ni\nj\n", all(text), []Piece{{2, 2, []string{"B"}}}, nil},
		"inserted, above shown": {"a\nb\nx\nc\nd\ne\nf\ng\nh\ni\nj\n", only(text, 1, 2), []Piece{{2, 2, []string{"b", "x"}}}, nil},
		"inserted, below shown": {"a\nb\nx\nc\nd\ne\nf\ng\nh\ni\nj\n", only(text, 3, 4), []Piece{{3, 3, []string{"x", "c"}}}, nil},
		"inserted at the top":   {"x\na\nb\nc\nd\ne\nf\ng\nh\ni\nj\n", all(text), []Piece{{1, 1, []string{"x", "a"}}}, nil},
		"inserted at the end":   {text + "x\n", all(text), []Piece{{10, 10, []string{"j", "x"}}}, nil},
		"inserted, not shown":   {"a\nb\nx\nc\nd\ne\nf\ng\nh\ni\nj\n", only(text, 5, 9), nil, ErrNotShown},
		"removed":               {"a\nd\ne\nf\ng\nh\ni\nj\n", all(text), []Piece{{2, 3, nil}}, nil},
		"near changes in one": {"A\nb\nc\nd\ne\nF\ng\nh\ni\nj\n", all(text),
			[]Piece{{1, 6, []string{"A", "b", "c", "d", "e", "F"}}}, nil},
		"far changes in two": {"A\nb\nc\nd\ne\nf\ng\nh\nI\nj\n", all(text), []Piece{{1, 1, []string{"A"}}, {9, 9, []string{"I"}}}, nil},
		"near, not all between": {"A\nb\nc\nd\nE\nf\ng\nh\ni\nj\n", slices.Concat(only(text, 1, 2), only(text, 5, 6)),
			[]Piece{{1, 1, []string{"A"}}, {5, 5, []string{"E"}}}, nil},
		"no blank line at ends": {"a\nb\n\nx\n\nc\nd\ne\nf\ng\nh\ni\nj\n", all(text),
			[]Piece{{2, 3, []string{"b", "", "x", "", "c"}}}, nil},
		"of another commit":      {"a\nB\nc\nd\ne\nf\ng\nh\ni\nj\n", []Shown{{1, []string{"a", "other", "c"}}}, nil, ErrNotShown},
		"nothing":                {text, all(text), nil, ErrNothing},
		"a character out of ken": {"a\n\x1b\nc\nd\ne\nf\ng\nh\ni\nj\n", all(text), nil, ErrOdd},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Pieces(text, c.after, c.shown)
			if !errors.Is(err, c.err) {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestSlides: an insertion may stand elsewhere and give the same text.
func TestSlides(t *testing.T) {
	before := "a() {\n}\n\nb() {\n}\n\nc() {\n}\n"
	after := "a() {\n}\n\nb() {\n}\n\nx() {\n}\n\nc() {\n}\n"
	for line := 4; line <= 7; line++ {
		got, err := Pieces(before, after, only(before, line, line))
		if err != nil || len(got) != 1 || got[0].First != line {
			t.Errorf("line %d alone: %v, %v", line, got, err)
		}
	}
}

func TestReadShown(t *testing.T) {
	patch := "@@ -1,3 +1,4 @@ class A\n a\n-b\n+B\n+C\n c\n@@ -10 +11,2 @@\n-x\n+@@ y\n+z\n\\ No newline at end of file"
	want := []Shown{{1, []string{"a", "B", "C", "c"}}, {11, []string{"@@ y", "z"}}}
	if d := cmp.Diff(want, ReadShown(patch)); d != "" {
		t.Error(d)
	}
	for _, odd := range []string{"", "Binary files differ", "@@ nonsense @@\n+a", "+a", "@@ -1 +1 @@", "@@ -1 +99999999999 @@\n+a"} {
		if got := ReadShown(odd); len(got) > 0 {
			t.Errorf("%q shows %v", odd, got)
		}
	}
}

// FuzzPieces: whatever a pull request shows and whatever is wanted, pieces stand
// on shown lines and give the wanted text, and a whole file that is shown can
// always be changed.
func FuzzPieces(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nB\nc\n", "a\nB\nx\nc\n")
	f.Add("", "a\n\n\nb\n", "a\n\n\n\nb\n")
	f.Add("a\r\nb\r\n", "a\r\nc\r\n", "a\r\nd\r\n")
	f.Add("a", "a\nb", "a\nc\nb")
	f.Add("", "a\r\r\nb\r\r\n", "a\r\r\nc\r\r\n")
	f.Add("", "}\n}\n}\n", "}\n}\n}\n}\n")
	f.Fuzz(func(t *testing.T, base, head, after string) {
		shown := ReadShown(hunks(base, head))
		got, err := Pieces(head, after, shown)
		if err != nil {
			plain := !strings.ContainsFunc(head+after, func(r rune) bool { return r != '\n' && (r < ' ' || r > '~') })
			if base == "" && plain && head != "" && strings.HasSuffix(head, "\n") && strings.HasSuffix(after, "\n") && head != after {
				t.Errorf("%q to %q: %v", head, after, err)
			}
			return
		}
		text, done := strings.SplitAfter(head, "\n"), 0
		var out strings.Builder
		for _, p := range got {
			if p.First <= done || p.Last < p.First {
				t.Fatalf("%v", got)
			}
			if !slices.ContainsFunc(shown, func(s Shown) bool { return s.First <= p.First && p.Last < s.First+len(s.Lines) }) {
				t.Errorf("%v is not shown: %v", p, shown)
			}
			out.WriteString(strings.Join(text[done:p.First-1], ""))
			end := "\n"
			if strings.HasSuffix(text[p.Last-1], "\r\n") {
				end = "\r\n"
			}
			for _, l := range p.Lines {
				if strings.Contains(l, "\n") || Odd(l) {
					t.Errorf("a line %q", l)
				}
				out.WriteString(l + end)
			}
			done = p.Last
		}
		out.WriteString(strings.Join(text[done:], ""))
		if out.String() != after {
			t.Errorf("%q to %q: %v give %q", head, after, got, out.String())
		}
	})
}

// TestLargeFiles: what takes a reviewer's patience is bounded, whatever the file.
func TestLargeFiles(t *testing.T) {
	same := strings.Repeat("}\n", 20000)
	got, err := Pieces(same, same+"}\n", all(same))
	if err != nil || len(got) != 1 {
		t.Errorf("%v, %v", got, err)
	}
	long := lengths(3000)
	after := strings.ReplaceAll(long, "xx\n", "xx\ny\n")
	if _, err := Pieces(long, after, all(long)); err != nil {
		t.Error(err)
	}
}

// hunks is what a pull request lists as one file's patch.
func hunks(before, after string) string {
	_, body, _ := strings.Cut(patch.Unified(patch.Edit{Path: "f", Before: before, After: after}), "+++ b/f\n")
	return body
}

// lengths is a text of n lines, each one character longer than the one before.
func lengths(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("x", i) + "\n")
	}
	return b.String()
}
