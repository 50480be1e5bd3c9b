package maven

import "testing"

// TestHintNamesTheBuild: what an offline build lacks comes with the command that odfix runs, mostly mvnw's.
func TestHintNamesTheBuild(t *testing.T) {
	p := open(t, tinyProject(t), t.TempDir(), Options{Offline: true, Args: []string{"-Pfast"}})
	p.maven.Typed = "./mvnw"
	err := p.inCheckoutTerms(&Error{Code: CodeNetwork, Hint: "Run the project's build once with a network, then odfix again; or leave out --offline."})
	want := "Run `./mvnw -Pfast test` once with a network, then odfix again; or leave out --offline."
	if got := err.(*Error).Hint; got != want {
		t.Errorf("%s", got)
	}
}
