package java

import (
	"fmt"
	"path"
	"strings"

	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/suite"
)

// ordering is the class that gives JUnit 5 an order that neither Surefire nor the classes
// themselves would use.
const ordering = "OrderOfReproduction"

// byOrderer reproduces the order by a class by which JUnit 5 sorts tests. It is false where this
// JUnit has no such setting, or where the order returns to a class after another one.
func byOrderer(o suite.Order, frameworks []string, sourceRoot string) (attempt, bool) {
	selection, once := junitid.Selection(o, o)
	major, minor := platform(frameworks)
	methods, classes := major > 1 || minor >= 7, major > 1 || minor >= 8 // what Jupiter 5.7 and 5.8 brought
	if !once || !methods {
		return attempt{}, false
	}
	classOrder := []string{"-Djunit.jupiter.testclass.order.default=" + ordering}
	if !classes {
		var ok bool
		if classOrder, ok = junitid.RunOrder(o); !ok {
			return attempt{}, false
		}
	}
	return attempt{
		what: "fails with plain Maven: writes a class that puts the tests in this order, and removes it",
		args: append(append([]string{"-Dtest=" + selection}, classOrder...), "-Djunit.jupiter.testmethod.order.default="+ordering),
		file: path.Join(sourceRoot, ordering+".java"), text: orderingText(o, classes),
	}, true
}

// platform is the version of the JUnit Platform; zero where it is not there.
func platform(frameworks []string) (major, minor int) {
	for _, f := range frameworks {
		if n, _ := fmt.Sscanf(f, "junit-platform %d.%d", &major, &minor); n == 2 {
			return major, minor
		}
	}
	return 0, 0
}

// orderingText is a class that sorts tests as the order has them and, where JUnit supports it,
// their classes. It is plain ASCII and Java 8.
func orderingText(o suite.Order, classes bool) string {
	var list, more string
	for i, t := range o {
		if i > 0 {
			list += ","
		}
		list += "\n      " + javaString(junitid.Class(t)+"#"+junitid.MethodName(t))
	}
	interfaces := []string{"MethodOrderer"}
	if classes {
		interfaces = append(interfaces, "ClassOrderer")
		more = `
  @Override public void orderClasses(ClassOrdererContext context) {
    context.getClassDescriptors().sort(Comparator.comparingInt(c -> place(c.getTestClass().getName() + "#")));
  }
`
	}
	return `import java.util.*;
import org.junit.jupiter.api.*;

public class ` + ordering + " implements " + strings.Join(interfaces, ", ") + ` {
  private static final List<String> ORDER = Arrays.asList(` + list + `);

  private static int place(String start) {
    for (int i = 0; i < ORDER.size(); i++) if (ORDER.get(i).startsWith(start)) return i;
    return ORDER.size();
  }

  @Override public void orderMethods(MethodOrdererContext context) {
    String type = context.getTestClass().getName();
    context.getMethodDescriptors().sort(Comparator.comparingInt(m -> ORDER.indexOf(type + "#" + m.getMethod().getName())));
  }
` + more + `}
`
}
