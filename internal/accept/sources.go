package accept

import (
	"errors"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/ci"
	"github.com/odfix/odfix/internal/patch"
)

// sources answers which files of the commit are test sources. It reads the sources, and runs nothing
// in them.
type sources struct {
	all      fs.FS
	language string
	named    []string            // files that CI ran as tests of Jest
	poms     map[string]*folders // by path; only those that were asked for
	roots    map[string]roots    // by module
	base     *base               // nil: there is none
	known    map[string]bool     // answers, by path
	texts    map[string]*patch.Text
	left     int // bytes of maxRead
}

func newSources(s Scope) *sources {
	out := &sources{all: s.Sources, language: s.Language, poms: map[string]*folders{}, roots: map[string]roots{}, base: newBase(s.Base), known: map[string]bool{},
		texts: map[string]*patch.Text{}, left: maxRead}
	if s.Language == Jest {
		for _, t := range s.Seen {
			if f := ci.JestFile(t); f != "" {
				out.named = append(out.named, f)
			}
		}
		slices.Sort(out.named)
		out.named = slices.Compact(out.named)
	}
	return out
}

// test reports whether a patch may touch the file: it is a test source, or would be one, and no link
// leads to it.
func (s *sources) test(file string) bool {
	is, known := s.known[file]
	if !known {
		is = s.isTest(file)
		s.known[file] = is
	}
	return is
}

func (s *sources) isTest(file string) bool {
	if !patch.Local(file) || len(file) > maxID || strings.Count(file, "/") > maxDepth || !s.plain(file) {
		return false
	}
	for _, part := range strings.Split(file, "/") {
		if strings.HasPrefix(part, ".") || part == "node_modules" || len(part) > maxName {
			return false
		}
	}
	if s.language == Jest {
		return s.jest(file)
	}
	return s.java(file, true) && s.base.java(file)
}

// plain reports whether all that exists of a path are folders and, at its end, a regular file.
func (s *sources) plain(file string) bool {
	parts := strings.Split(file, "/")
	for i := range parts {
		info, err := fs.Lstat(s.all, path.Join(parts[:i+1]...))
		switch {
		case err != nil:
			return errors.Is(err, fs.ErrNotExist)
		case i == len(parts)-1:
			return info.Mode().IsRegular()
		case !info.IsDir():
			return false
		}
	}
	return false
}

func (s *sources) exists(file string) bool {
	_, err := fs.Lstat(s.all, file)
	return err == nil
}

// few reports whether test may be asked about the file: it is one of the first maxTouched.
func (s *sources) few(file string) bool {
	_, known := s.known[file]
	return known || len(s.known) < maxTouched
}

// text is the text of a file, which is read once. nil: too much was read before.
func (s *sources) text(file string) *patch.Text {
	t, known := s.texts[file]
	if known {
		return t
	}
	text := readFile(s.all, file)
	if s.take(len(text) + perLine*strings.Count(text, "\n")) {
		t = patch.NewText(text)
	}
	s.texts[file] = t
	return t
}

// take takes memory of maxRead.
func (s *sources) take(bytes int) bool {
	if bytes > s.left {
		return false
	}
	s.left -= bytes
	return true
}

func (s *sources) regular(file string) bool {
	info, err := fs.Lstat(s.all, file)
	return err == nil && info.Mode().IsRegular()
}

func (s *sources) folder(dir string) bool {
	info, err := fs.Lstat(s.all, dir)
	return err == nil && info.Mode()&fs.ModeType == fs.ModeDir
}

// java reports whether the file is a Java source below a root of test sources of its module, and below
// no root of production code of any module above it: a commit can put a pom into such a root. What is
// below src/main is production code whatever poms say. Without inModule, the file may be below no root
// at all.
func (s *sources) java(file string, inModule bool) bool {
	if path.Ext(file) != ".java" || strings.Contains("/"+strings.ToLower(file), "/"+mainFolder+"/") {
		return false
	}
	module := true // the next one is the file's own
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		if s.exists(path.Join(dir, "pom.xml")) {
			r := s.rootsOf(dir)
			in := func(root string) bool { return below(file, path.Join(dir, root)) }
			tests := slices.ContainsFunc(r.tests, in)
			if !r.ok || slices.ContainsFunc(r.mains, in) || module && inModule && !tests || r.undecided && !(module && tests) {
				return false
			}
			module = false
		}
		if dir == "." {
			return !module || !inModule
		}
	}
}

// below reports whether a file is in a folder.
func below(file, dir string) bool { return dir == "." || strings.HasPrefix(file, dir+"/") }

var (
	// source matches the files of JavaScript and TypeScript.
	source = regexp.MustCompile(`\.[cm]?[jt]sx?$`)
	// matched is Jest's own choice of test files.
	matched = regexp.MustCompile(`(?:^|/)__tests__/(?:.*/)?[^/]+$|(?:^|[/.])(?:spec|test)\.[cm]?[jt]sx?$`)
	// says matches paths that say so in another form, such as test/cart.js and cart-test.js.
	says = regexp.MustCompile(`(?i)(?:^|[/._-])(?:tests?|specs?|e2e|it|integration)(?:[/._-])`)
)

// jest reports whether Jest takes the file for tests by default, or whether CI ran it as a test file,
// its path says that it is one, and it makes tests. Configurations of Jest are programs, which the
// server does not run.
func (s *sources) jest(file string) bool {
	if !source.MatchString(file) {
		return false
	}
	return matched.MatchString(file) || says.MatchString(file) &&
		slices.ContainsFunc(s.named, func(n string) bool { return strings.HasSuffix("/"+file, "/"+n) }) &&
		s.hasTests(file) && s.base.jest(file)
}

// makesTest matches a line that begins a test, or a block of tests, with a title.
var makesTest = regexp.MustCompile("(?m)^[ \\t]*[fx]?(?:it|test|describe)(?:\\.\\w+)*(?:\\([^()\\n]*\\)|`[^`]*`)?\\(\\s*['\"`]")

// hasTests reports whether the file makes tests. CI's log can name any file.
func (s *sources) hasTests(file string) bool {
	if !s.regular(file) {
		return false
	}
	text := readFile(s.all, file)
	return s.take(len(text)) && makesTest.MatchString(text)
}
