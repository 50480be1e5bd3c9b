package maven

import (
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/java/build"
)

func TestSelectsMethodsOfClasses(t *testing.T) {
	for version, want := range map[string]bool{"2.12.4": false, "2.18.1": false, "2.19": true, "2.22.2": true, "3.0.0-M5": true, "": true} {
		if got := selectsMethodsOfClasses(build.Launch{Version: version}); got != want {
			t.Errorf("%q: %v, want %v", version, got, want)
		}
	}
}

// A test plugin older than 2.12 is raised for odfix's run, and the launch says so.
func TestRaisedPlugin(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs Maven several times")
	}
	needMaven(t)
	_, launches := mustRecord(t, "surefire-2.12-junit3.txt", build.Options{Args: []string{"-Dsurefire=2.4.3"}}, 1)
	l := launches[0]
	if got := sorted(l.Classes); got != "a.TestOne a.TwoTest" || l.Version != "2.12.4" {
		t.Errorf("classes %s, version %s", got, l.Version)
	}
	want := "The pom has maven-surefire-plugin 2.4.3, which is too old for odfix, so odfix runs these tests as version 2.12.4 does."
	if !slices.Contains(l.Notes, want) {
		t.Errorf("notes %q", l.Notes)
	}
	starts(t, l)
}
