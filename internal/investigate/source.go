package investigate

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/ci"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/pull"
)

// tested is the commit for the runner.
func (s *Service) tested(ctx context.Context, at target, p *github.Pull, ev evidence) (string, error) {
	sha, err := pull.Tested(ctx, at.place(), p, ev.Event, ev.Merged)
	if early := (pull.NotYetError{}); errors.As(err, &early) {
		return "", laterError{s.o.Pace.Look, early.Error()}
	}
	return sha, err
}

// packageIn is the folder of the package whose Jest ran the tests. A log names test files relative
// to the folder in which Jest ran, so that is the folder with a package.json in which the file is.
// Otherwise it is the highest folder with a package.json that names Jest and is above a test.
func packageIn(sources fs.FS, tests []string) string {
	look := newLook(sources, tests)
	var exact, above, packages []string
	left := int64(mostPackageBytes)
	_ = fs.WalkDir(sources, ".", func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // an unreadable folder has no package
		case d.IsDir() && at != "." &&
			(strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || strings.Count(at, "/") >= 6):
			return fs.SkipDir
		case d.Name() != "package.json" || !d.Type().IsRegular():
			return nil
		}
		dir := path.Dir(at)
		packages = append(packages, dir)
		if len(packages) > mostPackages {
			return fs.SkipAll
		}
		if !namesJest(sources, at, &left) {
			return nil
		}
		if slices.ContainsFunc(look.files, func(file string) bool { return hasFile(sources, dir, file) }) {
			exact = append(exact, dir)
		}
		if look.holdsAny(dir) {
			above = append(above, dir)
		}
		return nil
	})
	for _, list := range [][]string{exact, above, packages} {
		if i := slices.Index(list, "."); i >= 0 {
			return "."
		}
		if len(list) > 0 {
			slices.SortStableFunc(list, higher)
			return list[0]
		}
	}
	return "." // the runner reports that there is no package
}

// namesJest reports whether a package.json names Jest, or a tool that runs it. left is how many bytes
// may still be read.
func namesJest(sources fs.FS, file string, left *int64) bool {
	f, err := sources.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	const most = 1 << 20
	text, err := io.ReadAll(io.LimitReader(f, min(most, *left)))
	*left -= int64(len(text))
	return err == nil && jestNamed.Match(text)
}

var jestNamed = regexp.MustCompile(`\bjest\b|react-scripts|\bcraco\b|vue-cli-service`)

func hasFile(sources fs.FS, dir, file string) bool {
	return file != "" && fs.ValidPath(path.Clean(file)) && has(sources, dir, file)
}

// Bounds on the search for the folder of a build: who wrote the sources and the tests' names is not
// known.
const (
	mostPackages     = 500 // packages that are read
	mostPackageBytes = 16 << 20
	mostLocating     = 50      // failing tests whose sources are looked for
	mostVisited      = 500_000 // files and folders that are looked at for them
)

// look searches sources of tests below folders.
type look struct {
	sources fs.FS
	paths   []string // of the tests' sources
	files   []string // of Jest
	left    int      // files and folders that may still be looked at
}

func newLook(sources fs.FS, tests []string) *look {
	l := &look{sources: sources, left: mostVisited}
	for _, t := range tests[:min(len(tests), mostLocating)] {
		l.paths = append(l.paths, "/"+ci.SourcePath(t))
		l.files = append(l.files, ci.JestFile(t))
	}
	return l
}

// holdsAny reports whether the folder has the source of one of the tests' classes, or their file.
func (l *look) holdsAny(dir string) bool {
	found := false
	_ = fs.WalkDir(l.sources, dir, func(at string, d fs.DirEntry, err error) error {
		if l.left--; l.left < 0 {
			return fs.SkipAll
		}
		if err == nil && d.IsDir() && d.Name() == "node_modules" {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() {
			return nil
		}
		name := "/" + strings.TrimSuffix(at, path.Ext(at))
		if found = slices.ContainsFunc(l.paths, func(p string) bool { return strings.HasSuffix(name, p) }); found {
			return fs.SkipAll
		}
		return nil
	})
	return found
}
