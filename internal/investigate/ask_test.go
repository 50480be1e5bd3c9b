package investigate

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/ci"
	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/suite"
)

func TestMavenFlags(t *testing.T) {
	for command, want := range map[string]string{
		"mvn -B verify -Pfast -DskipITs":             "-B -Pfast -DskipITs",
		"./mvnw -P fast,slow -pl core -am test -T 2": "-P fast,slow -T 2",
		"mvn --file=other/pom.xml -f x -D a=b test":  "-D a=b",
		"gradle test -Pfast":                         "",
		"mvn":                                        "",
		"mvn -P":                                     "-P",
		"":                                           "",
	} {
		var words []config.Word
		for _, w := range strings.Fields(command) {
			words = append(words, config.Word(w))
		}
		if got := strings.Join(mavenFlags(words), " "); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

func TestProjectIn(t *testing.T) {
	for name, c := range map[string]struct{ files, want string }{
		"at the top":              {"pom.xml core/pom.xml core/src/test/java/a/BTest.java", "."},
		"below":                   {"README java/pom.xml java/src/test/java/a/BTest.java", "java"},
		"of several, by the test": {"one/pom.xml two/pom.xml two/core/src/test/java/a/BTest.java", "two"},
		"none":                    {"README", "."},
		"none of ours":            {".hidden/pom.xml src/pom.xml a/b/c/d/e/pom.xml", "."},
	} {
		root := t.TempDir()
		for _, f := range strings.Fields(c.files) {
			path := filepath.Join(root, f)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, _ := filepath.Rel(root, projectIn(root, []string{"a.BTest$Inner#works"})); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestBestEvidence: the best order, and the failing tests of its module from every source.
func TestBestEvidence(t *testing.T) {
	run := github.Run{ID: 1, Event: "pull_request"}
	g := gathering{found: []sourced{
		{ci.Evidence{Provenance: suite.Partial, Source: "log", Tests: []string{"a.A", "a.B", "b.C"}, Failed: []string{"a.B#x", "b.C#y"},
			Parts: []ci.Part{{Module: "a", Tests: []string{"a.A", "a.B"}, Failed: []string{"a.B#x"}},
				{Module: "b", Tests: []string{"b.C"}, Failed: []string{"b.C#y"}}}}, redJob{"test", "u"}, run, ""},
		{ci.Evidence{Provenance: suite.Exact, Source: "reports", Tests: []string{"a.A#m", "a.A#n", "a.B#x"},
			Failed: []string{"a.B#x"}}, redJob{"test", ""}, run, ""},
		{ci.Evidence{Provenance: suite.Exact, Source: "other reports", Tests: []string{"a.B#x", "a.A#n", "a.A#m"},
			Failed: []string{"a.A#m"}}, redJob{"other", ""}, run, ""},
	}}
	ev := g.best()
	if !slices.Equal(ev.Tests, []string{"a.B#x", "a.A#m"}) || !slices.Equal(ev.Spare, []string{"b.C#y"}) ||
		ev.Order.Source != "reports" || ev.Order.Provenance != "exact" || ev.Event != "pull_request" || len(ev.Jobs) != 2 {
		t.Errorf("%+v %+v", ev, ev.Order)
	}
	if len(ev.Notes) != 1 || !strings.Contains(ev.Notes[0], "another module") {
		t.Errorf("%q", ev.Notes)
	}
}

// TestEvidenceOfSeveralTools: what odfix can run is worth more than what it cannot.
func TestEvidenceOfSeveralTools(t *testing.T) {
	jest := sourced{ev: ci.Evidence{Tool: ci.Jest, Provenance: suite.Partial, Tests: []string{"a.test.js"},
		Failed: []string{"a.test.js#x"}}, job: redJob{Name: "web"}}
	maven := sourced{ev: ci.Evidence{Provenance: suite.Inferred, Tests: []string{"a.B"}, Failed: []string{"a.B#x"}},
		job: redJob{Name: "java"}, merged: "m"}
	if ev := (&gathering{found: []sourced{jest, maven}}).best(); ev.Tool != "" ||
		!slices.Equal(ev.Tests, []string{"a.B#x"}) || ev.Merged != "m" {
		t.Errorf("%+v", ev)
	}
	if ev := (&gathering{found: []sourced{jest}}).best(); ev.Tool != ci.Jest {
		t.Errorf("%+v", ev)
	}
}

func TestNewestRunOfEachWorkflow(t *testing.T) {
	got := newestFirst([]github.Run{{ID: 1, Path: "a", Event: "push"}, {ID: 3, Path: "a", Event: "push"},
		{ID: 2, Path: "a", Event: "pull_request"}, {ID: 4, Path: "b", Event: "push"}})
	if len(got) != 3 || got[0].ID != 4 || got[1].ID != 3 || got[2].ID != 2 {
		t.Errorf("%+v", got)
	}
}
