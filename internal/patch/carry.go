package patch

import (
	"errors"
	"fmt"
	"sort"
	"strings"
)

// ErrMoved means that the changed lines no longer exist.
var ErrMoved = errors.New("the lines around the change are not the same in both commits")

// Carrier moves changes of a file from the text they were made for to another version of it, for
// example from a merge commit to the head that was merged.
type Carrier struct {
	from  string
	base  *Text
	to    []string
	edits []Replacement // from the one to the other
	shift []int         // lines that the edits before each one, or before the end, have added
}

// NewCarrier compares two versions. For 600,000 lines it takes up to 202 MiB of memory while it is
// made, of which 94 MiB stay.
func NewCarrier(from, to string) *Carrier {
	c := &Carrier{from: from, base: NewText(from), to: Lines(to), edits: Replacements(from, to), shift: []int{0}}
	for i, e := range c.edits {
		c.shift = append(c.shift, c.shift[i]+len(e.With)-(e.To-e.At))
	}
	return c
}

// Carry returns the other version with the changes. Each hunk follows its lines, including the
// context. If one of these lines was changed, or lines were inserted between them, Carry returns
// an error. Like Text.Fits, all calls together look at a bounded number of lines to place hunks.
func (c *Carrier) Carry(f File) (string, error) {
	f, places, err := c.adapt(f)
	if err != nil {
		return "", err
	}
	out, done := []string{}, 0
	for i, h := range f.Hunks {
		at, err := c.moved(h, places[i])
		if err != nil || at < done || !h.fits(c.to, at) {
			return "", ErrMoved
		}
		out = append(append(out, c.to[done:at]...), h.After...)
		done = at + len(h.Before)
	}
	return whole(append(out, c.to[done:]...))
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
func (c *Carrier) moved(h Hunk, at int) (int, error) {
	to := at + len(h.Before)
	led, trailed := h.context()
	n := sort.Search(len(c.edits), func(i int) bool { // the first edit that is not before the hunk
		return c.edits[i].To > at || c.edits[i].To == at && !led
	})
	if n < len(c.edits) && (c.edits[n].At < to || c.edits[n].At == to && !trailed) {
		return 0, ErrMoved
	}
	return at + c.shift[n], nil
}

// context reports whether the hunk begins and ends with unchanged lines.
func (h Hunk) context() (led, trailed bool) {
	b, a := len(h.Before), len(h.After)
	if b == 0 || a == 0 {
		return false, false
	}
	return h.Before[0] == h.After[0], h.Before[b-1] == h.After[a-1]
}

// adapt gives the hunks the text's line ends if only these differ, and returns where they fit. Git
// can write working trees with other line ends than commits.
func (c *Carrier) adapt(f File) (File, []int, error) {
	if at, err := c.base.positions(f); err == nil {
		return f, at, nil
	}
	end := "\n"
	if strings.Contains(c.from, "\r\n") {
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
		other.Hunks = append(other.Hunks, Hunk{Line: h.Line, Before: with(h.Before), After: with(h.After)})
	}
	at, err := c.base.positions(other)
	if err != nil {
		return File{}, nil, fmt.Errorf("%w: %w", ErrMoved, err)
	}
	return other, at, nil
}
