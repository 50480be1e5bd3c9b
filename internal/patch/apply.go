package patch

import (
	"slices"
	"strings"
)

// Apply returns the text with the file's hunks applied. Every line that a hunk expects must be
// there byte for byte. A hunk may have moved as a whole if there is exactly one position for it.
// Otherwise Apply returns an error. Its time is bounded, since a patch may come from a stranger.
func (f File) Apply(text string) (string, error) {
	before := NewText(text)
	at, err := before.positions(f)
	if err != nil {
		return "", err
	}
	var out []string
	done := 0
	for i, h := range f.Hunks {
		out = append(append(out, before.lines[done:at[i]]...), h.After...)
		done = at[i] + len(h.Before)
	}
	return strings.Join(append(out, before.lines[done:]...), ""), nil
}

func unended(line string) bool { return !strings.HasSuffix(line, "\n") }

// fits reports whether the text has the hunk's lines at an index. A hunk without expected lines
// fits only an empty text.
func (h Hunk) fits(text []string, at int) bool {
	if len(h.Before) == 0 {
		return at == 0 && len(text) == 0
	}
	return at >= 0 && at+len(h.Before) <= len(text) && slices.Equal(text[at:at+len(h.Before)], h.Before)
}

// ApplyAll applies a whole patch to the texts that read returns by path. It returns the new texts
// of the changed files, or none if part of the patch does not fit.
func ApplyAll(diff string, read func(path string) (string, error)) (map[string]string, error) {
	files, err := Parse(diff)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, f := range files {
		text, known := out[f.Path]
		if !known {
			if text, err = read(f.Path); err != nil {
				return nil, err
			}
		}
		if out[f.Path], err = f.Apply(text); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Unapply returns the texts before a patch that is applied in the texts that read returns, or none
// if part of it is not applied.
func Unapply(diff string, read func(path string) (string, error)) (map[string]string, error) {
	files, err := Parse(diff)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, f := range files {
		text, err := read(f.Path)
		if err != nil {
			return nil, err
		}
		if out[f.Path], err = f.reversed().Apply(text); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// reversed is the part of a patch that undoes this one.
func (f File) reversed() File {
	out := File{Path: f.Path}
	moved := 0
	for _, h := range f.Hunks {
		out.Hunks = append(out.Hunks, Hunk{Line: h.lineAfter(moved), Before: h.After, After: h.Before})
		moved += len(h.After) - len(h.Before)
	}
	return out
}

// lineAfter is where After starts in the text after, or the line ahead of where it would. moved is by how
// many lines the hunks before it make the text longer.
func (h Hunk) lineAfter(moved int) int {
	line := h.Line + moved
	switch { // without lines before, Line is the line ahead of those that are inserted
	case len(h.Before) == 0:
		line++
	case len(h.After) == 0:
		line--
	}
	return max(line, 0)
}
