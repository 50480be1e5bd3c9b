package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/odfix/odfix/internal/ci"
	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/jest/jestid"
	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/shell"
	"github.com/odfix/odfix/internal/suite"
)

// tool is the tool for which orders are printed.
type tool struct {
	command func(o, original suite.Order) order.Command
	group   func(suite.TestID) string // the class or file that the tool runs in one piece
}

var commands = map[string]*tool{
	"surefire": {junitid.Surefire, junitid.Launched}, "gradle": {junitid.Gradle, junitid.Launched}, "jest": {jestid.Jest, jestid.File},
}

// oneCommand prints the order of a file as a command.
func (o *orders) oneCommand(w world, s *suite.Suite) (int, error) {
	names, err := o.names()
	if err != nil {
		return exitUsage, usage("", "--order: %v", err)
	}
	tests := make(suite.Order, 0, len(names))
	original := s.Order()
	if len(original) > 0 {
		var unknown []string
		if tests, unknown = suite.NewResolver(s, o.syntax()).Expand(names); len(unknown) > 0 {
			return exitUsage, usage("", "--order: %d tests of %s are not in the suite; the first is %s", len(unknown), o.order, unknown[0])
		}
	} else {
		for _, t := range names {
			tests = append(tests, suite.TestID(t))
		}
	}
	if len(tests) == 0 {
		return exitUsage, usage("", "--order: %s holds no test", o.order)
	}
	text := o.cd() + o.command(tests, original)
	if len(original) == 0 && o.sameGroup(tests) {
		text = "# This is its order only if the tests of each class, or file, run so by themselves: where odfix is " +
			"given DIR or --suite, it checks whether they do.\n" + text
	}
	if _, err := fmt.Fprint(w.stdout, text); err != nil {
		return exitError, nil
	}
	return exitOK, nil
}

// names reads the order. It reads names of Jest's tests one per line, because they cannot be
// distinguished from other lines of a log.
func (o *orders) names() ([]string, error) {
	if o.as != "jest" {
		ev, err := ci.Order(o.order)
		return ev.Tests, err
	}
	text, err := os.ReadFile(o.order)
	if err != nil {
		return nil, err
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		if name := strings.TrimSpace(line); name != "" {
			names = append(names, name)
		}
	}
	return names, nil
}

// sameGroup reports whether two tests of one class or file are next to each other.
func (o *orders) sameGroup(tests suite.Order) bool {
	group := commands[o.as].group
	for i, t := range tests {
		if i > 0 && group(tests[i-1]) == group(t) {
			return true
		}
	}
	return false
}

// cd returns the command that changes to the folder in which the commands run; empty if it is this
// folder.
func (o *orders) cd() string {
	if o.dir == "" {
		return ""
	}
	return "cd " + shell.Quote(o.dir) + "\n"
}

// reactorName returns the module in the form of Maven's -pl: a folder, or coordinates, which begin
// with a colon if they have no group.
func (o *orders) reactorName() string {
	if info, err := os.Stat(filepath.Join(o.dir, o.module)); strings.ContainsAny(o.module, ":/") || err == nil && info.IsDir() {
		return o.module
	}
	return ":" + o.module
}

// command returns the order as a command for a shell. If the tool cannot run the order, a command
// that can follows.
func (o *orders) command(tests, original suite.Order) string {
	c := commands[o.as].command(tests, original)
	var b strings.Builder
	if c.File != "" {
		fmt.Fprintf(&b, "cat > %s <<'ODFIX_END'\n%sODFIX_END\n", shell.Quote(c.File), c.Text)
	}
	switch {
	case !c.Exact:
		fmt.Fprintf(&b, "# Not in this order: %s.\n", c.Why)
	case o.as == "surefire" && o.sameGroup(tests):
		b.WriteString("# Old versions of Surefire (such as 2.12.4) run the tests of a class in another order once " +
			"methods are named; odfix run --order does not.\n")
	}
	run := []string{"odfix", "run"}
	if o.module != "" {
		run = append(run, "--module", o.module)
		if o.as == "surefire" { // the modules that it needs have none of these tests, for which Surefire 2 has another switch
			c.Args = append(c.Args, "-pl", o.reactorName(), "-am", "-DfailIfNoTests=false", "-Dsurefire.failIfNoSpecifiedTests=false")
		}
	}
	for _, a := range o.buildArgs {
		run = append(run, "--build-arg="+a)
	}
	if o.as == "surefire" {
		c.Args = append(c.Args, o.buildArgs...)
	}
	b.WriteString(shell.Line(c.Args...) + "\n")
	if !c.Exact {
		b.WriteString("# In exactly this order (JUnit):\ncat > odfix-order.txt <<'ODFIX_END'\n")
		for _, t := range tests {
			b.WriteString(string(t) + "\n")
		}
		b.WriteString("ODFIX_END\n" + shell.Line(append(run, "--order", "odfix-order.txt")...) + "\n")
	}
	return b.String()
}
