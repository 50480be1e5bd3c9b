package main

import (
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

func TestByHand(t *testing.T) {
	original := suite.Order{"a.A#one", "a.A#two", "a.B#x", "a.B#y(int)", "a.C$In#deep", "a.D#p[0]"}
	for _, tt := range []struct {
		name  string
		order suite.Order
		want  string // arguments of the first attempt; "" for none
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
		if as := byHand(tt.order, original, []string{"junit-platform 1.10.2"}, "src/test/java"); len(as) > 0 {
			got = strings.Join(as[0].args, " ")
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestByHandWritesATestWhereSurefireCannotBeTold(t *testing.T) {
	o := suite.Order{"a.A#two", "a.A#one"}
	as := byHand(o, suite.Order{"a.A#one", "a.A#two"}, []string{"junit 4.12"}, "src/test/java")
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
