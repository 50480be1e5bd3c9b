package verdict

import (
	"errors"
	"fmt"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suggest"
	"github.com/odfix/odfix/templates"
)

// change is the patch of a cause, carried to the head commit.
type change struct {
	diff    string            // against head, or against the tested commit where it does not stand on head
	edits   []patch.Edit      // of files at head
	made    map[string]string // new files
	removed []string
	off     *templates.Reason // why it does not stand on head
}

// onHead carries a patch, which was made for the tested commit, to the head commit.
func (in *Input) onHead(diff string) change {
	list, err := patch.Sections(diff)
	if err != nil {
		return change{off: &templates.Reason{Why: "the patch does more than change, make and remove text files"}}
	}
	c := change{made: map[string]string{}}
	for _, s := range list {
		if why := in.carry(&c, s); why != "" {
			return change{diff: patch.Render(list...), off: &templates.Reason{Path: s.Path, Why: why}}
		}
	}
	edits := patch.Unified(c.edits...)
	for _, s := range list {
		if s.Kind != patch.Edits {
			edits += patch.Render(s)
		}
	}
	c.diff = edits
	return c
}

// carry adds one section, or says why it cannot be.
func (in *Input) carry(c *change, s patch.Section) string {
	head, there := in.Head[s.Path]
	switch {
	case !in.wasRead(s.Path):
		return "its text was not read: all patches have too many or too large files"
	case s.Kind == patch.Makes && there:
		return "the change makes this file, which is there on this branch already"
	case s.Kind == patch.Makes:
		c.made[s.Path] = s.Made
		return ""
	case !there && in.Tested[s.Path] != "":
		return "this branch does not have the file: it came with the base branch"
	case !there:
		return "its text on this branch could not be read"
	case s.Kind == patch.Removes:
		if in.of(s.Path) != head {
			return "the file to be removed is another one on this branch than in the commit that was tested"
		}
		c.removed = append(c.removed, s.Path)
		return ""
	}
	before := head
	for i, e := range c.edits {
		if e.Path == s.Path { // a patch may name a file twice
			return fmt.Sprintf("the change names the file %d times", i+2)
		}
	}
	carrier := in.carrier(s)
	if carrier == nil {
		return "the files of all patches are too large together"
	}
	after, err := carrier.Carry(s.File)
	if err != nil { // the error may name the file, which the comment does in its own way
		return "the lines around the change are not the same on this branch and in the commit that was tested"
	}
	c.edits = append(c.edits, patch.Edit{Path: s.Path, Before: before, After: after})
	return ""
}

// carrier is for the changes of a section; nil: they would be beyond maxCarried. It counts before it
// works: both texts, which are split and compared once for all causes, and the file before and after
// the change.
func (in *Input) carrier(s patch.Section) *patch.Carrier {
	from, to := in.of(s.Path), in.Head[s.Path]
	known := in.carriers[s.Path]
	size := 2*cost(to) + cost(patch.Render(s))
	if known == nil {
		size += cost(from) + cost(to)
	}
	if in.carried+size > maxCarried {
		return nil
	}
	in.carried += size
	if known == nil {
		known = patch.NewCarrier(from, to)
		if in.carriers == nil {
			in.carriers = map[string]*patch.Carrier{}
		}
		in.carriers[s.Path] = known
	}
	return known
}

// of returns a file's text at the tested commit.
func (in *Input) of(path string) string {
	if text, ok := in.Tested[path]; ok {
		return text
	}
	return in.Head[path]
}

func (in *Input) wasRead(path string) bool { return in.Read == nil || in.Read[path] }

func (in *Input) tested(path string) (string, error) {
	if !in.wasRead(path) {
		return "", fmt.Errorf("%s was not read", path)
	}
	if text, ok := in.Tested[path]; ok {
		return text, nil
	}
	if text, ok := in.Head[path]; ok {
		return text, nil
	}
	return "", fmt.Errorf("no text is known of %s", path)
}

// pieces makes suggestions of the whole change, or returns none.
func (c change) pieces(shown map[string][]suggest.Shown) ([]placed, *templates.Reason) {
	if c.off != nil {
		return nil, c.off
	}
	for path := range c.made {
		return nil, &templates.Reason{Path: path, Why: "it is a new file, and a suggestion can only change lines that are there"}
	}
	for _, path := range c.removed {
		return nil, &templates.Reason{Path: path, Why: "a suggestion cannot remove a file"}
	}
	var out []placed
	for _, e := range c.edits {
		lines, ok := shown[e.Path]
		if !ok {
			return nil, &templates.Reason{Path: e.Path,
				Why: "this pull request does not change that file, and GitHub takes suggestions only on lines that a pull request shows"}
		}
		pieces, err := suggest.Pieces(e.Before, e.After, lines)
		if err != nil {
			return nil, &templates.Reason{Path: e.Path, Why: whyNot(err)}
		}
		for _, p := range pieces {
			out = append(out, placed{e.Path, p})
		}
	}
	if len(out) == 0 {
		return nil, &templates.Reason{Why: "it changes nothing on this branch"}
	}
	if len(out) > maxInline {
		return nil, &templates.Reason{Why: fmt.Sprintf("it would take %d suggestions, and a review can hold %d", len(out), maxInline)}
	}
	return out, nil
}

// placed is a suggestion with its file.
type placed struct {
	path string
	suggest.Piece
}

// maxInline is how many comments a review can hold.
const maxInline = 30

func whyNot(err error) string {
	for _, known := range []error{suggest.ErrLineEnds, suggest.ErrFileEnd, suggest.ErrEncoding, suggest.ErrOdd, suggest.ErrNothing} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return suggest.ErrNotShown.Error() + ", and GitHub takes suggestions only there"
}
