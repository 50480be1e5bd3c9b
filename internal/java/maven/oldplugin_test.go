package maven

import (
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

func TestTooOldPlugin(t *testing.T) {
	for version, want := range map[string]string{
		"2.5": "maven-surefire-plugin 2.5", "2.4.3": "maven-surefire-plugin 2.4.3", "1.0": "maven-surefire-plugin 1.0",
		"2.12": "", "2.12.4": "", "2.22.2": "", "3.0.0-M5": "", "3": "", "": "", "x.y": "",
	} {
		if got := tooOldPlugin([]*mojoRecord{{Plugin: "maven-surefire-plugin", Version: version}}); got != want {
			t.Errorf("%q: %q, want %q", version, got, want)
		}
	}
}
