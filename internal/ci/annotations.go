package ci

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/odfix/odfix/internal/suite"
)

// Annotation is a check run's message about a line of a file. Test reporters make one for each
// failing test.
type Annotation struct{ Path, Title, Message string }

// maxAnnotated bounds the tests taken from annotations.
const maxAnnotated = 1000

// Annotated returns the evidence of annotations. They name only some of the failing tests, and no
// order, so the provenance is Inferred. It returns tests of Jest only if the annotations name no
// other tests. It ignores annotations that name no test, such as a compiler's.
func Annotated(list []Annotation, source string) Evidence {
	ev := Evidence{Provenance: suite.Inferred, Source: source}
	if ev.Failed = annotated(list, Annotation.test); len(ev.Failed) == 0 {
		if ev.Failed = annotated(list, Annotation.jest); len(ev.Failed) > 0 {
			ev.Tool = Jest
		}
	}
	ev.Tests = slices.Clone(ev.Failed)
	if len(ev.Failed) > 0 {
		ev.Notes = []string{"The order in which CI ran the tests is not known, and more tests may have failed: a " +
			"check shows some of its failures only."}
	}
	return ev
}

// annotated returns the tests that a reader finds in annotations.
func annotated(list []Annotation, read func(Annotation) (string, bool)) []string {
	var out []string
	for _, a := range list {
		if id, ok := read(a); ok && !slices.Contains(out, id) && len(out) < maxAnnotated {
			out = append(out, id)
		}
	}
	return out
}

// testSource matches the path of a test's source in Maven and Gradle projects.
var testSource = regexp.MustCompile(`(?:^|/)src/\w*[tT]est\w*/(?:java|kotlin|groovy)/([\w/$]+)\.(?:java|kt|groovy)$`)

// test returns the test that the annotation is about. It reads the title first, because the project
// writes the message.
func (a Annotation) test() (string, bool) {
	class := ""
	if len(a.Path) <= maxName {
		if g := testSource.FindStringSubmatch(strings.ReplaceAll(a.Path, `\`, "/")); g != nil {
			class = strings.ReplaceAll(g[1], "/", ".")
		}
	}
	if !isClass(class) {
		class = ""
	}
	first, _, _ := strings.Cut(a.Message, "\n")
	for _, words := range []string{a.Title, first} {
		if named, method, ok := named(words); ok {
			if simpleName(class) == simpleName(outermost(named)) && !strings.Contains(named, ".") {
				named = class + strings.TrimPrefix(named, outermost(named))
			}
			return testID(named, method), true
		}
	}
	// A reporter may name only the method, in the file of its class.
	if title := strings.TrimSuffix(strings.TrimSpace(a.Title), "()"); class != "" && isMethod(title) {
		return testID(class, title), true
	}
	return "", false
}

// jest returns the test that an annotation of Jest's reporter for GitHub Actions is about. A title
// with less than two parts may be the name of a linter's rule.
func (a Annotation) jest() (string, bool) {
	file := inCheckout(a.Path)
	if len(a.Path)+len(a.Title) > maxName || !jestSource.MatchString(file) || !strings.Contains(a.Title, jestBetween) {
		return "", false
	}
	return file + "#" + strings.TrimSpace(a.Title), true
}

func outermost(class string) string {
	outer, _, _ := strings.Cut(class, "$")
	return outer
}

// lineNumber is the line number after a test in Surefire's summary.
var lineNumber = regexp.MustCompile(`:\d+$`)

// separators are between class and method in reporters' messages.
var separators = regexp.MustCompile(`\s*(?:#|::|\s[►>›»→|-]\s)\s*`)

// named finds a test's name at the beginning of a sentence: FooTest.bar,
// com.acme.FooTest#bar, bar(com.acme.FooTest), FooTest ► bar.
func named(words string) (class, method string, ok bool) {
	words = strings.TrimSpace(words)
	if words == "" || len(words) > maxName {
		return "", "", false
	}
	head, _, _ := strings.Cut(words, " ")
	head = lineNumber.ReplaceAllString(strings.TrimRight(head, ":,;"), "")
	if class, method, ok = inParens(head); ok {
		return class, method, true
	}
	if class, method, ok = byConvention(strings.TrimSuffix(head, "()")); ok {
		return class, method, true
	}
	parts := separators.Split(words, 3)
	if len(parts) < 2 || !isTestClass(parts[0]) {
		return "", "", false
	}
	method, _, _ = strings.Cut(parts[1], " ")
	method = strings.TrimSuffix(strings.TrimRight(method, ":,;"), "()")
	return parts[0], method, isMethod(method)
}

// isTestClass reports whether a name is a class name by Java's conventions.
func isTestClass(s string) bool {
	if !isClass(s) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(simpleName(s))
	return unicode.IsUpper(r)
}

// isMethod is the same for a method, with parameters or not.
func isMethod(s string) bool {
	if i := strings.IndexAny(s, "([{"); i > 0 {
		s = s[:i]
	}
	r, _ := utf8.DecodeRuneInString(s)
	return isClass(s) && !strings.Contains(s, ".") && !unicode.IsUpper(r)
}
