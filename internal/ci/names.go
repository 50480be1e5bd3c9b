package ci

import (
	"path"
	"regexp"
	"strings"
	"unicode"
)

// Bounds on the names of classes, methods and files, and on the id of a test, which has several.
// Longer texts are not names.
const (
	maxName = 1 << 10
	maxID   = 3 << 10
)

// isClass reports whether s could be a binary class name, qualified or not.
func isClass(s string) bool {
	if s == "" || len(s) > maxName {
		return false
	}
	for _, part := range strings.Split(s, ".") {
		for i, r := range part {
			letter := r == '_' || r == '$' || unicode.IsLetter(r)
			if !letter && (i == 0 || !unicode.IsDigit(r)) {
				return false
			}
		}
		if part == "" {
			return false
		}
	}
	return true
}

// IsJava reports whether an id could be a Java test's. Reports of other tools have sentences
// instead of ids.
func IsJava(id string) bool {
	class, _, _ := strings.Cut(stripID(id), "#")
	return isClass(class)
}

// invocation matches Surefire's name for an invocation of a JUnit 5 method: m(int)[1] (3.x),
// m{int}[1] (2.22), m()[2] (dynamic and repeated tests).
var invocation = regexp.MustCompile(`^([\pL\d_$]+)(?:\(([^()\[\]]*)\)|\{([^{}\[\]]*)\})(?:\[\d+\])?$`)

// canonicalMethod drops the invocation of a JUnit 5 test, which runs as a whole: m(int)[1] becomes
// m(int), and m()[2] becomes m. JUnit 4's m[0] is a separate test and stays. Surefire 2.22 writes
// m[1] for both, so m[1] stays, too.
func canonicalMethod(m string) string {
	if len(m) > maxName {
		return m
	}
	g := invocation.FindStringSubmatch(m)
	if g == nil {
		return m
	}
	if params := g[2] + g[3]; params != "" {
		return g[1] + "(" + params + ")"
	}
	return g[1]
}

// testID joins a class and a test's name in a report. Surefire's name for a failed class set-up is
// "", "null" or the class.
func testID(class, name string) string {
	if name == "" || name == "null" || name == class {
		return class
	}
	return class + "#" + canonicalMethod(name)
}

// stripID returns an id in a form in which ids of two sources can be compared.
func stripID(id string) string {
	if _, inner, ok := strings.Cut(id, ">"); ok {
		return inner
	}
	return id
}

// SourcePath returns the path of a test's source file without extension, below the folder of
// sources. For a test of Jest, it returns the test's file.
func SourcePath(id string) string {
	if file := JestFile(id); file != "" {
		return strings.TrimSuffix(file, path.Ext(file))
	}
	class, _, _ := strings.Cut(stripID(id), "#")
	class, _, _ = strings.Cut(class, "$")
	return strings.ReplaceAll(class, ".", "/")
}

// Same reports whether a person may mean the test by that name. A person may write "Class.method"
// and the simple name of the class.
func Same(id, typed string) bool {
	id, typed = strings.ReplaceAll(id, "#", "."), strings.ReplaceAll(typed, "#", ".")
	return id == typed || strings.HasSuffix(id, "."+typed) || strings.HasSuffix(id, "$"+typed)
}

// nestedIn reports whether class is outer or one of its nested classes.
func nestedIn(class, outer string) bool {
	rest, ok := strings.CutPrefix(class, outer)
	return ok && (rest == "" || rest[0] == '$')
}

// simpleName is the class name without its package.
func simpleName(class string) string { return class[strings.LastIndexByte(class, '.')+1:] }

// inParens splits "method(com.acme.FooTest)", Surefire 2's name of a test.
func inParens(s string) (class, method string, ok bool) {
	open := strings.LastIndexByte(s, '(')
	if open <= 0 || !strings.HasSuffix(s, ")") {
		return "", "", false
	}
	class = s[open+1 : len(s)-1]
	return class, s[:open], isClass(class) && strings.Contains(class, ".")
}

// dotted splits "com.acme.FooTest.bar(int)[1]": the method begins after the last dot before any
// parameter.
func dotted(s string) (class, method string, ok bool) {
	base := s
	if i := strings.IndexAny(s, "([{ "); i >= 0 {
		base = s[:i]
	}
	dot := strings.LastIndexByte(base, '.')
	if dot <= 0 || !isClass(base[:dot]) || !isClass(base[dot+1:]) {
		return "", "", false
	}
	return s[:dot], s[dot+1:], true
}

// qualified splits a test with a qualified class, in the forms of all Surefire versions. Surefire
// 2.22 writes the class twice when it runs a test again: "com.acme.FooTest.bar(com.acme.FooTest)".
func qualified(s string) (class, method string, ok bool) {
	if class, method, ok = inParens(s); ok {
		return class, strings.TrimPrefix(method, class+"."), true
	}
	class, method, ok = dotted(s)
	return class, method, ok && strings.Contains(class, ".")
}

// byConvention splits a dotted name if its last part is a method by Java's conventions: it begins
// with a lower-case letter, and the part before it with an upper-case one.
func byConvention(s string) (class, method string, ok bool) {
	class, method, ok = dotted(s)
	if !ok {
		return "", "", false
	}
	simple := simpleName(class)
	first := func(s string) rune { return []rune(s)[0] }
	return class, method, unicode.IsUpper(first(simple)) && !unicode.IsUpper(first(method))
}
