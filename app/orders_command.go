package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/odfix/odfix/internal/ci"
	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/shell"
	"github.com/odfix/odfix/internal/suite"
)

// commands turn an order into a build tool's arguments.
var commands = map[string]func(o, original suite.Order) order.Command{
	"surefire": order.Surefire, "gradle": order.Gradle, "jest": order.Jest,
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
		if tests, unknown = suite.NewResolver(s).Expand(names); len(unknown) > 0 {
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
	if _, err := fmt.Fprint(w.stdout, commandText(commands[o.as](tests, original), tests)); err != nil {
		return exitError, nil
	}
	return exitOK, nil
}

// names reads the order. Files and describe blocks of Jest have names like
// nothing that a log could be told by, so that they are read line by line.
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

// commandText is a command as a person pastes it into a shell. Where the tool
// cannot be told the order, what can run it exactly follows.
func commandText(c order.Command, o suite.Order) string {
	var b strings.Builder
	if c.File != "" {
		fmt.Fprintf(&b, "cat > %s <<'ODFIX_END'\n%sODFIX_END\n", shell.Quote(c.File), c.Text)
	}
	if !c.Exact {
		fmt.Fprintf(&b, "# Not in this order: %s.\n", c.Why)
	}
	for i, a := range c.Args {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(shell.Quote(a))
	}
	b.WriteByte('\n')
	if !c.Exact {
		b.WriteString("# In exactly this order (JUnit):\ncat > odfix-order.txt <<'ODFIX_END'\n")
		for _, t := range o {
			b.WriteString(string(t) + "\n")
		}
		b.WriteString("ODFIX_END\nodfix run --order odfix-order.txt\n")
	}
	return b.String()
}
