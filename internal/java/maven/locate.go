package maven

import (
	"path/filepath"

	"github.com/odfix/odfix/internal/java/build"
)

// Check returns why odfix cannot work on a project of Maven around dir, without building anything.
// It returns nil if there is such a project. Its errors are of type *build.Error.
func Check(dir string) error {
	_, err := build.Locate(dir, locate)
	return err
}

// locate finds the project around dir: the reactor is the topmost pom that lists the nearest one as
// a module, directly or not.
func locate(dir string) (build.Folders, error) {
	start, err := nearestPom(dir)
	if err != nil {
		return build.Folders{}, err
	}
	l := layout{Start: start, Root: start, Base: start}
	err = l.climb()
	return build.Folders(l), err
}

// layout is the folders while they are found.
type layout build.Folders

// climb follows aggregators and parents upwards. All poms on this path are part of the build.
func (l *layout) climb() error {
	dir := l.Start
	for range 32 {
		p, err := readPom(filepath.Join(dir, "pom.xml"))
		if err != nil {
			return &build.Error{Code: build.CodeBroken, Message: "cannot read " + filepath.Join(dir, "pom.xml"),
				Hint: "Fix the pom; Maven cannot read it either.", Detail: err.Error()}
		}
		for _, m := range p.modules() {
			l.Base = build.CommonFolder(l.Base, filepath.Dir(filepath.Join(dir, filepath.FromSlash(m), "pom.xml")))
		}
		next := l.above(p, dir)
		if next == "" {
			return nil
		}
		dir = next
	}
	return nil
}

// above returns the folder of the next pom above the one in dir: its aggregator, or else its parent
// on disk.
func (l *layout) above(p *pom, dir string) string {
	for _, file := range []string{filepath.Join(filepath.Dir(dir), "pom.xml"), p.parentFile(dir)} {
		if file == "" || filepath.Dir(file) == dir {
			continue
		}
		up, err := readPom(file)
		if err != nil {
			continue
		}
		above := filepath.Dir(file)
		aggregates := up.has(above, dir)
		if !aggregates && (file != p.parentFile(dir) || up.ArtifactID != p.Parent.ArtifactID) {
			continue
		}
		l.Base = build.CommonFolder(l.Base, above)
		if aggregates && l.Root == dir {
			l.Root = above
		}
		return above
	}
	return ""
}

func nearestPom(dir string) (string, error) {
	for d := dir; ; d = filepath.Dir(d) {
		if build.Exists(filepath.Join(d, "pom.xml")) {
			return d, nil
		}
		if d == filepath.Dir(d) {
			return "", build.NoProject(dir)
		}
	}
}
