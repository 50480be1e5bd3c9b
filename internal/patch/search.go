package patch

import "fmt"

// mostLooked bounds how many lines are looked at to place the hunks of one file. A patch of many
// hunks that have all moved would otherwise look at each line of the file for each of them.
const mostLooked = 5_000_000

// searched is a text in which hunks are placed. Equal lines have equal numbers.
type searched struct {
	lines   []string
	numbers []int
	known   map[string]int
	left    int // lines that may still be looked at
}

func newSearched(lines []string) *searched {
	s := &searched{lines: lines, known: map[string]int{}, left: mostLooked}
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

// place finds the position of the hunk, at or after line index from.
func (s *searched) place(h Hunk, from, want int) (int, error) {
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
func (s *searched) find(lines []string, from int) (first int, several bool) {
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
