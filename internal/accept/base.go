package accept

import "slices"

// base asks the base branch and the default branch about a file. The author of a pull request can write
// anything into the pull request's own files.
type base struct {
	of  Base
	err error // the first one; after that, nothing is asked
}

// agrees reports whether a file has tests on each of the two branches that has the file. A file that
// neither has was added by the pull request's author, so a patch of it changes nobody else's code.
func (b *base) agrees(file string, hasTests func(text string) bool) bool {
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
	return !slices.ContainsFunc(texts, func(text string) bool { return !hasTests(text) })
}
