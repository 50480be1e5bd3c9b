package java

import (
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/java/build"
	"github.com/odfix/odfix/internal/java/maven"
	"github.com/odfix/odfix/internal/suite"
)

// surefire is a build of one module, and surefires how it starts its tests.
var (
	surefire  = &maven.Project{Workspace: &build.Workspace{}}
	surefires = &build.Launch{Plugin: "maven-surefire-plugin", Version: "3.2.5", Basedir: surefire.Copy("")}
)

func TestReproductions(t *testing.T) {
	original := suite.Order{"a.A#one", "a.A#two", "a.B#x", "a.B#y(int)", "a.C$In#deep", "a.D#p[0]"}
	for _, tt := range []struct {
		name  string
		order suite.Order
		want  string // arguments of the first attempt; "" for no attempt
	}{
		{"a test alone", suite.Order{"a.A#two"}, "-Dtest=a.A#two"},
		{"one class in its own order", suite.Order{"a.A#one", "a.A#two"}, "-Dtest=a.A#one+two"},
		{"one class, not in its own order", suite.Order{"a.A#two", "a.A#one"}, ""},
		{"two classes", suite.Order{"a.A#two", "a.B#x"}, "-Dtest=a.A#two,a.B#x -Dsurefire.runOrder=alphabetical"},
		{"two classes backwards", suite.Order{"a.B#x", "a.A#two"}, "-Dtest=a.B#x,a.A#two -Dsurefire.runOrder=reversealphabetical"},
		{"a class twice", suite.Order{"a.A#one", "a.B#x", "a.A#two"}, ""},
		{"parameters", suite.Order{"a.B#y(int)"}, "-Dtest=a.B#y*"},
		{"a nested class", suite.Order{"a.C$In#deep"}, ""},
	} {
		got := ""
		if as := reproductions(surefire, surefires, tt.order, original, []string{"junit-platform 1.6.2"}, "src/test/java"); len(as) > 0 {
			got = strings.Join(as[0].args, " ")
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestReproductionsWritesATestForOrdersOutsideSurefire(t *testing.T) {
	o := suite.Order{"a.A#two", "a.A#one"}
	as := reproductions(surefire, surefires, o, suite.Order{"a.A#one", "a.A#two"}, []string{"junit 4.12"}, "src/test/java")
	if len(as) != 1 {
		t.Fatalf("%d attempts", len(as))
	}
	script := as[0].script("mvn test -Dtest=OrderReproductionTest", "lib")
	for _, part := range []string{"cat > lib/src/test/java/OrderReproductionTest.java <<'END'", `{"a.A", "two"}`, "trap 'rm -f lib/src"} {
		if !strings.Contains(script, part) {
			t.Errorf("%q is missing in:\n%s", part, script)
		}
	}
}

// TestReproductionsSortsTestsOfJUnit5 checks orders in which Surefire and the classes would not run
// the tests.
func TestReproductionsSortsTestsOfJUnit5(t *testing.T) {
	original := suite.Order{"a.A#one", "a.A#two(int)", "a.B#x", "a.C#y"}
	const methods = " -Djunit.jupiter.testmethod.order.default=OrderOfReproduction"
	const classes = " -Djunit.jupiter.testclass.order.default=OrderOfReproduction"
	for _, tt := range []struct {
		platform string
		order    suite.Order
		want     string // arguments of the attempt; "" for no attempt
		text     []string
	}{
		{"1.10.2", suite.Order{"a.A#two(int)", "a.A#one"}, "-Dtest=a.A#two*+one" + classes + methods,
			[]string{`"a.A#two",`, `"a.A#one");`, "orderClasses"}},
		{"1.10.2", suite.Order{"a.C#y", "a.A#one", "a.B#x"}, "-Dtest=a.C#y,a.A#one,a.B#x" + classes + methods, []string{`"a.C#y",`}},
		{"6.0.0", suite.Order{"a.A#two(int)", "a.A#one"}, "-Dtest=a.A#two*+one" + classes + methods, nil},
		{"1.7.2", suite.Order{"a.B#x", "a.A#one"}, "-Dtest=a.B#x,a.A#one -Dsurefire.runOrder=reversealphabetical" + methods,
			[]string{"implements MethodOrderer {"}},
		{"1.7.2", suite.Order{"a.C#y", "a.A#one", "a.B#x"}, "", nil},
		{"1.6.2", suite.Order{"a.A#two(int)", "a.A#one"}, "", nil},
		{"1.10.2", suite.Order{"a.A#two(int)", "a.B#x", "a.A#one"}, "", nil}, // the order runs a.A in two parts
	} {
		a, ok := byOrderer(surefire, surefires, tt.order, []string{"junit-platform " + tt.platform, "junit 4.13.2"}, "src/test/java")
		if got := strings.Join(a.args, " "); got != tt.want || ok != (tt.want != "") {
			t.Errorf("%s, %v: %q, want %q", tt.platform, tt.order, got, tt.want)
		}
		for _, part := range tt.text {
			if !strings.Contains(a.text, part) {
				t.Errorf("%s, %v: %s is missing in:\n%s", tt.platform, tt.order, part, a.text)
			}
		}
		if classes := strings.Contains(a.text, "ClassOrderer"); classes && tt.platform == "1.7.2" {
			t.Error("Jupiter 5.7 has no ClassOrderer")
		}
	}
	as := reproductions(surefire, surefires, suite.Order{"a.A#two(int)", "a.A#one"}, original, []string{"junit-platform 1.10.2"}, "src/test/java")
	if len(as) != 1 || as[0].file != "src/test/java/OrderOfReproduction.java" {
		t.Errorf("attempts: %+v", as)
	}
}

// TestReproductionsSortsNoTestsOfJUnit4 checks that no orderer is written for tests that ignore it,
// nor without Jupiter, which it needs to compile.
func TestReproductionsSortsNoTestsOfJUnit4(t *testing.T) {
	info := harness.Info{Frameworks: []string{"junit-platform 1.10.2", "junit-vintage", "junit 4.13.2"},
		Classes: []harness.Class{{Name: "a.Old", Framework: "junit4"}, {Name: "a.New", Framework: "platform"}}}
	for _, tt := range []struct {
		order   suite.Order
		jupiter bool
		want    bool
	}{
		{suite.Order{"a.New#two", "a.New#one"}, true, true},
		{suite.Order{"a.New#two", "a.New#one"}, false, false},
		{suite.Order{"a.New#two", "a.Old#one"}, true, false},
	} {
		if got := has(withoutOthers(info, tt.order, tt.jupiter), "junit-platform"); got != tt.want {
			t.Errorf("%v, Jupiter %v: the Platform %v", tt.order, tt.jupiter, got)
		}
	}
}

// A later build would run the compiled class, so the script removes it, too.
func TestReproductionScriptRemovesWhatWasCompiled(t *testing.T) {
	a := attempt{file: "src/test/java/X.java", bin: "target/test-classes/X.class"}
	if script := a.script("mvn test", "lib"); !strings.Contains(script, "rm -f lib/src/test/java/X.java lib/target/test-classes/X.class") {
		t.Error(script)
	}
}
