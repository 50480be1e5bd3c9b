package jest

// How a test file names what is elsewhere: members of what it imports, globals, and mocks.

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/odfix/odfix/internal/suite"
)

// reach returns the expressions by which the test file can name what has the access path in a file.
func (s *seenState) reach(file, path string) []string {
	calls := &s.r.e.p.calls
	return suite.AppendNew(s.f.o.expressions(s.r.e, file, path, calls.importsOf(s.f.o.file)), calls.imported(s.f, file, path)...)
}

// private is the path as TypeScript accepts it where members are private. Those whose names begin with _ mostly
// are: their names are written as texts.
func (o *outline) private(path string) string {
	if !isTypeScript(o.file) {
		return path
	}
	q := o.quote()
	return segment.ReplaceAllStringFunc(path, func(s string) string {
		if !strings.HasPrefix(s, "._") {
			return s
		}
		return "[" + q + s[1:] + q + "]"
	})
}

// untyped is the path with an object that has no type, so that TypeScript accepts members that are private,
// and values that do not fit their types; "" in other languages.
func (o *outline) untyped(path string) string {
	first, rest := cutPath(path)
	if !isTypeScript(o.file) || !strings.HasPrefix(rest, ".") {
		return ""
	}
	return "(" + first + " as any)" + rest
}

// segment is a part of an access path: a member, or an element.
var segment = regexp.MustCompile(`\.[A-Za-z_$][\w$]*|\[\d+\]|\["` + inText + `*"\]`)

// whole is the file's name for a module as a whole; "" where it imports none.
func (o *outline) whole(module string) string {
	for _, i := range o.Imports {
		for _, n := range i.Names {
			if i.From == module && (n.Imported == "*" || n.Imported == "default") {
				return n.Local
			}
		}
	}
	return ""
}

// global is a global's path as the file can write it.
func (o *outline) global(e *editor, path string) string {
	root, _, _ := strings.Cut(path, ".")
	if regexp.MustCompile(`\b` + regexp.QuoteMeta(root) + `\b`).MatchString(o.text) {
		e.globals.Store(root, true)
		return path
	}
	return "globalThis." + path
}

// cutPath cuts an access path after its first name.
func cutPath(path string) (first, rest string) {
	if i := strings.IndexAny(path, ".["); i > 0 {
		return path[:i], path[i:]
	}
	return path, ""
}

// expressions are the ways by which the test file reaches what has the access path in a file. If it is
// known which objects the file imports (seen), a variable is not taken for a member of what its module exports
// as a whole.
func (o *outline) expressions(e *editor, file, path string, seen bool) []string {
	if strings.ContainsAny(path, " \n") {
		return nil
	}
	if file == o.file {
		return []string{path}
	}
	path, exported := strings.CutPrefix(path, "module.exports.")
	first, rest := cutPath(path)
	var out []string
	for _, i := range o.Imports {
		if from, _ := e.module(o.file, i.From); from != file {
			continue
		}
		for _, n := range i.Names {
			switch {
			case n.Imported == first:
				out = append(out, n.Local+rest)
			case seen && !exported:
			case n.Imported == "default" && i.ESM:
				out = append(out, n.Local+rest, n.Local+"."+path)
			case n.Imported == "*", n.Imported == "default":
				out = append(out, n.Local+"."+path, n.Local+rest)
			}
		}
	}
	return out
}

// jsString is a text as a literal of JavaScript.
func jsString(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\\' || r == '\'':
			b.WriteString(`\` + string(r))
		case r == '\n':
			b.WriteString(`\n`)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		}
	}
	return "'" + b.String() + "'"
}

// mocks are the expressions by which a file may call the functions of a mock. For TypeScript, most mocks have
// the type of what they replace, unless the file says that one is a mock, or jest.mocked does.
func (f *found) mocks(path string) []string {
	o := f.o
	variable := func(v variable) bool { return v.Name == path && makesMock.MatchString(v.Class) }
	used := regexp.MustCompile(`(^|[^\w$.])` + regexp.QuoteMeta(path) + `\.mock([A-Z]|\b)`)
	switch {
	case !isTypeScript(o.file), used.MatchString(o.text),
		slices.ContainsFunc(f.blocks, func(b *block) bool { return slices.ContainsFunc(b.Variables, variable) }):
		return []string{path}
	case strings.Contains(o.text, "jest.mocked("+path+")"):
		return []string{"jest.mocked(" + path + ")"}
	}
	cast := regexp.MustCompile(`\(` + regexp.QuoteMeta(path) + ` as (unknown as )?(jest\.)?Mock(ed(Function|Fn)<typeof [\w.]+>)?\)`)
	if said := cast.FindString(o.text); said != "" {
		return []string{said}
	}
	return []string{path, "jest.mocked(" + path + ")"}
}
