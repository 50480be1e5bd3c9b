package patch

import (
	"fmt"
	"slices"
)

// mostLooked bounds how many lines are looked at to place hunks in one text. Patches of many hunks
// that have all moved would otherwise look at each line of the text for each of them.
const mostLooked = 5_000_000

// Text is a text in which the hunks of one or more patches are placed. Equal lines have equal
// numbers.
type Text struct {
	lines   []string
	numbers []int
	known   map[string]int
	left    int // lines that may still be looked at
}

// NewText splits a text into lines. They take some 100 bytes of memory each.
func NewText(text string) *Text {
	lines := Lines(text)
	s := &Text{lines: lines, known: map[string]int{}, left: mostLooked}
	for _, l := range lines {
		n, known := s.known[l]
		if !known {
			n = len(s.known)
			s.known[l] = n
		}
		s.numbers = append(s.numbers, n)
	}
	return s
}

// Fits returns an error if Apply would. All calls for one text together look at a bounded number of
// lines.
func (s *Text) Fits(f File) error {
	_, err := s.positions(f)
	return err
}

// positions are the line indexes at which the hunks of a file fit.
func (s *Text) positions(f File) ([]int, error) {
	at := make([]int, len(f.Hunks))
	done, shift := 0, 0
	ended := false // by a line without a line end
	for i, h := range f.Hunks {
		want := h.at() + shift
		found, err := s.place(h, done, want)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Path, err)
		}
		last := slices.IndexFunc(h.After, unended)
		if ended && (found > done || len(h.After) > 0) || last >= 0 && last < len(h.After)-1 {
			return nil, notLast(f)
		}
		ended = ended || last >= 0
		at[i], done, shift = found, found+len(h.Before), shift+found-want
	}
	if ended && done < len(s.lines) {
		return nil, notLast(f)
	}
	return at, nil
}

func notLast(f File) error {
	return fmt.Errorf("%s: the patch's last line would not be the last one any more", f.Path)
}

// place finds the position of the hunk, at or after line index from.
func (s *Text) place(h Hunk, from, want int) (int, error) {
	if s.left -= len(h.Before); s.left >= 0 && h.fits(s.lines, want) && want >= from {
		return want, nil
	}
	found, several := -1, false
	if len(h.Before) > 0 {
		found, several = s.find(h.Before, from)
	}
	switch {
	case s.left < 0:
		return 0, fmt.Errorf("the patch has too many changes whose lines have moved")
	case several:
		return 0, fmt.Errorf("the lines around line %d have changed, and the change would fit in several places", h.Line)
	case found < 0:
		return 0, fmt.Errorf("the lines around line %d are not those the patch was made for", h.Line)
	}
	return found, nil
}

// find returns the first position of the lines at or after from, and whether there is another one.
// It looks at each line of the text once (Knuth, Morris, Pratt).
func (s *Text) find(lines []string, from int) (first int, several bool) {
	wanted := make([]int, len(lines))
	for i, l := range lines {
		n, known := s.known[l]
		if !known {
			return -1, false
		}
		wanted[i] = n
	}
	// back[i] is the length of the longest proper beginning of wanted that ends at i.
	back := make([]int, len(wanted))
	for i, k := 1, 0; i < len(wanted); i++ {
		for k > 0 && wanted[i] != wanted[k] {
			k = back[k-1]
		}
		if wanted[i] == wanted[k] {
			k++
		}
		back[i] = k
	}
	first = -1
	for i, k := from, 0; i < len(s.numbers); i++ {
		if s.left--; s.left < 0 {
			return first, several
		}
		for k > 0 && s.numbers[i] != wanted[k] {
			k = back[k-1]
		}
		if s.numbers[i] == wanted[k] {
			k++
		}
		if k < len(wanted) {
			continue
		}
		if first >= 0 {
			return first, true
		}
		first, k = i+1-len(wanted), back[k-1]
	}
	return first, false
}
