package patch

import (
	"errors"
	"fmt"
	"strings"
)

// ErrMoved means that the changed lines no longer exist.
var ErrMoved = errors.New("the lines around the change are not the same in both commits")

// Carry moves the changes of a file from the text they were made for to another version of it, for
// example from a merge commit to the head that was merged. Each hunk follows its lines, including
// the context. If one of these lines was changed, or lines were inserted between them, Carry
// returns an error. It returns the other version with the changes.
func (f File) Carry(from, to string) (string, error) {
	f, err := f.adapt(from)
	if err != nil {
		return "", err
	}
	edits := Replacements(from, to)
	base, head := NewText(from), Lines(to)
	out, done := []string{}, 0
	for _, h := range f.Hunks {
		at, err := base.place(h, 0, h.at())
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

// at returns the index of the line at which the hunk begins, according to its header.
func (h Hunk) at() int {
	if len(h.Before) == 0 {
		return h.Line
	}
	return h.Line - 1
}

// whole joins lines. Only the last line may lack its line end.
func whole(text []string) (string, error) {
	for i, l := range text {
		if unended(l) && i < len(text)-1 {
			return "", ErrMoved
		}
	}
	return strings.Join(text, ""), nil
}

// moved returns the index of the hunk's lines after the edits, from their index before. If the hunk
// changes its first or last line, as at the ends of a file, an edit next to it is a conflict,
// because the order of the two is unknown.
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

// context reports whether the hunk begins and ends with unchanged lines.
func (h Hunk) context() (led, trailed bool) {
	b, a := len(h.Before), len(h.After)
	if b == 0 || a == 0 {
		return false, false
	}
	return h.Before[0] == h.After[0], h.Before[b-1] == h.After[a-1]
}

// adapt gives the hunks the text's line ends if only these differ. Git can write working trees with
// other line ends than commits.
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
