package gradle

import (
	"archive/zip"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestArguments(t *testing.T) {
	for name, test := range map[string]struct {
		version, args, want string
		classPath           []string
	}{
		"as the build gives them":     {"4.4.1", "-Dx=1 -ea", "-Dx=1 -ea", nil},
		"the heap of later versions":  {"8.5", "-ea", "-ea -Xmx512m", nil},
		"an own heap":                 {"8.5", "-Xmx2g", "-Xmx2g", nil},
		"a share of the memory":       {"8.5", "-XX:MaxRAMPercentage=50", "-XX:MaxRAMPercentage=50", nil},
		"an unknown version":          {"", "-ea", "-ea", nil},
		"coverage that is not wanted": {"4.4.1", "-javaagent:/m2/org.jacoco.agent-0.8.8-runtime.jar=destfile=/p/a.exec", "-javaagent:/m2/org.jacoco.agent-0.8.8-runtime.jar=output=none", nil},
		"mocks that attach":           {"4.4.1", "-ea", "-ea -XX:+StartAttachListener", []string{"/m2/byte-buddy-agent-1.14.9.jar"}},
	} {
		l := (&taskRecord{Gradle: test.version, Path: ":test", Args: strings.Fields(test.args), ClassPath: test.classPath}).launch("")
		if got := strings.Join(l.JVMArgs, " "); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

func TestClassNames(t *testing.T) {
	files := []string{"a/OneTest.class", "a/OneTest$Inner.class", "a/OneTest$1.class", "module-info.class", "a/package-info.class",
		"a/AbstractTest.class", "a/Helper.class", "TopTest.class"}
	for name, test := range map[string]struct {
		task taskRecord
		want string
	}{
		"JUnit 4": {taskRecord{Scan: true}, "a.OneTest a.OneTest$Inner a.AbstractTest a.Helper TopTest"},
		"the JUnit Platform finds nested classes itself": {taskRecord{Scan: true, Framework: framework{Name: "JUnitPlatformTestFramework"}},
			"a.OneTest a.AbstractTest a.Helper TopTest"},
		"by name":             {taskRecord{}, "a.OneTest TopTest"},
		"a filter of classes": {taskRecord{Scan: true, Includes: []string{"a.*Test"}}, "a.OneTest a.AbstractTest"},
		"a filter of methods": {taskRecord{Scan: true, Includes: []string{"OneTest.works"}}, "a.OneTest"},
		"excluded classes":    {taskRecord{Scan: true, Excludes: []string{"*Helper", "a.OneTest*", "TopTest.slow"}}, "a.AbstractTest TopTest"},
	} {
		test.task.Classes = files
		if got := strings.Join(test.task.classNames(), " "); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("ODFIX_SAME", "1")
	t.Setenv("ODFIX_CHANGED", "old")
	t.Setenv("ODFIX_REMOVED", "1")
	environment := map[string]string{}
	for _, kv := range os.Environ() {
		k, v, _ := strings.Cut(kv, "=")
		environment[k] = v
	}
	environment["ODFIX_CHANGED"], environment["ODFIX_ADDED"] = "new", "x"
	delete(environment, "ODFIX_REMOVED")
	l := (&taskRecord{Path: ":test", Dir: "/p", Environment: environment}).launch("4.4.1")
	got := l.Environ([]string{"ODFIX_SAME=2", "ODFIX_CHANGED=old", "ODFIX_REMOVED=1", "PWD=/elsewhere"})
	if want := []string{"ODFIX_SAME=2", "ODFIX_ADDED=x", "ODFIX_CHANGED=new", "PWD=/p"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Where the class path has no launcher of the JUnit Platform, Gradle takes that of its
// distribution.
func TestPlatform(t *testing.T) {
	home := t.TempDir()
	launcher := filepath.Join(home, "lib", "plugins", "junit-platform-launcher-1.8.2.jar")
	write(t, launcher, "")
	r := taskRecord{Home: home, Path: ":app:test", Framework: framework{Name: "JUnitPlatformTestFramework_Decorated",
		Include: []string{"fast", "db"}, Exclude: []string{"slow"}, IncludeEngines: []string{"junit-jupiter"}}}
	l := r.launch("8.5")
	if l.Provider != "junitplatform" || l.Groups != "fast | db" || l.NotGroups != "slow" || l.ProviderArgs["includejunit5engines"] != "junit-jupiter" ||
		!slices.Equal(l.ProviderPath, []string{launcher}) {
		t.Errorf("%+v", l)
	}
	r.ClassPath = []string{"/m2/junit-platform-launcher-1.10.2.jar"}
	if l = r.launch("8.5"); len(l.ProviderPath) > 0 {
		t.Errorf("a second launcher: %v", l.ProviderPath)
	}
}

// A jar that a project of the build makes of its folders is replaced with them, one with more in it
// is not.
func TestJarsOfTheBuild(t *testing.T) {
	dir := t.TempDir()
	classes := filepath.Join(dir, "classes")
	write(t, filepath.Join(classes, "a", "B.class"), "1")
	pack := func(name, content string, files ...string) string {
		t.Helper()
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		z := zip.NewWriter(f)
		for _, file := range append(files, "META-INF/", "META-INF/MANIFEST.MF", "a/") {
			w, err := z.Create(file)
			if err != nil {
				t.Fatal(err)
			}
			if file == "a/B.class" {
				if _, err := w.Write([]byte(content)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := errors.Join(z.Close(), f.Close()); err != nil {
			t.Fatal(err)
		}
		return f.Name()
	}
	same, more, foreign := pack("same.jar", "1", "a/B.class"), pack("more.jar", "1", "a/B.class", "shaded/C.class"), pack("foreign.jar", "1", "a/B.class")
	less, other := pack("less.jar", "1"), pack("other.jar", "22", "a/B.class")
	made := []string{classes, filepath.Join(dir, "no-resources")}
	r := taskRecord{Path: ":test", ClassPath: []string{same, more, foreign, less, other}, Compiler: &compilerRecord{ClassPath: []string{same}}}
	r.unpack(map[string][]string{same: made, more: made, less: made, other: made})
	if l := r.launch("8.5"); !slices.Equal(l.ClassPath, []string{classes, more, foreign, less, other}) || !slices.Equal(l.Compiler.ClassPath, []string{classes}) {
		t.Errorf("%v, %v", l.ClassPath, l.Compiler.ClassPath)
	}
}

func TestNotes(t *testing.T) {
	for want, task := range map[string]taskRecord{
		"JVM of its own":    {ForkEvery: 1, Forks: 1},
		"after every 10":    {ForkEvery: 10, Forks: 1},
		"several JVMs":      {Forks: 4},
		"are a Java module": {Modules: true, Classes: []string{"module-info.class"}},
	} {
		task.Path = ":test"
		l := task.launch("7.6")
		if len(l.Notes) != 1 || !strings.Contains(l.Notes[0], want) || l.ForkPerClass != (task.ForkEvery == 1) {
			t.Errorf("%s: %v", want, l.Notes)
		}
	}
}

func TestCompiler(t *testing.T) {
	for want, c := range map[string]compilerRecord{
		"-source 1.8 -target 1.8 -g":       {Source: "1.8", Target: "1.8", Debug: true},
		"-encoding UTF-8 --release 11":     {Encoding: "UTF-8", Release: "11", Source: "17"},
		"-g --release 8 -parameters":       {Source: "8", Debug: true, Args: []string{"--release", "8", "-Xlint:all", "-Werror", "-parameters"}},
		"-source 17 -target 17 -proc:none": {Source: "17", Target: "17", HasProcessorPath: true},
		"-source 17 -target 17 -Aoption=x": {Source: "17", Target: "17", HasProcessorPath: true, ProcessorPath: []string{"/p.jar"}, Args: []string{"-Aoption=x"}},
	} {
		if got := strings.Join(c.compiler().Args, " "); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
