package maven

import (
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/java/build"
	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/suite"
)

// surefire is the plug-in that can run chosen tests.
const surefire = "maven-surefire-plugin"

// InOrder returns arguments with which Surefire runs exactly these tests in this order.
func (p *Project) InOrder(l *build.Launch, o, original suite.Order) ([]string, bool) {
	selection, own := junitid.Selection(o, original)
	runOrder, sorted := junitid.RunOrder(o)
	if !own || !sorted || !selects(l, selection) {
		return nil, false
	}
	return p.chosen(l, selection, runOrder...), true
}

// Class returns arguments with which Surefire runs one class.
func (p *Project) Class(l *build.Launch, name string) []string {
	if !selects(l, name) {
		return nil
	}
	return p.chosen(l, name)
}

// Sorted returns arguments with which Surefire runs these tests, and JUnit 5 sorts them by a class
// of the tests. Without classes, Surefire has to run the classes in their order.
func (p *Project) Sorted(l *build.Launch, o suite.Order, by string, classes bool) ([]string, bool) {
	selection, once := junitid.Selection(o, o)
	order, ok := []string{"-Djunit.jupiter.testclass.order.default=" + by}, true
	if !classes {
		order, ok = junitid.RunOrder(o)
	}
	if !once || !ok || !selects(l, selection) {
		return nil, false
	}
	return p.chosen(l, selection, append(slices.Clone(order), "-Djunit.jupiter.testmethod.order.default="+by)...), true
}

// chosen returns the arguments for chosen tests. In a build of several modules, only one has them.
func (p *Project) chosen(l *build.Launch, selection string, more ...string) []string {
	args := append([]string{"-Dtest=" + selection}, more...)
	if l.Basedir != p.Copy(p.At.Root) {
		args = append(args, "-DfailIfNoTests=false", "-Dsurefire.failIfNoSpecifiedTests=false")
	}
	return args
}

// selects reports whether the plug-in can run the chosen tests.
func selects(l *build.Launch, selection string) bool {
	return l.Plugin == surefire && (!strings.Contains(selection, ",") || selectsMethodsOfClasses(*l))
}
