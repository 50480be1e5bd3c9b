package java

import (
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/suite"
)

// Origin implements project.Observer.
func (p *Project) Origin(place string, t suite.TestID) project.Origin { return origin(place, t) }

// Unobserved implements project.Observer.
func (p *Project) Unobserved() string {
	return "What test frameworks, mocks and logging libraries keep in static fields is not observed."
}

// contextCache holds the contexts of all tests so far, and so the project's beans, in Spring 4.3 to
// 7.0.
const contextCache = "org.springframework.test.context.cache.DefaultCacheAwareContextLoaderDelegate.defaultContextCache"

func origin(place string, t suite.TestID) project.Origin {
	class := classOf(t)
	if _, process := processState[place]; process || strings.HasPrefix(place, propertyPlace) {
		return project.Process
	}
	switch at := strings.LastIndexByte(place, '.'); {
	case place == contextCache:
		return project.Container
	case at > 0 && (class == place[:at] || strings.HasPrefix(class, place[:at]+"$")):
		return project.OwnGroup
	case related(place, class):
		return project.Own
	}
	return project.Library
}

// related reports whether both names begin with the same two packages, as names of one organisation
// do.
func related(a, b string) bool {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	n := min(2, len(x)-1, len(y)-1)
	return n > 0 && slices.Equal(x[:n], y[:n])
}

// classOf returns the binary name of the class that holds the test, without the suites that ran it.
func classOf(t suite.TestID) string {
	unit := junitid.Class(t)
	return unit[strings.LastIndexByte(unit, '>')+1:]
}

// topLevel returns the outermost class that holds the test. Its source file holds the test.
func topLevel(t suite.TestID) string {
	c, _, _ := strings.Cut(classOf(t), "$")
	return c
}

// methodOf returns the method with its parameters or the number of its invocation.
func methodOf(t suite.TestID) string { return junitid.Method(t) }
