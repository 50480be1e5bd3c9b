package junitid

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/suite"
)

// Selection returns an order as a value of Surefire's test property. Surefire runs each class once,
// and its tests in the order of original (in any order, if original is empty). Selection reports
// false if the order asks for something else.
func Selection(o, original suite.Order) (string, bool) {
	at := order.Positions(original)
	seen := map[string]bool{}
	own := true
	var parts []string
	for _, part := range Split(o) {
		class := Launched(part[0])
		own = own && !seen[class] && !strings.Contains(Class(part[0]), ">")
		seen[class] = true
		last := -1
		var methods []string
		for _, t := range part {
			i, known := at[t]
			own = own && Class(t) == class && (len(original) == 0 || known && i > last)
			last = i
			methods = append(methods, pattern(t))
		}
		parts = append(parts, class+"#"+strings.Join(methods, "+"))
	}
	return strings.Join(parts, ","), own
}

// pattern selects the test's method. The pattern of an invocation matches all invocations of its
// method.
func pattern(t suite.TestID) string {
	name := MethodName(t)
	if name != Method(t) {
		name += "*"
	}
	return name
}

// RunOrder returns the argument with which Surefire runs the order's classes one after the other.
// Surefire sorts classes by name, forwards or backwards. RunOrder reports false if the classes are
// in neither order. One class needs no argument.
func RunOrder(o suite.Order) ([]string, bool) {
	byName := func(a, b suite.Order) int { return strings.Compare(Launched(a[0]), Launched(b[0])) }
	parts := Split(o)
	switch {
	case len(parts) < 2:
		return nil, true
	case slices.IsSortedFunc(parts, byName):
		return []string{"-Dsurefire.runOrder=alphabetical"}, true
	case slices.IsSortedFunc(parts, func(a, b suite.Order) int { return byName(b, a) }):
		return []string{"-Dsurefire.runOrder=reversealphabetical"}, true
	}
	return nil, false
}

// Surefire returns an order as a command for Maven.
func Surefire(o, original suite.Order) order.Command {
	selection, own := Selection(o, original)
	runOrder, sorted := RunOrder(o)
	c := order.Command{Args: slices.Concat([]string{"mvn", "-Dtest=" + selection}, runOrder, []string{"test"}), Exact: own && sorted}
	switch {
	case !own:
		c.Why = "Surefire runs each class once, and its tests in the class's own order"
	case !sorted:
		c.Why = "Surefire runs classes sorted by name, forwards or backwards, and these are neither"
	}
	return c
}

// Gradle returns an order as a command for Gradle, which accepts a selection but no order.
func Gradle(o, original suite.Order) order.Command {
	_, own := Selection(o, original)
	c := order.Command{Args: []string{"./gradlew", "cleanTest", "test"}, Exact: own && len(Split(o)) < 2}
	for _, t := range o {
		name, method := Class(t), pattern(t)
		if method != "" {
			name += "." + method
		}
		c.Args = append(c.Args, "--tests", name)
	}
	if !c.Exact {
		c.Why = "Gradle itself chooses the order of classes and of the tests in a class"
	}
	return c
}

// TestTask returns the tasks with which Gradle runs a test task again, also if nothing has changed since
// it ran. path is the task's path in the build, such as ":web:test".
func TestTask(path string) []string {
	at := strings.LastIndexByte(path, ':')
	name := path[at+1:]
	first, n := utf8.DecodeRuneInString(name)
	return []string{path[:at+1] + "clean" + string(unicode.ToUpper(first)) + name[n:], path}
}
