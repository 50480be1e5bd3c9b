package accept

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/jest/jestid"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/shell"
	"github.com/odfix/odfix/internal/suite"
)

// failing are the orders in which the test fails, the shortest one first. A command can show one.
func failing(t job.TestReport) []suite.Order {
	if t.Verdict == suite.Victim && len(t.MinimalOrder) > 0 {
		return []suite.Order{t.MinimalOrder}
	}
	var setter suite.Order
	var out []suite.Order
	if t.Verdict != suite.Victim {
		out = append(out, suite.Order{t.Test})
		if len(t.StateSetters) > 0 {
			setter = t.StateSetters[0]
		}
	}
	if len(t.Polluters) > 0 {
		out = append(out, suite.Join(setter, t.Polluters[0], suite.Order{t.Test}))
	}
	return out
}

// minimal is the shortest order of a test: the claimed one if it is made of the polluters and
// state-setters that the second runner runs before the test, else the first of these.
func minimal(t job.TestReport, claimed suite.Order) suite.Order {
	if !t.Verdict.OrderDependent() || len(t.Polluters)+len(t.StateSetters) == 0 {
		return claimed
	}
	own, setter := suite.Order{t.Test}, suite.Order(nil)
	known := []suite.Order{}
	if t.Verdict != suite.Victim {
		if len(t.StateSetters) > 0 {
			setter = t.StateSetters[0]
		}
		known = append(known, suite.Join(setter, own))
	}
	for _, p := range t.Polluters {
		known = append(known, suite.Join(setter, p, own))
	}
	if t.Verdict == suite.VictimBrittle && len(t.Polluters) > 0 {
		slices.Reverse(known) // with a polluter before it
	}
	if slices.ContainsFunc(known, func(o suite.Order) bool { return slices.Equal(o, claimed) }) {
		return claimed
	}
	if len(known) == 0 {
		return nil // a victim without a polluter
	}
	return known[0]
}

// command builds the command that reproduces the failure. Of the runner's command it takes only
// which of the known forms it has. If its words are others than those of the built command, there
// is no command.
func (a *acceptor) command(c job.Command, o suite.Order) (job.Command, bool) {
	words, ok := shell.Split(strings.TrimPrefix(cut(c.Line, maxText), javaHome(c.Line)))
	at := path.Join(a.scope.Dir, c.Dir)
	inside := c.Dir == "" || path.Clean(c.Dir) == "." || patch.Local(path.Clean(c.Dir))
	if !ok || len(o) == 0 || !inside || at != "." && (!patch.Local(at) || !a.sources.folder(at)) {
		return job.Command{}, false
	}
	build := a.maven
	switch {
	case a.scope.Language == Jest:
		build = a.npx
	case slices.Contains(words, "--tests"):
		build = a.gradle
	}
	built, what := build(at, words, o)
	if built == nil || !sameWords(built, words) {
		return job.Command{}, false
	}
	return job.Command{What: what, Dir: path.Clean(c.Dir), Line: shell.Line(built...), Exit: 1}, true
}

// javaHome is the beginning of a line that chooses the JDK of the runner's machine. It is left out.
func javaHome(line string) string {
	if i := strings.IndexByte(line, ' '); i > 0 && strings.HasPrefix(line, "JAVA_HOME=") {
		return line[:i+1]
	}
	return ""
}

func sameWords(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// option reports whether a command takes a word for an option, though it is the name of a file.
func option(word string) bool { return strings.HasPrefix(word, "-") }

// selected matches what Surefire's test property may hold in a command for people.
var selected = regexp.MustCompile(`^[\pL\pN\pM_$.#+*,-]+$`)

// tool is the beginning of a command: the build tool, or its wrapper in the sources, if that is what
// the words begin with.
func (a *acceptor) tool(at string, words []string, name, wrapper string) []string {
	out := []string{name}
	if words[0] == "sh" && len(words) > 1 {
		out, words = []string{"sh", name}, words[1:]
	}
	if w := words[0]; !option(w) && strings.HasSuffix(w, "/"+wrapper) && !path.IsAbs(w) && a.sources.regular(path.Join(at, w)) {
		out[len(out)-1] = path.Clean(w)
		if !strings.Contains(out[len(out)-1], "/") {
			out[len(out)-1] = "./" + wrapper
		}
	}
	return out
}

// testTask matches the path of a test task in a build of Gradle.
var testTask = regexp.MustCompile(`^(?::[\pL\pN_.-]+)*:(?:[\pL\pN_.-]*T|t)ests?$`)

// filtered matches what Gradle's --tests may hold in a command for people.
var filtered = regexp.MustCompile(`^[\pL\pN\pM_$.*]+$`)

// gradle is the command of Gradle for an order within one class. Gradle itself chooses the order of
// classes.
func (a *acceptor) gradle(at string, words []string, o suite.Order) ([]string, string) {
	if len(junitid.Split(o)) != 1 {
		return nil, ""
	}
	out := a.tool(at, words, "gradle", "gradlew")
	if slices.Contains(words, "--offline") && !slices.Contains(a.scope.Args, "--offline") {
		out = append(out, "--offline")
	}
	out = append(out, a.scope.Args...)
	i := slices.Index(words, "--tests")
	if i < 1 || !testTask.MatchString(words[i-1]) {
		return nil, ""
	}
	out = append(out, junitid.TestTask(words[i-1])...)
	args := junitid.Gradle(o, nil).Args
	for _, w := range args[slices.Index(args, "--tests"):] {
		if w != "--tests" && !filtered.MatchString(w) {
			return nil, ""
		}
		out = append(out, w)
	}
	return out, "fails with plain Gradle"
}

// maven is the command of Maven for an order. Words say whether the wrapper runs it, and which
// module it selects.
func (a *acceptor) maven(at string, words []string, o suite.Order) ([]string, string) {
	out := a.tool(at, words, "mvn", "mvnw")
	if slices.Contains(words, "-o") && !slices.Contains(a.scope.Args, "-o") {
		out = append(out, "-o")
	}
	out = append(out, a.scope.Args...)
	several := false
	if i := slices.Index(words, "-pl"); i >= 0 && i+1 < len(words) && !slices.Contains(a.scope.Args, "-pl") {
		module := words[i+1]
		if !patch.Local(module) || option(module) || !a.sources.regular(path.Join(at, module, "pom.xml")) {
			return nil, ""
		}
		out, several = append(out, "-pl", module, "-am"), true
	}
	selection, _ := junitid.Selection(o, nil)
	if !selected.MatchString(selection) {
		return nil, ""
	}
	out = append(out, "-Dtest="+selection)
	sorted, ok := junitid.RunOrder(o)
	if !ok {
		return nil, ""
	}
	out = append(out, sorted...)
	if several || slices.Contains(words, "-DfailIfNoTests=false") {
		out = append(out, "-DfailIfNoTests=false", "-Dsurefire.failIfNoSpecifiedTests=false")
	}
	return append(out, "test"), "fails with plain Maven"
}

// npx is the command of Jest for an order within one file.
func (a *acceptor) npx(at string, words []string, o suite.Order) ([]string, string) {
	file := jestid.File(o[0])
	if i := slices.Index(words, "--runTestsByPath"); i >= 0 && i+1 < len(words) && strings.HasSuffix("/"+file, "/"+words[i+1]) {
		file = words[i+1] // relative to the package
	}
	if !patch.Local(file) || option(file) || !a.sources.regular(path.Join(at, file)) {
		return nil, ""
	}
	var names []string
	for _, t := range o {
		if jestid.File(t) != jestid.File(o[0]) {
			return nil, ""
		}
		names = append(names, jestid.Escape(jestid.FullName(t)))
	}
	name := strings.Join(names, "|")
	if len(names) > 1 {
		name = "(" + name + ")"
	}
	what := "Jest runs it alone"
	if len(o) > 1 {
		what = "Jest runs it after the tests before it"
	}
	out := []string{"npx", "jest"}
	if i := slices.Index(words, "--config"); i >= 0 && i+1 < len(words) && !slices.Contains(a.scope.Args, "--config") {
		if c := words[i+1]; patch.Local(path.Clean(c)) && !option(c) && a.sources.regular(path.Join(at, c)) {
			out = append(out, "--config", c)
		}
	}
	out = append(out, a.scope.Args...)
	return append(out, "--runTestsByPath", file, "-t", "^"+name+"$"), what
}
