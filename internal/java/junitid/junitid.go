// Package junitid knows how odfix names JUnit's tests: "com.acme.FooTest#bar", nested classes with
// '$' before the '#', and tests that a suite class runs with that class and '>' in front.
package junitid

import (
	"strings"

	"github.com/odfix/odfix/internal/suite"
)

// Syntax is JUnit's.
type Syntax struct{}

var _ suite.Syntax = Syntax{}

// split cuts at the first '#', which ends the class. A class name holds no '#', but a parameter in
// a display name may.
func split(t suite.TestID) (class, method string) {
	class, method, _ = strings.Cut(string(t), "#")
	return class, method
}

// Class returns the class that holds the test, as a binary name: "a.B$C". It is "a.All>a.B" if the
// suite class a.All runs the test.
func Class(t suite.TestID) string {
	class, _ := split(t)
	return class
}

// Launched returns the outermost class that a build launches to run the test: "a.B" for "a.B$C#m",
// and the suite class "a.All" for "a.All>a.B#m".
func Launched(t suite.TestID) string {
	class, _ := split(t)
	if i := strings.IndexByte(class, '>'); i >= 0 {
		return class[:i]
	}
	if i := strings.IndexByte(class, '$'); i > 0 {
		return class[:i]
	}
	return class
}

// Method returns the method with its parameters or the number of the invocation: "bar[0]",
// "bar(int)".
func Method(t suite.TestID) string {
	_, method := split(t)
	return method
}

// MethodName returns the name of the method in the source, without parameters and invocation.
func MethodName(t suite.TestID) string {
	name := Method(t)
	if cut := strings.IndexAny(name, "([~"); cut > 0 {
		return name[:cut]
	}
	return name
}

// Split cuts an order where the launched class changes.
func Split(o suite.Order) []suite.Order { return suite.NewGroups(nil, Syntax{}).Split(o) }

// Group implements suite.Syntax with Launched.
func (Syntax) Group(t suite.TestID) string { return Launched(t) }

// Unit implements suite.Syntax with Class.
func (Syntax) Unit(t suite.TestID) string { return Class(t) }

// Name implements suite.Syntax with Method.
func (Syntax) Name(t suite.TestID) string { return Method(t) }

// Short returns the id without the package.
func (Syntax) Short(t suite.TestID) string {
	class, method := split(t)
	class = class[strings.LastIndexByte(class, '.')+1:]
	if method == "" {
		return class
	}
	return class + "#" + method
}

// Source returns the path of the outermost class, relative to the folder of its sources.
func (Syntax) Source(t suite.TestID) string {
	class := Class(t)
	class, _, _ = strings.Cut(class[strings.LastIndexByte(class, '>')+1:], "$")
	return strings.ReplaceAll(class, ".", "/")
}

// Spellings returns other ways to write the test: the full or simple class name, nested classes
// with '.' or '$', with or without the method, the method with or without parameters.
func (Syntax) Spellings(t suite.TestID) []string {
	class, method := split(t)
	class = class[strings.LastIndexByte(class, '>')+1:]
	classes := map[string]bool{}
	for _, c := range []string{class, Launched(t)} {
		simple := c[strings.LastIndexByte(c, '.')+1:]
		for _, v := range []string{c, strings.ReplaceAll(c, "$", "."), simple, strings.ReplaceAll(simple, "$", ".")} {
			classes[v] = true
		}
	}
	var out []string
	for c := range classes {
		out = append(out, c)
		if method == "" {
			continue
		}
		out = append(out, c+"#"+method)
		if b := bare(method); b != method {
			out = append(out, c+"#"+b)
		}
	}
	return out
}

// bare cuts parameters and invocation off a method's name: "m" of "m(int)[1]", "m[0]", "m{int}[1]".
func bare(method string) string {
	if i := strings.IndexAny(method, "([{~"); i > 0 {
		return strings.TrimSpace(method[:i])
	}
	return method
}

// Readings also reads Class.method as Class#method, and an invocation as its test.
func (Syntax) Readings(name string) []string {
	out := []string{name}
	hash := name
	if !strings.Contains(name, "#") {
		cut := len(name)
		if i := strings.IndexAny(name, "([{"); i >= 0 {
			cut = i
		}
		if i := strings.LastIndexByte(name[:cut], '.'); i > 0 {
			hash = name[:i] + "#" + name[i+1:]
			out = append(out, hash)
		}
	}
	if i := strings.IndexByte(hash, '#'); i > 0 {
		class, method := hash[:i], hash[i+1:]
		// An invocation "m(int)[3]" or "m{int}[3]" belongs to the test "m(int)".
		if j := strings.LastIndexByte(method, '['); j > 0 {
			out = append(out, class+"#"+method[:j])
		}
		if j := strings.IndexByte(method, '{'); j > 0 {
			params := strings.TrimSuffix(strings.SplitN(method[j+1:], "[", 2)[0], "}")
			out = append(out, class+"#"+method[:j]+"("+params+")")
		}
		if b := bare(method); b != method {
			out = append(out, class+"#"+b)
		}
	}
	return out
}

// Words returns the method and the simple name of the outermost class.
func (s Syntax) Words(t suite.TestID) []string {
	return []string{bare(Method(t)), s.Last(Launched(t))}
}

// Nouns returns the words for JUnit's groups, tests and state.
func (Syntax) Nouns() suite.Nouns {
	return suite.Nouns{Group: "class", Groups: "classes", Test: "CLASS#METHOD", State: "static state"}
}

// Last returns the part after the last '.', '$' or '#'.
func (Syntax) Last(name string) string { return name[strings.LastIndexAny(name, ".$#")+1:] }
