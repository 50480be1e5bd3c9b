package maven

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/java/build"
)

func TestReleaseOnAnOldJDK(t *testing.T) {
	old := t.TempDir()
	if err := os.MkdirAll(filepath.Join(old, "jre", "lib"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(old, "jre", "lib", "rt.jar"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for home, want := range map[string]string{old: "-source 8 -target 8", filepath.Join(old, "jre"): "-source 8 -target 8",
		t.TempDir(): "--release 8"} {
		c := newCompiler(&mojoRecord{JavaHome: home, Parameters: parameters{"release": "8"}})
		if got := strings.Join(c.Args, " "); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestSetForks(t *testing.T) {
	for _, test := range []struct {
		p                             parameters
		forks                         string
		perClass, inProcess, parallel bool
		note                          string
	}{
		{parameters{}, "1", false, false, false, ""},
		{parameters{"forkCount": "1", "reuseForks": true, "forkMode": "once"}, "1", false, false, false, ""},
		{parameters{"forkCount": "1", "reuseForks": false}, "1", true, false, false, "JVM of its own"},
		{parameters{"forkCount": "2C", "reuseForks": true}, "2C", false, false, false, "several JVMs"},
		{parameters{"forkCount": "0"}, "0", false, true, false, "inside Maven"},
		{parameters{"forkMode": "never"}, "0", false, true, false, "inside Maven"},
		{parameters{"forkMode": "always"}, "1", true, false, false, "JVM of its own"},
		{parameters{"forkMode": "perthread", "threadCount": 4.0}, "4", true, false, false, "JVM of its own"},
		{parameters{"parallel": "classesAndMethods"}, "1", false, false, true, ""},
		{parameters{"parallel": "none"}, "1", false, false, false, ""},
	} {
		var l build.Launch
		setForks(&l, test.p)
		if l.Forks != test.forks || l.ForkPerClass != test.perClass || l.InProcess != test.inProcess || l.Parallel != test.parallel {
			t.Errorf("%v: forks %s, per class %v, in process %v, parallel %v", test.p, l.Forks, l.ForkPerClass, l.InProcess, l.Parallel)
		}
		if notes := strings.Join(l.Notes, " "); !strings.Contains(notes, test.note) || (test.note == "") != (notes == "") {
			t.Errorf("%v: notes %q", test.p, notes)
		}
	}
}

func TestRunOrder(t *testing.T) {
	for order, want := range map[string]string{"": "b c a", "filesystem": "b c a", "alphabetical": "a b c",
		"reverseAlphabetical": "c b a", "random": "b c a"} {
		l := build.Launch{Classes: strings.Fields("b c a"), RunOrder: order}
		applyRunOrder(&l)
		if got := strings.Join(l.Classes, " "); got != want || l.Unordered != (order == "random") {
			t.Errorf("%s: %s, unordered %v", order, got, l.Unordered)
		}
	}
}

func TestEnvironmentAppliesDifferencesToItsBase(t *testing.T) {
	l := build.Launch{Dir: "/work"}
	f := &fork{env: map[string]string{"SAME": "1", "CHANGED": "new", "ADDED": "x", "SHLVL": "3", "MAVEN_OPTS": "ours"}}
	setEnv(&l, f, environment([]string{"SAME=1", "CHANGED=old", "REMOVED=1", "MAVEN_OPTS=theirs", "SHLVL=1"}))
	got := l.Environ([]string{"SAME=2", "CHANGED=other", "REMOVED=1", "MAVEN_OPTS=theirs", "LATER=1"})
	want := []string{"SAME=2", "MAVEN_OPTS=theirs", "LATER=1", "ADDED=x", "CHANGED=new", "PWD=/work"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCompilerArgs(t *testing.T) {
	for _, test := range []struct {
		p    parameters
		want string
	}{
		{parameters{"source": "1.7", "target": "1.7", "encoding": "UTF-8", "debug": true}, "-encoding UTF-8 -source 1.7 -target 1.7 -g"},
		{parameters{"source": "8", "target": "8", "release": "11", "testRelease": "17", "parameters": true}, "--release 17 -parameters"},
		{parameters{"testSource": "17", "source": "8", "target": "8", "proc": "none"}, "-source 17 -target 8 -proc:none"},
		{parameters{"compilerArgs": []any{"-Xlint:all", "-Werror", "-Xmaxerrs", "5"}, "compilerArgument": "-verbose"},
			"-Xmaxerrs 5 -verbose"},
		{parameters{"compilerArguments": map[string]any{"-add-exports": "a/b=c", "Averbose": nil}}, "-add-exports a/b=c -Averbose"},
		{parameters{"annotationProcessors": []any{"a.P", "b.Q"}, "debug": true, "debuglevel": "lines,vars"},
			"-g:lines,vars -processor a.P,b.Q"},
	} {
		if got := strings.Join(newCompiler(&mojoRecord{Parameters: test.p}).Args, " "); got != test.want {
			t.Errorf("%v:\n got %s\nwant %s", test.p, got, test.want)
		}
	}
}
