package maven

import (
	"slices"
	"testing"
)

func TestHarmfulArguments(t *testing.T) {
	for _, a := range []string{
		"-q", "-o", "-Pfast", "-Pci,!slow", "-T2C", "-DskipITs", "-Dcheckstyle.skip=true", "-Denv=test", "-Dversion=1.2.3",
	} {
		if got := Harmful([]string{a}); len(got) > 0 {
			t.Errorf("%s is refused", a)
		}
	}
	for _, a := range []string{
		"-s", "settings.xml", "-f", "../pom.xml", "-Dmaven.ext.class.path=x.jar", "-Dmaven.ext.class.path",
		"-DargLine=x", "-DargLine=-javaagent:x.jar",
		"-Djvm=evil", "-Dexec.executable=sh", "-Dmaven.repo.local=x", "-Dx=/tmp/y", "-Dx=a b", "-Dx=${y}",
		"exec:exec", "clean", "@args", "-Dgoal=x",
		"-Drepo.url=x", "", "-", "-P", "-D",
	} {
		if got := Harmful([]string{"-q", a}); !slices.Equal(got, []string{a}) {
			t.Errorf("%q is taken from a report", a)
		}
	}
}
