package accept

// base answers what the base branch of a pull request says of files. The pull request's own poms and
// sources say what its author likes.
type base struct {
	of      Base
	sources *sources // of the base branch
	err     error
}

func newBase(b Base) *base {
	if b == nil {
		return nil
	}
	return &base{of: b}
}

// java reports whether the base branch has the file as a test source, or, if it does not have the file,
// no production code where it is.
func (b *base) java(file string) bool {
	if b == nil {
		return true
	}
	then := b.read(Java)
	return then != nil && then.java(file, then.exists(file))
}

// jest reports whether a file that CI names makes tests on the base branch, too, if it is there.
func (b *base) jest(file string) bool {
	if b == nil {
		return true
	}
	then := b.read(Jest)
	return then != nil && (!then.exists(file) || then.hasTests(file))
}

// failed is why the base branch could not be asked.
func (b *base) failed() error {
	if b == nil {
		return nil
	}
	return b.err
}

// read returns the sources of the base branch; nil, if they cannot be had.
func (b *base) read(language string) *sources {
	if b.sources == nil && b.err == nil {
		all, err := b.of.Sources()
		if b.err = err; err == nil {
			b.sources = newSources(Scope{Language: language, Sources: all})
		}
	}
	return b.sources
}
