package suggest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/odfix/odfix/internal/patch"
)

// Piece is a change in the form of a GitHub suggestion: lines First to Last (1-based, both
// included) are replaced by other lines, or removed.
type Piece struct {
	First, Last int
	Lines       []string // without their ends
}

// Reasons why a change cannot be made of suggestions. Each is the end of a sentence that begins
// with the file.
var (
	ErrNotShown = errors.New("the lines to change are not among those the pull request shows")
	ErrLineEnds = errors.New("its lines end in different ways, and GitHub would make them alike")
	ErrFileEnd  = errors.New("the change touches the end of a file that has no newline there")
	ErrEncoding = errors.New("it is not UTF-8")
	ErrOdd      = errors.New("the lines hold characters that a comment cannot carry safely")
	ErrNothing  = errors.New("nothing changes in it")
)

// near is the largest number of unchanged lines between two changes of one piece. With three lines
// of context, such changes are in one hunk, and one click accepts both.
const near = 6

// Pieces makes the change from one text to another, using only lines that the pull request shows.
// Applied as GitHub applies suggestions, the pieces give exactly the wanted text. If that is not
// possible, the error says why.
func Pieces(before, after string, shown []Shown) ([]Piece, error) {
	if err := suits(before, after); err != nil {
		return nil, err
	}
	f := fitter{before: patch.Lines(before), shown: shown}
	changes := patch.Replacements(before, after)
	var out []Piece
	for _, group := range join(changes, f.before) {
		if p, err := f.fit(group); err == nil {
			out = f.take(out, p)
			continue
		}
		for _, c := range changes {
			if c.At < group.At || c.To > group.To {
				continue
			}
			p, err := f.fit(c)
			if err != nil {
				return nil, err
			}
			out = f.take(out, p)
		}
	}
	if got, err := Replace(before, out); err != nil || got != after {
		return nil, ErrNotShown // nothing is suggested that does not give the very text
	}
	return out, nil
}

// suits says why a file cannot be changed by suggestions at all. GitHub makes all line ends of a
// file alike when it commits. What it does with other encodings is not documented.
func suits(before, after string) error {
	switch crlf := strings.Count(before, "\r\n"); {
	case before == after:
		return ErrNothing
	case !utf8.ValidString(before) || !utf8.ValidString(after):
		return ErrEncoding
	case crlf > 0 && crlf != strings.Count(before, "\n"):
		return ErrLineEnds
	case strings.HasSuffix(before, "\n") != strings.HasSuffix(after, "\n"):
		return ErrFileEnd
	}
	return nil
}

// join joins changes that are near each other.
func join(all []patch.Replacement, before []string) []patch.Replacement {
	var out []patch.Replacement
	for _, c := range all {
		if n := len(out) - 1; n >= 0 && c.At-out[n].To <= near {
			out[n].With = slices.Concat(out[n].With, before[out[n].To:c.At], c.With)
			out[n].To = c.To
			continue
		}
		out = append(out, c)
	}
	return out
}

// fitter finds the lines for a change.
type fitter struct {
	before []string
	shown  []Shown
	taken  int // the last line that a piece has, 1-based
}

func (f *fitter) take(out []Piece, p Piece) []Piece {
	f.taken = p.Last
	return append(out, p)
}

// fit finds the best of several equivalent positions for a change. A change that only inserts
// includes a neighbouring line, because a suggestion replaces at least one line. Blank lines at the
// ends are avoided if possible, because comment boxes may change them.
func (f *fitter) fit(c patch.Replacement) (Piece, error) {
	best, least, why := Piece{}, -1, ErrNotShown
	for _, v := range f.variants(c) {
		p, err := f.piece(v)
		if err != nil {
			why = err
			continue
		}
		if bad := blanks(p); least < 0 || bad < least {
			best, least = p, bad
		}
	}
	if least < 0 {
		return Piece{}, why
	}
	return best, nil
}

// variants are changes that give the same text: slid along equal lines, and
// with a neighbouring line taken along on either side.
func (f *fitter) variants(c patch.Replacement) []patch.Replacement {
	var out []patch.Replacement
	for _, s := range f.slides(c) {
		if s.To > s.At {
			out = append(out, s)
		}
		up, down := s, s
		if s.At > 0 {
			up = patch.Replacement{At: s.At - 1, To: s.To, With: slices.Concat(f.before[s.At-1:s.At], s.With)}
			out = append(out, up)
		}
		if s.To < len(f.before) {
			down = patch.Replacement{At: s.At, To: s.To + 1, With: slices.Concat(s.With, f.before[s.To:s.To+1])}
			out = append(out, down)
		}
		if s.At > 0 && s.To < len(f.before) {
			out = append(out, patch.Replacement{At: up.At, To: down.To, With: slices.Concat(up.With, f.before[s.To:s.To+1])})
		}
	}
	return out
}

// maxSlide bounds how far an insertion is moved each way.
const maxSlide = 50

// slides moves an insertion over lines that equal its own.
func (f *fitter) slides(c patch.Replacement) []patch.Replacement {
	out := []patch.Replacement{c}
	if c.At != c.To || len(c.With) == 0 {
		return out
	}
	n := len(c.With)
	for s := c; s.At > 0 && c.At-s.At < maxSlide && f.before[s.At-1] == s.With[n-1]; out = append(out, s) {
		s = patch.Replacement{At: s.At - 1, To: s.To - 1, With: slices.Concat(s.With[n-1:], s.With[:n-1])}
	}
	for s := c; s.At < len(f.before) && s.At-c.At < maxSlide && f.before[s.At] == s.With[0]; out = append(out, s) {
		s = patch.Replacement{At: s.At + 1, To: s.To + 1, With: slices.Concat(s.With[1:], s.With[:1])}
	}
	return out
}

// piece is the change as a piece, if it can stand where it is.
func (f *fitter) piece(c patch.Replacement) (Piece, error) {
	p := Piece{First: c.At + 1, Last: c.To}
	for _, l := range c.With {
		p.Lines = append(p.Lines, bare(l))
	}
	on := func(s Shown) bool { return s.holds(f.before, p.First, p.Last) }
	switch {
	case p.First <= f.taken || !slices.ContainsFunc(f.shown, on):
		return Piece{}, ErrNotShown
	case !strings.HasSuffix(f.before[c.To-1], "\n"):
		return Piece{}, ErrFileEnd
	case slices.ContainsFunc(p.Lines, Odd):
		return Piece{}, ErrOdd
	}
	return p, nil
}

// blanks counts what could be lost at the ends of a piece.
func blanks(p Piece) int {
	n := len(p.Lines)
	if n == 0 {
		return 0
	}
	bad := 0
	for _, l := range []string{p.Lines[0], p.Lines[n-1]} {
		if strings.TrimSpace(l) == "" {
			bad++
		}
	}
	return bad
}

// Replace does what GitHub does when pieces are accepted together: lines are
// replaced, and the new ones end as the last line they replace does.
func Replace(before string, pieces []Piece) (string, error) {
	text := patch.Lines(before)
	var out []string
	done := 0
	for _, p := range pieces {
		if p.First <= done || p.Last < p.First || p.Last > len(text) {
			return "", fmt.Errorf("lines %d to %d cannot be replaced in a text of %d", p.First, p.Last, len(text))
		}
		out = append(out, text[done:p.First-1]...)
		end := text[p.Last-1][len(bare(text[p.Last-1])):]
		for _, l := range p.Lines {
			out = append(out, l+end)
		}
		done = p.Last
	}
	return strings.Join(append(out, text[done:]...), ""), nil
}

// Extent is the first and the last line of the text before that the first
// change touches, or stands at; zeros where nothing changes or there is no line.
func Extent(before, after string) (first, last int) {
	text := patch.Lines(before)
	all := join(patch.Replacements(before, after), text)
	if len(all) == 0 || len(text) == 0 {
		return 0, 0
	}
	first = min(all[0].At+1, len(text))
	return first, max(first, all[0].To)
}
