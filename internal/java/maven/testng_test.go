package maven

import (
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/java/build"
)

// A build may run JUnit and TestNG, one after the other. What is left out is noted.
func TestBesideTestNG(t *testing.T) {
	junit := build.Launch{Provider: "org.apache.maven.surefire.junit4.JUnit4Provider", Classes: []string{"a.A"}}
	testng := build.Launch{Provider: "org.apache.maven.surefire.testng.TestNGProvider", Classes: []string{"a.B", "a.C"}}
	both, err := withoutTestNG([]build.Launch{testng, junit})
	if err != nil || len(both) != 1 || len(both[0].Notes) != 1 || !strings.Contains(both[0].Notes[0], "also runs tests with TestNG") {
		t.Errorf("%+v, %v", both, err)
	}
	if one, err := withoutTestNG([]build.Launch{junit}); err != nil || len(one) != 1 || len(one[0].Notes) != 0 {
		t.Errorf("%+v, %v", one, err)
	}
	if _, err := withoutTestNG([]build.Launch{testng}); err == nil {
		t.Error("no error")
	}
}
