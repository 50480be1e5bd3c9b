package accept

import "slices"

// base answers what the branches that a pull request may be for say of files. The pull request's own files say
// what its author likes.
type base struct {
	of  Base
	err error // the first one; after that, nothing is asked
}

// agrees reports whether a file is what holds wants wherever it is. A file that only the pull request
// has is its author's in any case.
func (b *base) agrees(file string, holds func(text string) bool) bool {
	if b.of == nil {
		return true
	}
	if b.err != nil {
		return false
	}
	var texts []string
	if texts, b.err = b.of.Texts(file); b.err != nil {
		return false
	}
	return !slices.ContainsFunc(texts, func(text string) bool { return !holds(text) })
}
