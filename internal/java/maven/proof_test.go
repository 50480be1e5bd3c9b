package maven

import (
	"testing"

	"github.com/odfix/odfix/internal/java/build"
)

// TestHintNamesTheBuild: what an offline build lacks comes with the command that odfix runs, mostly mvnw's.
func TestHintNamesTheBuild(t *testing.T) {
	p := open(t, tinyProject(t), t.TempDir(), build.Options{Offline: true, Args: []string{"-Pfast"}})
	p.maven.Typed = "./mvnw"
	err := p.inCheckoutTerms(&build.Error{Code: build.CodeNetwork, Hint: "Run the project's build once with a network, then odfix again; or leave out --offline."})
	want := "Run `./mvnw -Pfast test` once with a network, then odfix again; or leave out --offline."
	if got := err.(*build.Error).Hint; got != want {
		t.Errorf("%s", got)
	}
}
