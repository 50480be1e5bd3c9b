package accept

import (
	"path"
	"slices"
	"strings"
	"sync"
)

// base answers what the base branch of a pull request says of files. The pull request's own poms and
// sources say what its author likes.
type base struct {
	of      Base
	once    sync.Once
	sources *sources // of the base branch
	changed []string
	whole   bool // changed has all that the pull request changes
	err     error
}

func newBase(b Base) *base {
	if b == nil {
		return nil
	}
	return &base{of: b}
}

// java reports whether the base branch does not have the file as production code, if the pull request
// changes what decides that.
func (b *base) java(now *sources, file string) bool {
	if b == nil || !b.pomsChanged(now) {
		return b == nil || b.err == nil
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

// pomsChanged reports whether the pull request may change poms, or the options of Maven.
func (b *base) pomsChanged(now *sources) bool {
	b.once.Do(func() { b.changed, b.whole, b.err = b.of.Changed() })
	return b.err == nil && (!b.whole || slices.ContainsFunc(b.changed, func(file string) bool {
		_, asked := now.poms[file] // a parent may have another name
		return asked || path.Base(file) == "pom.xml" || strings.HasPrefix(file, ".mvn/") || strings.Contains(file, "/.mvn/")
	}))
}
