package investigate

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/ci"
	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/job"
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
		checkFlags(t, command, want, job.Maven)
	}
	for command, want := range map[string]string{
		"./gradlew check -Pfast -x javadoc --info":                    "-Pfast -x javadoc --info",
		"gradle -p web --tests a.B :web:test --exclude-task lint -q":  "--exclude-task lint -q",
		"./gradlew --project-dir=web test --scan --daemon -t -Dx=y":   "-Dx=y",
		"gradlew.bat test --warning-mode all --max-workers=2":         "--warning-mode all --max-workers=2",
		"./gradlew test --fail-fast -M sha256 --refresh-dependencies": "",
		"gradle test -P":  "",
		"mvn test -Pfast": "none of it",
	} {
		checkFlags(t, command, want, job.Gradle)
	}
	for command, want := range map[string]string{
		"npx jest --config ci.config.js -i":                       "--config ci.config.js -i",
		"node node_modules/jest/bin/jest.js --selectProjects web": "--selectProjects web",
		"npm test -- --maxWorkers=2":                              "--maxWorkers=2",
		"yarn test":                                               "",
		"vitest run":                                              "none of it",
	} {
		checkFlags(t, command, want, jest)
	}
}

func checkFlags(t *testing.T, command, want, tool string) {
	t.Helper()
	var words []config.Word
	for _, w := range strings.Fields(command) {
		words = append(words, config.Word(w))
	}
	r := running{}
	got := strings.Join(r.flags(words, tool), " ")
	if len(r.ev.Notes) > 0 {
		got += "none of it"
	}
	if got != want {
		t.Errorf("%s: %q, want %q, notes %q", command, got, want, r.ev.Notes)
	}
}

// files makes a folder with these empty files.
func files(t *testing.T, names string) fs.FS {
	t.Helper()
	root := t.TempDir()
	for _, f := range strings.Fields(names) {
		path := filepath.Join(root, f)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return os.DirFS(root)
}

func TestJavaBuild(t *testing.T) {
	for name, c := range map[string]struct {
		files string
		tool  ci.Tool
		want  build
	}{
		"at the top":               {"pom.xml core/pom.xml core/src/test/java/a/BTest.java", "", build{".", "maven"}},
		"below":                    {"README java/pom.xml java/src/test/java/a/BTest.java", "", build{"java", "maven"}},
		"of several, by the test":  {"one/pom.xml two/pom.xml two/core/src/test/java/a/BTest.java", "", build{"two", "maven"}},
		"of several, by no test":   {"b/two/pom.xml one/pom.xml", "", build{"one", "maven"}},
		"none":                     {"README", "", build{".", ""}},
		"none of ours":             {".hidden/pom.xml src/pom.xml a/b/c/d/e/pom.xml", "", build{".", ""}},
		"Gradle":                   {"settings.gradle.kts core/src/test/java/a/BTest.java", ci.Gradle, build{".", "gradle"}},
		"Gradle, by reports":       {"build.gradle src/test/java/a/BTest.java", "", build{".", "gradle"}},
		"Gradle, below":            {"one/build.gradle two/settings.gradle two/core/build.gradle two/core/src/test/java/a/BTest.java", ci.Gradle, build{"two", "gradle"}},
		"Gradle, in another build": {"settings.gradle build.gradle tools/settings.gradle tools/src/test/java/a/BTest.java", ci.Gradle, build{"tools", "gradle"}},
		"both, Maven ran":          {"pom.xml build.gradle src/test/java/a/BTest.java", "", build{".", "maven"}},
		"both, Gradle ran":         {"pom.xml build.gradle src/test/java/a/BTest.java", ci.Gradle, build{".", "gradle"}},
		"an example of Maven":      {"settings.gradle examples/pom.xml core/src/test/java/a/BTest.java", "", build{".", "gradle"}},
		"Gradle that is not here":  {"pom.xml src/test/java/a/BTest.java", ci.Gradle, build{".", "maven"}},
	} {
		if got := javaBuild(files(t, c.files), []string{"a.BTest$Inner#works"}, c.tool == ci.Gradle); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestJavaModule: the module of a file, and the build in which a job asks for it.
func TestJavaModule(t *testing.T) {
	const file = "web/ui/src/test/java/a"
	for name, c := range map[string]struct {
		files, module string
		at            build
		in            string
	}{
		"Maven":                         {"pom.xml web/pom.xml web/ui/pom.xml", "web/ui", build{"web/ui", "maven"}, "."},
		"a module of Maven above":       {"pom.xml web/pom.xml", "web", build{"web", "maven"}, "."},
		"a project of Gradle":           {"settings.gradle web/ui/build.gradle.kts", "web/ui", build{".", "gradle"}, "web/ui"},
		"without a file of its own":     {"settings.gradle build.gradle", "web/ui", build{".", "gradle"}, "web/ui"},
		"settings below the top":        {"pom.xml web/settings.gradle", "web/ui", build{"web", "gradle"}, "ui"},
		"one project with settings":     {"web/ui/settings.gradle web/ui/build.gradle", "web/ui", build{"web/ui", "gradle"}, "."},
		"one project without settings":  {"web/build.gradle", "web", build{"web", "gradle"}, "."},
		"both, of Gradle's command":     {"settings.gradle web/ui/build.gradle web/ui/pom.xml", "web/ui", build{".", "gradle"}, "web/ui"},
		"settings beside a pom":         {"settings.gradle pom.xml", ".", build{".", "maven"}, "."},
		"no build":                      {"README", ".", build{".", ""}, "."},
		"a folder whose name it begins": {"we/settings.gradle web/ui/build.gradle", "web/ui", build{"web/ui", "gradle"}, "."},
	} {
		sources := files(t, c.files)
		module := javaModule(sources, file)
		at, in := buildOf(sources, module, name == "both, of Gradle's command")
		if module != c.module || at != c.at || in != c.in {
			t.Errorf("%s: %s in %v, %s", name, module, at, in)
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

// TestEvidenceOfSeveralTools: the best order decides. Tests of the other language are left to their own.
func TestEvidenceOfSeveralTools(t *testing.T) {
	gradle := sourced{ev: ci.Evidence{Tool: ci.Gradle, Provenance: suite.Partial, Tests: []string{"a.B#x"},
		Failed: []string{"a.B#x", "a.B#y"}}, job: redJob{Name: "g"}}
	jest := sourced{ev: ci.Evidence{Tool: ci.Jest, Provenance: suite.Partial, Tests: []string{"a.test.js"},
		Failed: []string{"a.test.js#x"}}, job: redJob{Name: "web"}}
	reports := sourced{ev: ci.Evidence{Provenance: suite.Exact, Tests: []string{"a.B#x", "a.B#y"}, Failed: []string{"a.B#x"}},
		job: redJob{Name: "java"}, merged: "m"}
	maven := reports
	maven.job.URL = "u"
	if ev := (&gathering{found: []sourced{maven, gradle}}).best(); ev.Tool != "" {
		t.Errorf("another job ran it with Maven: %+v", ev)
	}
	ev := (&gathering{found: []sourced{gradle, jest, reports}}).best()
	if ev.Tool != ci.Gradle || !slices.Equal(ev.Tests, []string{"a.B#x", "a.B#y"}) || ev.Merged != "m" ||
		!slices.Equal(ev.Spare, []string{"a.test.js#x"}) {
		t.Errorf("a log says that Gradle wrote the reports: %+v", ev)
	}
	if ev := (&gathering{found: []sourced{reports, jest}}).best(); ev.Tool != "" {
		t.Errorf("%+v", ev)
	}
	reports.run.ID = 2
	if ev := (&gathering{found: []sourced{reports, gradle}}).best(); ev.Tool != "" {
		t.Errorf("the log is that of another run: %+v", ev)
	}
	if ev := (&gathering{found: []sourced{jest, gradle}}).best(); ev.Tool != ci.Jest || !slices.Equal(ev.Spare, []string{"a.B#x", "a.B#y"}) {
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
