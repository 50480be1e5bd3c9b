// Package jestid knows how odfix names Jest's tests: "src/cart.test.js#cart › with items › adds
// up", which is the file, '#', the titles of the describe blocks and of the test, as Jest prints
// them.
package jestid

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/suite"
)

// Between stands between the titles of a test and of the describe blocks around it.
const Between = " › "

// Syntax is Jest's.
type Syntax struct{}

var _ suite.Syntax = Syntax{}

// Split cuts an id after its file. No file that Jest finds by default has a '#' in its path.
func Split(t suite.TestID) (file, titles string) {
	file, titles, _ = strings.Cut(string(t), "#")
	return file, titles
}

// File is the test's file, without the name of the Jest project that is part of an id where two
// projects run one file.
func File(t suite.TestID) string {
	file, _ := Split(t)
	if i := strings.LastIndex(file, " ["); i > 0 && strings.HasSuffix(file, "]") {
		return file[:i]
	}
	return file
}

// Titles are those of the describe blocks, outermost first, and of the test.
func Titles(t suite.TestID) []string {
	_, titles := Split(t)
	return strings.Split(titles, Between)
}

// FullName is the test's name as Jest compares it with --testNamePattern.
func FullName(t suite.TestID) string {
	name := strings.Join(Titles(t), " ")
	if i := strings.LastIndexByte(name, '~'); i > 0 && strings.Trim(name[i+1:], "0123456789") == "" && i+1 < len(name) {
		return name[:i]
	}
	return name
}

// Nouns are Jest's: files hold tests, and titles name them.
func (Syntax) Nouns() suite.Nouns {
	return suite.Nouns{Group: "file", Groups: "files", Test: "FILE#TITLES", State: "shared state"}
}

// Group is the file.
func (Syntax) Group(t suite.TestID) string {
	file, _ := Split(t)
	return file
}

// Unit is the innermost describe block, or the file.
func (Syntax) Unit(t suite.TestID) string {
	if i := strings.LastIndex(string(t), Between); i >= 0 {
		return string(t[:i])
	}
	file, _ := Split(t)
	return file
}

// Name is the test's own title.
func (Syntax) Name(t suite.TestID) string {
	titles := Titles(t)
	return titles[len(titles)-1]
}

// Short is the id without the folders.
func (Syntax) Short(t suite.TestID) string {
	file, titles := Split(t)
	if titles == "" {
		return path.Base(file)
	}
	return path.Base(file) + "#" + titles
}

// Source is the file's path up to the first dot of its name.
func (Syntax) Source(t suite.TestID) string {
	dir, file := path.Split(File(t))
	stem, _, _ := strings.Cut(file, ".")
	return dir + stem
}

// Spellings are the titles with and without the file, joined as Jest's reporters and its JUnit
// reports do.
func (s Syntax) Spellings(t suite.TestID) []string {
	file, titles := Split(t)
	files := []string{file}
	for rest := file; ; { // a log names files relative to the folder in which Jest ran
		_, below, ok := strings.Cut(rest, "/")
		if !ok {
			break
		}
		files, rest = append(files, below), below
	}
	out := files
	if titles == "" {
		return out
	}
	names := []string{titles}
	if full := strings.ReplaceAll(titles, Between, " "); full != titles {
		names = append(names, full)
	}
	for _, n := range slices.Clone(names) { // a list or a log loses white space at the end of a line
		if trimmed := strings.TrimSpace(n); trimmed != n {
			names = append(names, trimmed)
		}
	}
	for _, n := range names {
		out = append(out, n)
		for _, f := range files {
			out = append(out, f+"#"+n)
		}
	}
	if name := s.Name(t); name != titles {
		out = append(out, name)
	}
	return out
}

// source is the name of a file that can hold tests.
var source = regexp.MustCompile(`\.[a-z]+$`)

// Readings takes " > " for the sign between titles, and "FILE > TITLE" for "FILE#TITLES".
func (Syntax) Readings(name string) []string {
	out := []string{name}
	add := func(n string) {
		for _, o := range out {
			if o == n {
				return
			}
		}
		out = append(out, n)
	}
	plain := strings.ReplaceAll(name, " > ", Between)
	add(plain)
	if first, rest, ok := strings.Cut(plain, Between); ok && !strings.Contains(plain, "#") {
		add(first + "#" + rest)
	}
	add(strings.TrimPrefix(plain, "./"))
	for rest := absolute(plain); ; { // reports can name files by their paths on the machine of CI
		first, below, ok := strings.Cut(rest, "/")
		if !ok || strings.Contains(first, "#") {
			break
		}
		add(below)
		rest = below
	}
	if class, name, ok := strings.Cut(plain, "#"); ok && !source.MatchString(class) { // a JUnit report has titles where the class stands
		add(name)
	}
	return out
}

// absolute is a name whose file is an absolute path, up to '#' at most; else "".
func absolute(name string) string {
	file, titles, ok := strings.Cut(name, "#")
	file = strings.ReplaceAll(file, `\`, "/")
	if drive := len(file) > 2 && file[1:3] == ":/"; !drive && !strings.HasPrefix(file, "/") || strings.Contains(file, Between) {
		return ""
	}
	if ok {
		return file + "#" + titles
	}
	return file
}

// Words are the test's title and its file's name.
func (s Syntax) Words(t suite.TestID) []string {
	return []string{s.Name(t), path.Base(s.Group(t))}
}

// Last is the last title, or the last part of a path.
func (Syntax) Last(name string) string {
	for _, sep := range []string{"›", " > ", "#"} {
		if i := strings.LastIndex(name, sep); i >= 0 {
			return strings.TrimSpace(name[i+len(sep):])
		}
	}
	return path.Base(name)
}
