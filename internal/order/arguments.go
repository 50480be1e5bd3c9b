package order

import (
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/suite"
)

// Command is a way to run an order with a build tool alone.
type Command struct {
	File string   // a file to be written first; empty: none
	Text string   // what it holds
	Args []string // the command and its arguments, for a shell to quote
	// Exact is false where the tool cannot be told the whole order; Why says
	// what it decides for itself.
	Exact bool
	Why   string
}

// Selection is an order as a value of Surefire's test property. Surefire runs
// each class once and its tests in the class's own order (that of original, or
// unknown where original is empty); false where the order asks for something else.
func Selection(o, original suite.Order) (string, bool) {
	at := places(original)
	seen := map[string]bool{}
	own := true
	var parts []string
	for _, visit := range suite.ByVisit(o) {
		class := visit[0].Visit()
		own = own && !seen[class] && !strings.Contains(visit[0].Class(), ">")
		seen[class] = true
		last := -1
		var methods []string
		for _, t := range visit {
			i, known := at[t]
			own = own && t.Class() == class && (len(original) == 0 || known && i > last)
			last = i
			methods = append(methods, pattern(t))
		}
		parts = append(parts, class+"#"+strings.Join(methods, "+"))
	}
	return strings.Join(parts, ","), own
}

// pattern selects the test's method: with all its runs, where it is one of several.
func pattern(t suite.TestID) string {
	name := t.MethodName()
	if name != t.Method() {
		name += "*"
	}
	return name
}

func places(o suite.Order) map[suite.TestID]int {
	at := make(map[suite.TestID]int, len(o))
	for i, t := range o {
		at[t] = i
	}
	return at
}

func byVisit(a, b suite.Order) int { return strings.Compare(a[0].Visit(), b[0].Visit()) }

// Surefire is an order for Maven. Surefire sorts classes by name, forwards or
// backwards; what is neither cannot be said to it.
func Surefire(o, original suite.Order) Command {
	selection, own := Selection(o, original)
	c := Command{Args: []string{"mvn", "-Dtest=" + selection}, Exact: own}
	visits := suite.ByVisit(o)
	switch {
	case len(visits) < 2:
	case slices.IsSortedFunc(visits, byVisit):
		c.Args = append(c.Args, "-Dsurefire.runOrder=alphabetical")
	case slices.IsSortedFunc(visits, func(a, b suite.Order) int { return byVisit(b, a) }):
		c.Args = append(c.Args, "-Dsurefire.runOrder=reversealphabetical")
	default:
		c.Exact, c.Why = false, "Surefire runs classes sorted by name, forwards or backwards, and these are neither"
	}
	c.Args = append(c.Args, "test")
	if !own {
		c.Why = "Surefire runs each class once, and its tests in the class's own order"
	}
	return c
}

// Gradle is an order for Gradle, which takes a selection and no order.
func Gradle(o, original suite.Order) Command {
	_, own := Selection(o, original)
	c := Command{Args: []string{"./gradlew", "cleanTest", "test"}, Exact: own && len(suite.ByVisit(o)) < 2}
	for _, t := range o {
		name, method := t.Class(), pattern(t)
		if method != "" {
			name += "." + method
		}
		c.Args = append(c.Args, "--tests", name)
	}
	if !c.Exact {
		c.Why = "Gradle chooses the order of classes, and that of the tests in a class, itself"
	}
	return c
}

// sequencer is the file by which Jest is told an order of files.
const sequencer = "odfix-sequencer.cjs"

// Jest is an order for Jest: files by a sequencer, in one process, the tests of
// a file (FILE#NAME, the name with those of its describe blocks) in its own order.
func Jest(o, original suite.Order) Command {
	at, seen, last := places(original), map[string]bool{}, -1
	c := Command{File: sequencer, Exact: true}
	var files, names []string
	for i, t := range o {
		place, known := at[t]
		again := i == 0 || t.Class() != o[i-1].Class()
		if again {
			c.Exact = c.Exact && !seen[t.Class()]
			seen[t.Class()] = true
			files = append(files, t.Class())
		} else if len(original) > 0 && (!known || place < last) {
			c.Exact = false
		}
		last = place
		if t.Method() != "" {
			names = append(names, escape(t.Method()))
		}
	}
	if !c.Exact {
		c.Why = "Jest runs each file once, and its tests in the file's own order"
	}
	c.Text = sequencerText(files)
	c.Args = append([]string{"npx", "jest", "--runInBand", "--testSequencer=./" + sequencer, "--runTestsByPath"}, files...)
	if len(names) > 0 {
		c.Args = append(c.Args, "-t", "^("+strings.Join(names, "|")+")$")
	}
	return c
}

// escape makes a name a regular expression of JavaScript that fits just it.
func escape(name string) string {
	var b strings.Builder
	for _, r := range name {
		if strings.ContainsRune(`\^$.|?*+()[]{}/`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func sequencerText(files []string) string {
	var b strings.Builder
	b.WriteString("const Sequencer = require('@jest/test-sequencer').default;\nconst files = [\n")
	for _, f := range files {
		b.WriteString("  " + javaScript(f) + ",\n")
	}
	b.WriteString("];\nconst place = (t) => files.findIndex((f) => t.path.replaceAll('\\\\', '/').endsWith('/' + f));\n" +
		"module.exports = class extends Sequencer {\n  sort(tests) { return [...tests].sort((a, b) => place(a) - place(b)); }\n};\n")
	return b.String()
}

// javaScript is a string literal.
func javaScript(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`, "\r", `\r`, "\u2028", `\u2028`, "\u2029", `\u2029`).Replace(s) + "'"
}
