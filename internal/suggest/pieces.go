package suggest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
)

// Piece is a change as GitHub's suggestions can make it: lines First to Last
// (1-based, both included) are replaced by other lines, or removed.
type Piece struct {
	First, Last int
	Lines       []string // without their ends
}

// Why a change cannot be made of suggestions. Each reads as the end of a
// sentence that begins with the file.
var (
	ErrNotShown = errors.New("the lines to change are not among those the pull request shows")
	ErrLineEnds = errors.New("its lines end in different ways, and GitHub would make them alike")
	ErrFileEnd  = errors.New("the change touches the end of a file that has no newline there")
	ErrEncoding = errors.New("it is not UTF-8")
	ErrOdd      = errors.New("the lines hold characters that a comment cannot carry safely")
	ErrNothing  = errors.New("nothing changes in it")
)

// near is how many unchanged lines between two changes keep them in one piece:
// what three lines of context put into one hunk is accepted with one click.
const near = 6

// Pieces makes the change from one text to another of lines that are shown.
// Applied as GitHub applies suggestions, they give the very text that is
// wanted; where that cannot be, the error says why.
func Pieces(before, after string, shown []Shown) ([]Piece, error) {
	if err := suits(before, after); err != nil {
		return nil, err
	}
	f := fitter{before: lines(before), shown: shown}
	cores := cores(before, after)
	var out []Piece
	for _, group := range join(cores, f.before) {
		if p, err := f.fit(group); err == nil {
			out = f.take(out, p)
			continue
		}
		for _, c := range cores {
			if c.at < group.at || c.to > group.to {
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

// suits says why a file as a whole cannot be changed by suggestions. GitHub
// makes all line ends of a file alike when it commits, and what it does with
// other encodings is nowhere said.
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

// core is a change without context: lines [at, to) of the text before become others.
type core struct {
	at, to int
	with   []string // with their ends
}

func cores(before, after string) []core {
	var out []core
	line := lineIndex(before)
	for _, e := range udiff.Lines(before, after) {
		out = append(out, core{line(e.Start), line(e.End), lines(e.New)})
	}
	return out
}

// lineIndex gives the number of lines before an offset at a line's start or
// at the end, for growing offsets.
func lineIndex(text string) func(offset int) int {
	at, n := 0, 0
	return func(offset int) int {
		n += strings.Count(text[at:offset], "\n")
		at = offset
		if offset == len(text) && text != "" && !strings.HasSuffix(text, "\n") {
			return n + 1
		}
		return n
	}
}

// join puts changes that are near each other into one.
func join(all []core, before []string) []core {
	var out []core
	for _, c := range all {
		if n := len(out) - 1; n >= 0 && c.at-out[n].to <= near {
			out[n].with = slices.Concat(out[n].with, before[out[n].to:c.at], c.with)
			out[n].to = c.to
			continue
		}
		out = append(out, c)
	}
	return out
}

// fitter finds the lines on which a change can stand.
type fitter struct {
	before []string
	shown  []Shown
	taken  int // the last line that a piece has, 1-based
}

func (f *fitter) take(out []Piece, p Piece) []Piece {
	f.taken = p.Last
	return append(out, p)
}

// fit finds the best place for a change among those that come to the same. A
// change that only inserts takes a neighbouring line along, since a suggestion
// replaces at least one. Blank lines at the ends are avoided where they can be:
// how they survive a comment box is nowhere promised.
func (f *fitter) fit(c core) (Piece, error) {
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
func (f *fitter) variants(c core) []core {
	var out []core
	for _, s := range f.slides(c) {
		if s.to > s.at {
			out = append(out, s)
		}
		up, down := s, s
		if s.at > 0 {
			up = core{s.at - 1, s.to, slices.Concat(f.before[s.at-1:s.at], s.with)}
			out = append(out, up)
		}
		if s.to < len(f.before) {
			down = core{s.at, s.to + 1, slices.Concat(s.with, f.before[s.to:s.to+1])}
			out = append(out, down)
		}
		if s.at > 0 && s.to < len(f.before) {
			out = append(out, core{up.at, down.to, slices.Concat(up.with, f.before[s.to:s.to+1])})
		}
	}
	return out
}

// maxSlide bounds how far an insertion is moved each way.
const maxSlide = 50

// slides moves an insertion over lines that equal its own.
func (f *fitter) slides(c core) []core {
	out := []core{c}
	if c.at != c.to || len(c.with) == 0 {
		return out
	}
	n := len(c.with)
	for s := c; s.at > 0 && c.at-s.at < maxSlide && f.before[s.at-1] == s.with[n-1]; out = append(out, s) {
		s = core{s.at - 1, s.to - 1, slices.Concat(s.with[n-1:], s.with[:n-1])}
	}
	for s := c; s.at < len(f.before) && s.at-c.at < maxSlide && f.before[s.at] == s.with[0]; out = append(out, s) {
		s = core{s.at + 1, s.to + 1, slices.Concat(s.with[1:], s.with[:1])}
	}
	return out
}

// piece is the change as a piece, if it can stand where it is.
func (f *fitter) piece(c core) (Piece, error) {
	p := Piece{First: c.at + 1, Last: c.to}
	for _, l := range c.with {
		p.Lines = append(p.Lines, bare(l))
	}
	on := func(s Shown) bool { return s.holds(f.before, p.First, p.Last) }
	switch {
	case p.First <= f.taken || !slices.ContainsFunc(f.shown, on):
		return Piece{}, ErrNotShown
	case unended(f.before[c.to-1]):
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
	text := lines(before)
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
	text := lines(before)
	all := join(cores(before, after), text)
	if len(all) == 0 || len(text) == 0 {
		return 0, 0
	}
	first = min(all[0].at+1, len(text))
	return first, max(first, all[0].to)
}
