package maven

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/java/build"
)

// The recorded build leaves out plugins that check sources, and so does a clone that is built
// without checks.
func TestBuildWithoutChecks(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs Maven several times")
	}
	// The sources of the sample are neither licensed nor formatted as these plugins want it.
	for _, plugin := range []struct{ group, artifact, version, goal string }{
		{"org.apache.rat", "apache-rat-plugin", "0.13", "check"},
		{"io.spring.javaformat", "spring-javaformat-maven-plugin", "0.0.44", "validate"},
		{"net.revelc.code.formatter", "formatter-maven-plugin", "2.16.0", "validate"},
	} {
		t.Run(plugin.artifact, func(t *testing.T) {
			needMaven(t)
			dir := unpack(t, "surefire-3.2.5-in-process.txt")
			pom := filepath.Join(dir, "pom.xml")
			write(t, pom, strings.Replace(read(t, pom), "    </plugins>", `      <plugin>
        <groupId>`+plugin.group+`</groupId>
        <artifactId>`+plugin.artifact+`</artifactId>
        <version>`+plugin.version+`</version>
        <executions>
          <execution>
            <phase>validate</phase>
            <goals><goal>`+plugin.goal+`</goal></goals>
          </execution>
        </executions>
      </plugin>
    </plugins>`, 1))
			p := open(t, dir, t.TempDir(), build.Options{})
			if _, err := p.Record(t.Context()); err != nil {
				t.Fatal(err)
			}
			clone := t.TempDir()
			if err := p.Clone(t.Context(), clone); err != nil {
				t.Fatal(err)
			}
			if e, ok := p.TestCompile(t.Context(), clone, nil).(*build.Error); !ok || !strings.Contains(e.Part, plugin.artifact) {
				t.Errorf("with checks: %+v", e)
			}
			if err := p.TestCompile(t.Context(), clone, []string{plugin.artifact}); err != nil {
				t.Errorf("without checks: %+v", err)
			}
		})
	}
}

// Extensions may run a mojo by an object of their own, or take its result from an earlier build.
// Develocity does both. odfix switches it off, and records the build also where that has no effect:
// old versions have no switch, and the project may switch it on.
func TestExtensionsThatCacheTests(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs Maven several times")
	}
	for _, test := range []struct{ name, extension, version, arg string }{
		{"develocity", "com.gradle:develocity-maven-extension", "2.5.0", ""},
		{"develocity on", "com.gradle:develocity-maven-extension", "2.5.0", "-Ddevelocity.enabled=true"},
		{"gradle-enterprise", "com.gradle:gradle-enterprise-maven-extension", "1.15.5", ""},
		{"old gradle-enterprise", "com.gradle:gradle-enterprise-maven-extension", "1.9", ""},
		{"maven-build-cache", "org.apache.maven.extensions:maven-build-cache-extension", "1.2.0", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			needMaven(t)
			dir := unpack(t, "surefire-3.2.5-in-process.txt")
			group, artifact, _ := strings.Cut(test.extension, ":")
			write(t, filepath.Join(dir, ".mvn", "extensions.xml"), "<extensions><extension><groupId>"+group+"</groupId><artifactId>"+artifact+
				"</artifactId><version>"+test.version+"</version></extension></extensions>\n")
			opts := build.Options{Budget: 10 * time.Hour}
			if test.arg != "" {
				opts.Args = []string{test.arg}
			}
			var p *Project
			for _, run := range []string{"first", "second"} {
				p = open(t, dir, t.TempDir(), opts) // a cache would know the second
				launches, err := p.Record(t.Context())
				if err != nil || len(launches) != 1 || strings.Join(launches[0].Classes, " ") != "a.OneTest a.TwoTest" {
					t.Fatalf("%s record: launches %+v, %v", run, launches, err)
				}
				if log := read(t, p.Beside("maven.log")); strings.Contains(log, "Tests run: 2,") {
					t.Errorf("tests ran while the build was recorded:\n%s", log)
				}
			}
			clone := t.TempDir()
			if err := p.Clone(t.Context(), clone); err != nil {
				t.Fatal(err)
			}
			for _, run := range []string{"first", "second"} {
				passed, err := p.OwnTest(t.Context(), clone)
				if log := read(t, filepath.Join(clone, "own-test.log")); err != nil || !passed || !strings.Contains(log, "Tests run: 2,") {
					t.Errorf("%s run of the project's own tests: passed %v, %v\n%s", run, passed, err, log)
				}
			}
		})
	}
}

// Where a test plugin ran no test, an extension that runs it may have the result from its cache.
func TestWrappedTests(t *testing.T) {
	p := open(t, tinyProject(t), t.TempDir(), build.Options{})
	write(t, p.Beside(filepath.Join("record", "001", "test.json")), `{"plugin":"maven-surefire-plugin","parameters":{}}`)
	if e, ok := p.checkLaunches(nil).(*build.Error); !ok || e.Message != "the build runs no tests" {
		t.Errorf("got %+v", e)
	}
	write(t, p.Beside(filepath.Join("record", "002", "test.json")),
		`{"plugin":"maven-surefire-plugin","parameters":{},"wrappedBy":"com.example:cache:1.0"}`)
	if e, ok := p.checkLaunches(nil).(*build.Error); !ok || e.Code != build.CodeNoTests || !strings.Contains(e.Message, "com.example:cache:1.0") {
		t.Errorf("got %+v", e)
	}
}

// Tests whose settings are hidden from odfix have not run, and the error names the extension.
func TestHiddenTests(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "001", "test.json"), `{"plugin":"maven-surefire-plugin","parameters":{}}`)
	if err := hiddenTests(dir); err != nil {
		t.Error(err)
	}
	write(t, filepath.Join(dir, "002", "test.json"),
		`{"plugin":"maven-failsafe-plugin","parameters":{},"hiddenBy":"com.example:cache:1.0"}`)
	e, ok := hiddenTests(dir).(*build.Error)
	if !ok || e.Code != build.CodeBroken || e.Hint == "" ||
		!strings.Contains(e.Message, "maven-failsafe-plugin") || !strings.Contains(e.Message, "com.example:cache:1.0") {
		t.Errorf("got %+v", e)
	}
}
