package accept

import (
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/odfix/odfix/internal/jest/jestid"
	"github.com/odfix/odfix/internal/patch"
)

// sources answers which files of the commit are test sources. It reads the sources, and runs nothing
// in them.
type sources struct {
	all      fs.FS
	language string
	base     base
	known    map[string]bool // answers, by path
	texts    map[string]*patch.Text
	left     int // bytes of maxRead
}

func newSources(s Scope) *sources {
	return &sources{all: s.Sources, language: s.Language, base: base{of: s.Base}, known: map[string]bool{}, texts: map[string]*patch.Text{},
		left: maxRead}
}

// test reports whether a patch may change the file: it is a test source, and no link leads to it.
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
		hasTests := jestid.TestSource(file)
		return hasTests != nil && s.everywhere(file, hasTests)
	}
	return path.Ext(file) == ".java" && !strings.Contains("/"+strings.ToLower(file), "/src/main/") &&
		(javaTests.MatchString(file) || saysTest(file) && s.everywhere(file, importsTests))
}

// everywhere reports whether the text of a file has tests in the commit and on the branches of the base.
func (s *sources) everywhere(file string, hasTests func(text string) bool) bool {
	text := readFile(s.all, file)
	if len(text) > s.left {
		return false
	}
	s.left -= len(text)
	return hasTests(text) && s.base.agrees(file, func(text string) bool {
		s.left -= len(text)
		return s.left >= 0 && hasTests(text)
	})
}

// plain reports whether a path leads through folders to a regular file.
func (s *sources) plain(file string) bool {
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if !s.folder(dir) {
			return false
		}
	}
	return s.regular(file)
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
	if n := len(text) + perLine*strings.Count(text, "\n"); n <= s.left {
		s.left -= n
		t = patch.NewText(text)
	}
	s.texts[file] = t
	return t
}

func (s *sources) regular(file string) bool {
	info, err := fs.Lstat(s.all, file)
	return err == nil && info.Mode().IsRegular()
}

func (s *sources) folder(dir string) bool {
	info, err := fs.Lstat(s.all, dir)
	return err == nil && info.Mode()&fs.ModeType == fs.ModeDir
}

// Java sources below src/main are production code, and those below folders such as src/test/java and
// src/integrationTest/java test code. Others are test code if both their path and their text say so. Poms
// could name any folder, and only Maven itself reads them reliably.
var (
	javaTests   = regexp.MustCompile(`(?:^|/)src/(?:it|tests?|[a-z]+-tests?|[a-z]+Tests?|test-[a-z]+|test[A-Z][a-zA-Z]*)/java/`)
	importsTest = regexp.MustCompile(`(?m)^[ \t]*import[ \t]+(?:static[ \t]+)?(?:org\.junit|junit\.framework|org\.testng)\.`)
)

func saysTest(file string) bool {
	return strings.Contains(strings.ToLower(file), "test") || strings.Contains("/"+file, "/it/") || strings.HasSuffix(file, "IT.java")
}

// sign is an escape of a character that begins or ends comments, texts or lines, with all backslashes
// before it. The compiler reads it as that character; javaCode does not.
var sign = regexp.MustCompile(`\\+u+00(?:0[aAdD]|2[27aAfF]|5[cC])`)

// escapesSign reports whether a Java source has such an escape. A backslash behind another is none.
func escapesSign(text string) bool {
	for _, m := range sign.FindAllString(text, -1) {
		if strings.IndexByte(m, 'u')%2 == 1 {
			return true
		}
	}
	return false
}

// importsTests reports whether a Java source imports a library for tests. One with escaped signs is
// taken for one that does not.
func importsTests(text string) bool {
	return !escapesSign(text) && (strings.Contains(text, "junit") || strings.Contains(text, "testng")) && importsTest.MatchString(javaCode(text))
}

// javaCode returns a Java source without its comments, and without the texts in it. Its time is linear
// in the source, whatever that holds.
func javaCode(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		skip := 0
		switch text[0] {
		case '/':
			skip = comment(text)
		case '"', '\'':
			skip = literal(text)
		}
		if skip == 0 {
			b.WriteByte(text[0])
			skip = 1
		} else {
			b.WriteByte(' ')
		}
		text = text[skip:]
	}
	return b.String()
}

// comment is the length of the comment that the text begins with. 0: there is none.
func comment(text string) int {
	open, end := "//", "\n"
	if strings.HasPrefix(text, "/*") {
		open, end = "/*", "*/"
	}
	if !strings.HasPrefix(text, open) {
		return 0
	}
	n := strings.Index(text[len(open):], end)
	switch {
	case n < 0:
		return len(text)
	case end == "\n":
		return len(open) + n // the line still ends
	}
	return len(open) + n + len(end)
}

// literal is the length of the text block, the string or the character that the text begins with.
func literal(text string) int {
	quote := text[:1]
	if strings.HasPrefix(text, `"""`) {
		quote = `"""`
	}
	for i := len(quote); i < len(text); i++ {
		switch {
		case text[i] == '\n' && len(quote) == 1:
			return i // it does not compile
		case text[i] == '\\' && !(len(quote) == 1 && strings.HasPrefix(text[i+1:], "\n")):
			i++
		case strings.HasPrefix(text[i:], quote):
			return i + len(quote)
		}
	}
	return len(text)
}
