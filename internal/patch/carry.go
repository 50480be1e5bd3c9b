package patch

import (
	"errors"
	"fmt"
	"strings"
)

// ErrMoved: what a change was made for is not there any more.
var ErrMoved = errors.New("the lines around the change are not the same in both commits")

// Carry takes the changes of a file from the text they were made for to another version of it, as
// of a merge commit and the head that was merged. Each hunk goes where its lines, the context
// included, have gone; where one of them was changed or something was inserted between them,
// nothing is guessed. It returns the other version with the changes.
func (f File) Carry(from, to string) (string, error) {
	f, err := f.adapt(from)
	if err != nil {
		return "", err
	}
	edits := Replacements(from, to)
	base, head := Lines(from), Lines(to)
	out, done := []string{}, 0
	for _, h := range f.Hunks {
		at, err := h.place(base, 0, h.at())
		if err != nil {
			return "", fmt.Errorf("%w: %w", ErrMoved, err)
		}
		at, err = h.moved(edits, at)
		if err != nil || at < done || !h.fits(head, at) {
			return "", ErrMoved
		}
		out = append(append(out, head[done:at]...), h.After...)
		done = at + len(h.Before)
	}
	return whole(append(out, head[done:]...))
}

// at is the index of the line at which the hunk begins, as its header says.
func (h Hunk) at() int {
	if len(h.Before) == 0 {
		return h.Line
	}
	return h.Line - 1
}

// whole joins lines, of which only the last may lack its end.
func whole(text []string) (string, error) {
	for i, l := range text {
		if unended(l) && i < len(text)-1 {
			return "", ErrMoved
		}
	}
	return strings.Join(text, ""), nil
}

// moved is where the hunk's lines, at an index before the edits, are after them. If the hunk
// changes its very first or last line, as at the ends of a file, an edit next to it is in its way,
// too: nothing says which comes first.
func (h Hunk) moved(edits []Replacement, at int) (int, error) {
	to, shift := at+len(h.Before), 0
	led, trailed := h.context()
	for _, e := range edits {
		switch {
		case e.To < at, e.To == at && led:
			shift += len(e.With) - (e.To - e.At)
		case e.At < to, e.At == to && !trailed:
			return 0, ErrMoved
		}
	}
	return at + shift, nil
}

// context reports whether the hunk begins and ends with lines it leaves as they are.
func (h Hunk) context() (led, trailed bool) {
	b, a := len(h.Before), len(h.After)
	if b == 0 || a == 0 {
		return false, false
	}
	return h.Before[0] == h.After[0], h.Before[b-1] == h.After[a-1]
}

// adapt gives the hunks the text's line ends where only these differ: git writes working trees with
// other line ends than it keeps, if asked to.
func (f File) adapt(text string) (File, error) {
	if _, err := f.Apply(text); err == nil {
		return f, nil
	}
	end := "\n"
	if strings.Contains(text, "\r\n") {
		end = "\r\n"
	}
	with := func(list []string) []string {
		var out []string
		for _, l := range list {
			if !unended(l) {
				l = strings.TrimSuffix(strings.TrimSuffix(l, "\n"), "\r") + end
			}
			out = append(out, l)
		}
		return out
	}
	other := File{Path: f.Path}
	for _, h := range f.Hunks {
		other.Hunks = append(other.Hunks, Hunk{h.Line, with(h.Before), with(h.After)})
	}
	if _, err := other.Apply(text); err != nil {
		return File{}, fmt.Errorf("%w: %w", ErrMoved, err)
	}
	return other, nil
}
