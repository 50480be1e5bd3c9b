package java

import (
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/suite"
)

// The name of the test class that runs other tests in an order that Surefire cannot use.
const (
	reproduction       = "OrderReproductionTest"
	reproductionMethod = "order"
)

// IsReproduction reports whether a test is the one with which a command of odfix shows a failing
// order.
func IsReproduction(test string) bool { return strings.HasPrefix(test, reproduction+"#") }

// reproductionText returns a JUnit 4 test that runs each test of the order by itself. It fails only
// if the last of them fails, with the same exception. It passes if a class cannot be loaded. It is
// plain ASCII and Java 5, so that it compiles under any project's settings.
func reproductionText(o suite.Order) string {
	var tests strings.Builder
	for _, t := range o {
		class := junitid.Class(t)
		if i := strings.LastIndexByte(class, '>'); i >= 0 {
			class = class[i+1:]
		}
		fmt.Fprintf(&tests, "      {%s, %s},\n", javaString(class), javaString(junitid.Method(t)))
	}
	return "public class " + reproduction + ` {
  @org.junit.Test public void ` + reproductionMethod + `() throws Throwable {
    String[][] order = {
` + tests.String() + `    };
    org.junit.runner.Result last = null;
    for (String[] test : order) {
      Class<?> type;
      try { type = Class.forName(test[0]); } catch (ClassNotFoundException e) { return; }
      last = new org.junit.runner.JUnitCore().run(org.junit.runner.Request.method(type, test[1]));
    }
    for (org.junit.runner.notification.Failure failure : last.getFailures())
      if (order[order.length - 1][1].equals(failure.getDescription().getMethodName())) throw failure.getException();
  }
}
`
}

// javaString returns s as a Java string literal in plain ASCII. Java knows fewer escapes than Go,
// and reads \u before anything else. \u000a would end the line, so line breaks use \n and \r.
func javaString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r >= ' ' && r < 0x7f:
			b.WriteRune(r)
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		}
	}
	b.WriteByte('"')
	return b.String()
}
