package accept

// base answers what the base branch of a pull request says of files. The pull request's own files say
// what its author likes.
type base struct {
	of  Base
	err error // the first one; after that, nothing is asked
}

// agrees reports whether a file that the base branch has is what holds wants there, too. A file that
// only the pull request has is its author's in any case.
func (b *base) agrees(file string, holds func(text string) bool) bool {
	if b.of == nil {
		return true
	}
	if b.err != nil {
		return false
	}
	text, exists, err := b.of.Text(file)
	b.err = err
	return err == nil && (!exists || holds(text))
}
