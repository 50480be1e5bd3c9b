package examples_test

import (
	"archive/zip"
	"encoding/json"
	"encoding/xml"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// released are projects whose sources and tests are on Maven Central. They use JUnit 4, JUnit 3
// with nested suites, and JUnit 5 with parameterised tests.
var released = []struct{ group, artifact, version string }{
	{"commons-cli", "commons-cli", "1.5.0"},
	{"commons-validator", "commons-validator", "1.8.0"},
	{"commons-cli", "commons-cli", "1.8.0"},
}

// TestHarnessAgreesWithSurefire runs complete suites of real projects with the project's own
// Surefire, in a class order that is not the usual one. It then runs them with the harness, in the
// order that Surefire reported. Every outcome must be the same.
func TestHarnessAgreesWithSurefire(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds released projects and runs their whole suites")
	}
	t.Parallel()
	for _, p := range released {
		t.Run(p.artifact+"-"+p.version, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), p.artifact+p.version)
			unpackRelease(t, dir, p.group, p.artifact, p.version)
			agree(t, dir, "reversealphabetical")
		})
	}
}

func agree(t *testing.T, dir, order string) {
	sh(t, dir, "rm -rf target/surefire-reports && mvn -B -q -ntp test -Dmaven.test.failure.ignore=true -Dsurefire.runOrder="+order)
	build := surefireOutcomes(t, filepath.Join(dir, "target", "surefire-reports"))
	out := filepath.Join(t.TempDir(), "run.json")
	_, text := shell(t, dir, "odfix run --order target/surefire-reports --format json . > '"+out+"'")
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var r job.Report
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatalf("%v\n%s\n%s", err, b, text)
	}
	if r.Error != nil || len(r.Runs) != 1 {
		t.Fatalf("%d runs, error %+v", len(r.Runs), r.Error)
	}
	ours := map[string][]string{}
	for _, x := range r.Runs[0].Results {
		ours[string(x.Test)] = append(ours[string(x.Test)], string(x.Outcome))
	}
	if len(build) < 50 {
		t.Fatalf("Surefire reports %d tests: the project's suite did not run", len(build))
	}
	build = folded(build, ours)
	for _, name := range slices.Sorted(maps.Keys(build)) {
		if !slices.Equal(slices.Sorted(slices.Values(build[name])), slices.Sorted(slices.Values(ours[name]))) {
			t.Errorf("%s: Surefire says %v, the harness %v", name, build[name], ours[name])
		}
	}
	for name := range ours {
		if build[name] == nil {
			t.Errorf("%s: unknown to Surefire", name)
		}
	}
	t.Logf("%d tests", len(build))
}

// folded joins Surefire's invocations "m(int)[1]", "m(int)[2]", … of a parameterised Jupiter test,
// because the harness has them as one test. The test fails if one of them fails.
func folded(build, ours map[string][]string) map[string][]string {
	out := map[string][]string{}
	for name, outcomes := range build {
		test, invocation, many := strings.Cut(name, ")[")
		test += ")"
		if !many || ours[name] != nil || ours[test] == nil || strings.Contains(invocation, ")") {
			out[name] = append(out[name], outcomes...)
			continue
		}
		all := slices.Concat(out[test], outcomes)
		worst := all[0]
		for _, o := range all {
			if o == string(suite.Fail) || worst == string(suite.Skip) {
				worst = o
			}
		}
		out[test] = []string{worst}
	}
	return out
}

// surefireOutcomes reads each test's outcome, by class and name.
func surefireOutcomes(t *testing.T, reports string) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(reports, "TEST-*.xml"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var s struct {
			Cases []struct {
				Class   string    `xml:"classname,attr"`
				Name    string    `xml:"name,attr"`
				Failure *struct{} `xml:"failure"`
				Error   *struct{} `xml:"error"`
				Skipped *struct{} `xml:"skipped"`
			} `xml:"testcase"`
		}
		if err := xml.Unmarshal(b, &s); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		for _, c := range s.Cases {
			outcome := suite.Pass
			switch {
			case c.Failure != nil || c.Error != nil:
				outcome = suite.Fail
			case c.Skipped != nil:
				outcome = suite.Skip
			}
			out[c.Class+"#"+c.Name] = append(out[c.Class+"#"+c.Name], string(outcome))
		}
	}
	return out
}

// unpackRelease makes a project from a release's pom and source archives.
func unpackRelease(t *testing.T, dir, group, artifact, version string) {
	t.Helper()
	got := t.TempDir()
	for _, kind := range []string{"pom", "jar:sources", "jar:test-sources"} {
		sh(t, got, "mvn -B -q -ntp org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy "+
			"-DoutputDirectory=. -Dartifact="+group+":"+artifact+":"+version+":"+kind)
	}
	base := filepath.Join(got, artifact+"-"+version)
	unpackSources(t, base+"-sources.jar", filepath.Join(dir, "src", "main"))
	unpackSources(t, base+"-test-sources.jar", filepath.Join(dir, "src", "test"))
	pom, err := os.ReadFile(base + ".pom")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "pom.xml"), pom, 0o600); err != nil {
		t.Fatal(err)
	}
}

// unpackSources puts an archive's Java files into java/ and all others into resources/.
func unpackSources(t *testing.T, archive, dir string) {
	t.Helper()
	z, err := zip.OpenReader(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = z.Close() }()
	for _, f := range z.File {
		if f.FileInfo().IsDir() || strings.HasPrefix(f.Name, "META-INF/") || !filepath.IsLocal(f.Name) {
			continue
		}
		kind := "resources"
		if strings.HasSuffix(f.Name, ".java") {
			kind = "java"
		}
		to := filepath.Join(dir, kind, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			t.Fatal(err)
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		_ = r.Close()
		if err == nil {
			err = os.WriteFile(to, b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
