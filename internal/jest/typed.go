package jest

import (
	"regexp"
	"slices"
	"strings"
)

// What TypeScript refuses is written so that it accepts it, also where the tests run without checks
// of types: others of the project's scripts, and editors, check them.

// undefined is the value of a variable that nothing has assigned yet, such that it fits the
// variable's type.
func (o *outline) undefined(v variable) string {
	if isTypeScript(o.file) && v.Typed != "" && !fitsUndefined(v.Typed) {
		return "undefined as any"
	}
	return "undefined"
}

// fitsUndefined reports whether undefined is a value of a type, which is written with its colon.
func fitsUndefined(typed string) bool {
	if strings.ContainsAny(typed, "=<>(){}[]&") {
		return false // it may hold such a type somewhere inside
	}
	return slices.ContainsFunc(strings.Split(strings.TrimPrefix(typed, ":"), "|"), func(t string) bool {
		return slices.Contains([]string{"undefined", "any", "unknown", "void"}, strings.TrimSpace(t))
	})
}

// untypedValue is a value of a variable of the test's blocks, such that it fits the variable's
// type.
func (s *seenState) untypedValue(name, value string) string {
	for _, b := range s.f.blocks {
		for _, v := range b.Variables {
			if v.Name == name && value == "undefined" {
				return s.f.o.undefined(v)
			}
		}
	}
	return value
}

// restricted reports whether the class of an object declares a member, by its access path, such
// that TypeScript does not let a test assign it, or delete it.
func (s *seenState) restricted(path string, deletes bool) bool {
	name := lastName(path)
	if s.f.o.untyped(path) == "" || s.module == "" || name == "" || strings.Count(path, ".") != 1 || !isTypeScript(s.module) {
		return false
	}
	text, err := s.r.e.p.source(s.module)
	if err != nil {
		return false
	}
	m := regexp.MustCompile(`(?m)^[ \t]*((?:(?:public|private|protected|static|readonly|declare|override|accessor)[ \t]+)*)` +
		regexp.QuoteMeta(name) + `[ \t]*([?!]?)[ \t]*[:=;]`).FindStringSubmatch(text)
	if m == nil {
		return false
	}
	hidden := strings.Contains(m[1], "private") || strings.Contains(m[1], "protected") || strings.Contains(m[1], "readonly")
	return hidden || deletes && m[2] != "?"
}
