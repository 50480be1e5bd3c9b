package java

import (
	"fmt"
	"path"
	"strings"

	"github.com/odfix/odfix/internal/java/build"
	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/suite"
)

// ordering is the name of the class that makes JUnit 5 use the failing order.
const ordering = "OrderOfReproduction"

// byOrderer returns an attempt with a class that sorts the tests for JUnit 5. It reports false if
// this version of JUnit cannot use such a class, or if the order runs a class in two parts.
func byOrderer(b builder, l *build.Launch, o suite.Order, frameworks []string, sourceRoot string) (attempt, bool) {
	major, minor := platform(frameworks)
	methods, classes := major > 1 || minor >= 7, major > 1 || minor >= 8 // since Jupiter 5.7 and since 5.8
	if !methods {
		return attempt{}, false
	}
	args, ok := b.Sorted(l, o, ordering, classes)
	return attempt{
		what: ": writes a class that sorts the tests into this order, and removes the class afterwards",
		args: args, file: path.Join(sourceRoot, ordering+".java"), text: orderingText(o, classes),
	}, ok
}

// platform returns the version of the JUnit Platform, or 0.0 if the project does not use it.
func platform(frameworks []string) (major, minor int) {
	for _, f := range frameworks {
		if n, _ := fmt.Sscanf(f, "junit-platform %d.%d", &major, &minor); n == 2 {
			return major, minor
		}
	}
	return 0, 0
}

// orderingText returns the source of a class that sorts the tests into the order, and also their
// classes if JUnit supports that. The source is plain ASCII and Java 8.
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
