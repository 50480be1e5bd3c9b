package accept

import (
	"errors"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

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
	changes  func() ([]Change, error)
	changed  []Change // what changes has said
	asked    error    // why it has said nothing
	once     sync.Once
	known    map[string]bool // answers, by path
	texts    map[string]*patch.Text
	left     int // bytes of maxRead
}

func newSources(s Scope) *sources {
	out := &sources{all: s.Sources, language: s.Language, poms: map[string]*folders{}, roots: map[string]roots{}, changes: s.Changes, known: map[string]bool{},
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
	return s.java(file)
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
// below src/main is production code whatever poms say.
func (s *sources) java(file string) bool {
	if path.Ext(file) != ".java" || strings.Contains("/"+strings.ToLower(file), "/"+mainFolder+"/") {
		return false
	}
	if s.foldersChanged() {
		return false
	}
	module := true // the next one is the file's own
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		if s.exists(path.Join(dir, "pom.xml")) {
			r := s.rootsOf(dir)
			in := func(root string) bool { return below(file, path.Join(dir, root)) }
			if !r.ok || slices.ContainsFunc(r.mains, in) || module && !slices.ContainsFunc(r.tests, in) || !module && r.undecided {
				return false
			}
			module = false
		}
		if dir == "." {
			return !module
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
// its path says that it is one, and it makes tests. Configurations of Jest are programs, which the server does not
// run.
func (s *sources) jest(file string) bool {
	if !source.MatchString(file) {
		return false
	}
	return matched.MatchString(file) || says.MatchString(file) && s.hasTests(file) &&
		slices.ContainsFunc(s.named, func(n string) bool { return strings.HasSuffix("/"+file, "/"+n) })
}

// makesTest matches a line that begins a test, or a block of tests, with a title.
var makesTest = regexp.MustCompile("(?m)^[ \\t]*[fx]?(?:it|test|describe)(?:\\.\\w+)*(?:\\([^()\\n]*\\)|`[^`]*`)?\\(\\s*['\"`]")

// hasTests reports whether the file makes tests, without what the pull request has added to it. CI's log
// can name any file.
func (s *sources) hasTests(file string) bool {
	text := readFile(s.all, file)
	if !s.regular(file) || !makesTest.MatchString(text) {
		return false
	}
	for _, c := range s.pullChanges() {
		if c.Path == file && !c.New {
			text = without(text, c.Lines)
		}
	}
	return s.asked == nil && makesTest.MatchString(text)
}

// without is a text without the lines that a diff adds; "" if these are not known.
func without(text, diff string) string {
	if diff == "" {
		return ""
	}
	added := map[string]bool{}
	for line := range strings.Lines(diff) {
		if rest, ok := strings.CutPrefix(line, "+"); ok {
			added[strings.TrimRight(rest, "\r\n")] = true
		}
	}
	var out strings.Builder
	for line := range strings.Lines(text) {
		if !added[strings.TrimRight(line, "\r\n")] {
			out.WriteString(line)
		}
	}
	return out.String()
}

// pullChanges are the files that the pull request changes. They are asked for once.
func (s *sources) pullChanges() []Change {
	s.once.Do(func() {
		if s.changes != nil {
			s.changed, s.asked = s.changes()
		}
	})
	return s.changed
}

// isPom reports whether a file decides what the sources of a build with Maven are.
func isPom(file string) bool {
	return path.Base(file) == "pom.xml" || strings.HasPrefix(file, ".mvn/") || strings.Contains(file, "/.mvn/")
}

// pomsChanged reports whether the pull request changes poms. Then the folders that they name say nothing
// of what the base branch has there.
func (s *sources) pomsChanged() bool {
	return slices.ContainsFunc(s.pullChanges(), func(c Change) bool {
		_, read := s.poms[c.Path]
		return read || isPom(c.Path) || isPom(c.Before)
	}) || s.asked != nil
}

// foldersChanged reports whether the pull request may change which folders have production code.
func (s *sources) foldersChanged() bool {
	return slices.ContainsFunc(s.pullChanges(), func(c Change) bool {
		pom := isPom(c.Path) || isPom(c.Before)
		return pom && (c.Lines == "" || !c.New && c.Before != "" || namesFolders.MatchString(c.Lines))
	}) || s.asked != nil
}

// namesFolders matches what a pom names folders of sources with.
var namesFolders = regexp.MustCompile(`(?i)sourceDirectory|build-helper|add-source`)
