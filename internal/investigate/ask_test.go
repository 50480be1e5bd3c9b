package investigate

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/ci"
	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/suite"
)

func TestFlags(t *testing.T) {
	for command, want := range map[string]string{
		"mvn -B verify -Pfast -DskipITs":             "-B -Pfast -DskipITs",
		"./mvnw -P fast,slow -pl core -am test -T 2": "-P fast,slow -T 2",
		"mvn --file=other/pom.xml -f x -D a=b test":  "-D a=b",
		"gradle test -Pfast":                         "none of it",
		"mvn":                                        "",
		"mvn -P":                                     "-P",
		"":                                           "",
	} {
		checkFlags(t, command, want, "", mavenFlags)
	}
	for command, want := range map[string]string{
		"npx jest --config ci.config.js -i":                       "--config ci.config.js -i",
		"node node_modules/jest/bin/jest.js --selectProjects web": "--selectProjects web",
		"npm test -- --maxWorkers=2":                              "--maxWorkers=2",
		"yarn test":                                               "",
		"vitest run":                                              "none of it",
	} {
		checkFlags(t, command, want, ci.Jest, jestFlags)
	}
}

func checkFlags(t *testing.T, command, want string, tool ci.Tool, read func([]string) ([]string, bool)) {
	t.Helper()
	var words []config.Word
	for _, w := range strings.Fields(command) {
		words = append(words, config.Word(w))
	}
	r := running{ev: evidence{Tool: tool}}
	got := strings.Join(r.flags(words, read), " ")
	if len(r.ev.Notes) > 0 {
		got += "none of it"
	}
	if got != want {
		t.Errorf("%s: %q, want %q, notes %q", command, got, want, r.ev.Notes)
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
		if got := projectIn(os.DirFS(root), []string{"a.BTest$Inner#works"}); got != c.want {
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
				{Module: "b", Tests: []string{"b.C"}, Failed: []string{"b.C#y"}}}}, redJob{"test", "u"}, run, "", 0},
		{ci.Evidence{Provenance: suite.Exact, Source: "reports", Tests: []string{"a.A#m", "a.A#n", "a.B#x"},
			Failed: []string{"a.B#x"}}, redJob{"test", ""}, run, "", 0},
		{ci.Evidence{Provenance: suite.Exact, Source: "other reports", Tests: []string{"a.B#x", "a.A#n", "a.A#m"},
			Failed: []string{"a.A#m"}}, redJob{"other", ""}, run, "", 0},
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

// TestEvidenceOfSeveralTools: what odfix can run is worth more than what it cannot; then the better
// order decides. Tests of the other language are left to their own.
func TestEvidenceOfSeveralTools(t *testing.T) {
	gradle := sourced{ev: ci.Evidence{Tool: ci.Gradle, Provenance: suite.Exact, Tests: []string{"a.B"},
		Failed: []string{"a.B#x"}}, job: redJob{Name: "g"}}
	jest := sourced{ev: ci.Evidence{Tool: ci.Jest, Provenance: suite.Partial, Tests: []string{"a.test.js"},
		Failed: []string{"a.test.js#x"}}, job: redJob{Name: "web"}}
	maven := sourced{ev: ci.Evidence{Provenance: suite.Inferred, Tests: []string{"a.B"}, Failed: []string{"a.B#x"}},
		job: redJob{Name: "java"}, merged: "m"}
	if ev := (&gathering{found: []sourced{gradle, maven}}).best(); ev.Tool != "" ||
		!slices.Equal(ev.Tests, []string{"a.B#x"}) || ev.Merged != "m" {
		t.Errorf("%+v", ev)
	}
	if ev := (&gathering{found: []sourced{gradle}}).best(); ev.Tool != ci.Gradle {
		t.Errorf("%+v", ev)
	}
	ev := (&gathering{found: []sourced{maven, gradle, jest}}).best()
	if ev.Tool != ci.Jest || !slices.Equal(ev.Tests, []string{"a.test.js#x"}) || !slices.Equal(ev.Spare, []string{"a.B#x"}) {
		t.Errorf("%+v", ev)
	}
}

// TestSourcesOfJest: a log, jest-junit and `jest --json` name one test in three ways.
func TestSourcesOfJest(t *testing.T) {
	of := func(p suite.Provenance, tests, failed string) sourced {
		return sourced{ev: ci.Evidence{Tool: ci.Jest, Provenance: p, Tests: strings.Split(tests, ","), Failed: strings.Split(failed, ",")}}
	}
	log := of(suite.Partial, "a.test.js,b.test.js", "a.test.js#x › y")
	junit := of(suite.Inferred, "x y,z", "x y,z")
	results := of(suite.Exact, "web/a.test.js#z,web/a.test.js#x › y", "web/a.test.js#x › y")
	for _, found := range [][]sourced{{log, junit, results}, {junit, results, log}} {
		ev := (&gathering{found: found}).best()
		if !slices.Equal(ev.Tests, []string{"web/a.test.js#x › y", "z"}) || len(ev.Spare) > 0 || ev.Order.Provenance != suite.Exact {
			t.Errorf("%+v", ev)
		}
	}
}

// TestIgnoredJest: an entry of .odfix.yml is for a test by any name that CI has for it.
func TestIgnoredJest(t *testing.T) {
	now := time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC)
	cfg := config.Config{Ignore: []config.Ignore{{Test: "web/a.test.js#x › y", Until: "2026-05-04"}, {Test: "b.test.js", Until: "2026-05-04"},
		{Test: "c.test.js#old", Until: "2026-05-03"}}}
	ev := evidence{Tool: ci.Jest, Tests: []string{"a.test.js#x › y", "x y", "b.test.js#z", "c.test.js#old", "old", "d.test.js#x › y"}}
	ev.leaveOut(cfg, now)
	if want := []string{"c.test.js#old", "old", "d.test.js#x › y"}; !slices.Equal(ev.Tests, want) {
		t.Errorf("%q", ev.Tests)
	}
}

func TestPackageIn(t *testing.T) {
	const jest, none = `{"scripts":{"test":"jest"}}`, `{"devDependencies":{"husky":"9"}}`
	for name, c := range map[string]struct{ jest, none, others, test, want string }{
		"at the top":                     {".", "", "src/a.test.js", "src/a.test.js#x", "."},
		"below":                          {"web", "", "pom.xml web/src/a.test.js", "src/a.test.js#x", "web"},
		"a path from the top":            {"web", "", "pom.xml web/src/a.test.js", "web/src/a.test.js#x", "web"},
		"beside a package of tools":      {"web", ".", "web/a.test.js", "web/a.test.js#x", "web"},
		"in the folder that CI named":    {". one two", "", "one/a.test.js two/src/a.test.js", "src/a.test.js#x", "two"},
		"Jest at the top of a workspace": {". one", "", "one/a.test.js", "one/a.test.js#x", "."},
		"titles only":                    {"web", "", "web/a.test.js", "x y", "web"},
		"not among what is installed":    {"node_modules/a", "", "node_modules/a/a.test.js", "a.test.js#x", "."},
		"out of the sources":             {"web", "", "README.md", "../../etc/a.test.js#x", "web"},
	} {
		files := map[string]string{}
		for _, f := range strings.Fields(c.others) {
			files[f] = ""
		}
		for _, dir := range strings.Fields(c.jest) {
			files[filepath.Join(dir, "package.json")] = jest
		}
		for _, dir := range strings.Fields(c.none) {
			files[filepath.Join(dir, "package.json")] = none
		}

		root := t.TempDir()
		for f, text := range files {
			path := filepath.Join(root, f)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got := packageIn(os.DirFS(root), []string{c.test}); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
