package gradle

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/java/build"
	"github.com/odfix/odfix/internal/suite"
)

// cores limits the tests that run Gradle at once to the number of cores.
var cores = make(chan struct{}, runtime.NumCPU())

// needGradle fails the test if it cannot run Gradle.
func needGradle(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("gradle"); err != nil {
		t.Fatal("these tests need gradle on the path: make test-tools")
	}
	t.Parallel()
	cores <- struct{}{}
	t.Cleanup(func() { <-cores })
}

// java is a project that tests with JUnit 4.
const java = `apply plugin: 'java'
repositories { mavenCentral() }
dependencies { testImplementation 'junit:junit:4.13.2' }
`

// sample writes a build of two projects and another one that does not compile. The tests of app use
// base.
func sample(t *testing.T) string {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(top, "sample")
	for file, text := range map[string]string{
		"settings.gradle":                  "rootProject.name = 'sample'\ninclude 'base', 'app', 'unrelated'\n",
		"base/build.gradle":                java,
		"base/src/main/java/a/Base.java":   "package a;\n\npublic class Base {\n    public static int calls;\n}\n",
		"unrelated/build.gradle":           java,
		"unrelated/src/main/java/u/U.java": "broken",
		"app/build.gradle": java + `dependencies { testImplementation project(':base') }
test {
    systemProperty 'given', '1'
    jvmArgs '-Xmx200m'
    environment 'ADDED', 'x'
    doFirst { systemProperty 'late', 'yes' }
}
sourceSets { slow { compileClasspath += test.compileClasspath; runtimeClasspath += output + compileClasspath } }
task slowTest(type: Test) {
    testClassesDirs = sourceSets.slow.output.classesDirs
    classpath = sourceSets.slow.runtimeClasspath
    maxHeapSize = '300m'
}
`,
		"app/src/test/java/a/AppTest.java":  test("AppTest", "a.Base.calls++;"),
		"app/src/test/java/a/DumpTest.java": test("DumpTest", dump),
		"app/src/slow/java/a/SlowTest.java": test("SlowTest", ""),
	} {
		write(t, filepath.Join(root, file), text)
	}
	return root
}

func test(name, body string) string {
	return "package a;\n\npublic class " + name + " {\n    @org.junit.Test public void works() throws Exception {\n        " + body + "\n    }\n}\n"
}

// dump writes what a test sees of its launch.
const dump = `java.io.PrintWriter out = new java.io.PrintWriter("dump.txt", "UTF-8");
        for (java.util.Map.Entry<?, ?> e : new java.util.TreeMap<>(System.getProperties()).entrySet())
            out.println("property " + e.getKey() + " " + e.getValue());
        for (java.util.Map.Entry<String, String> e : new java.util.TreeMap<>(System.getenv()).entrySet())
            out.println("environment " + e.getKey() + " " + e.getValue());
        out.println("memory " + Runtime.getRuntime().maxMemory() + " assertions " + DumpTest.class.desiredAssertionStatus());
        out.close();`

func open(t *testing.T, dir, work string, opts build.Options) *Project {
	t.Helper()
	opts.Dir, opts.Work, opts.Budget = dir, work, 10*time.Hour // the first run on a machine fetches libraries
	p, err := Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func record(t *testing.T, p *Project, n int) []build.Launch {
	t.Helper()
	launches, err := p.Record(t.Context())
	if e := (*build.Error)(nil); errors.As(err, &e) {
		t.Fatalf("%s: %s\n%s\n%s", e.Code, e.Message, e.Hint, e.Detail)
	}
	if err != nil || len(launches) != n {
		t.Fatalf("%d launches, want %d: %v", len(launches), n, err)
	}
	return launches
}

// odfix finds the project from the test. "unrelated" does not compile and must not be built.
func TestRecord(t *testing.T) {
	needGradle(t)
	root := sample(t)
	before := scanned(t, root)
	p := open(t, root, t.TempDir(), build.Options{Tests: []string{"a.AppTest#works"}})
	l := record(t, p, 1)[0]
	if diff := cmp.Diff(before, scanned(t, root)); diff != "" {
		t.Errorf("the checkout has changed: %s", diff)
	}
	if l.Execution != ":app:test" || sorted(l.Classes) != "a.AppTest a.DumpTest" || l.Basedir != p.Copy(filepath.Join(root, "app")) {
		t.Errorf("%s in %s: %v", l.Execution, l.Basedir, l.Classes)
	}
	for _, want := range []string{"-Dgiven=1", "-Dlate=yes", "-Xmx200m", "-ea"} {
		if !strings.Contains(" "+strings.Join(l.JVMArgs, " ")+" ", " "+want+" ") {
			t.Errorf("no %s in %v", want, l.JVMArgs)
		}
	}
	if base := p.Copy(filepath.Join(root, "base", "build", "classes", "java", "main")); !slices.Contains(l.ClassPath, base) {
		t.Errorf("class path %v", l.ClassPath)
	}
	args, ok := p.InOrder(&l, suite.Order{"a.AppTest#works"}, nil)
	if dir, line := p.CommandLine(args...); !ok || dir != root || line != "gradle :app:cleanTest :app:test --tests a.AppTest.works" {
		t.Errorf("command %q in %s", line, dir)
	}

	// An unchanged checkout needs no second run of Gradle, a changed one does.
	log := p.Beside("gradle.log")
	work := p.Opts.Work
	if err := os.Remove(log); err != nil {
		t.Fatal(err)
	}
	p.Close()
	p = open(t, root, work, build.Options{Tests: []string{"a.AppTest#works"}})
	if again := record(t, p, 1); build.Exists(log) || cmp.Diff(l, again[0]) != "" {
		t.Errorf("Gradle ran again, or %s", cmp.Diff(l, again[0]))
	}
	clones(t, p, l)
	write(t, filepath.Join(root, "app/src/test/java/a/MoreTest.java"), test("MoreTest", ""))
	p.Close()
	p = open(t, root, work, build.Options{Tests: []string{"a.AppTest#works"}})
	if again := record(t, p, 1); sorted(again[0].Classes) != "a.AppTest a.DumpTest a.MoreTest" {
		t.Errorf("after a change: %v", again[0].Classes)
	}
}

// sorted returns names that come in the order of the file system.
func sorted(names []string) string { return strings.Join(slices.Sorted(slices.Values(names)), " ") }

// clones compiles a clone, which does not change the copy.
func clones(t *testing.T, p *Project, l build.Launch) {
	t.Helper()
	clone := t.TempDir()
	if err := p.Clone(t.Context(), clone); err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(p.At.Root, "app/src/test/java/a/AppTest.java")
	write(t, p.InClone(clone, source), test("AppTest", "new Object() { };"))
	if err := p.TestCompile(t.Context(), clone, nil); err != nil {
		t.Fatalf("%+v", err)
	}
	moved := p.LaunchInClone(clone, l)
	if !build.Exists(filepath.Join(moved.TestOutput, "a", "AppTest$1.class")) || build.Exists(filepath.Join(l.TestOutput, "a", "AppTest$1.class")) {
		t.Error("the change is not in the clone alone")
	}
	write(t, p.InClone(clone, source), "broken")
	if e, ok := p.TestCompile(t.Context(), clone, nil).(*build.Error); !ok || e.Code != build.CodeBroken || !strings.Contains(e.Detail, source) {
		t.Errorf("got %+v", e)
	}
}

// scanned returns the state of a checkout.
func scanned(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			files[path] = fmt.Sprint(info.Mode(), info.Size(), info.ModTime())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// ownToWorker matches differences that come from another main class than that of Gradle's worker,
// from its security manager, or from the shell.
var ownToWorker = regexp.MustCompile(`^(property (sun\.java\.command|java\.class\.path|java\.vm\.compressed|org\.gradle\.internal|java\.security\.manager|jdk\.internal|library\.jansi|sun\.java\.launcher)|` +
	`environment (_|SHLVL|OLDPWD|PWD|GIT_OPTIONAL_LOCKS|ODFIX_BUILD|JAVA_MAIN_CLASS_\d+) )`)

// A test sees the same launch in odfix' JVM as under the project's own Gradle.
func TestLaunchEqualsTheBuilds(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs Gradle twice")
	}
	needGradle(t)
	root := sample(t)
	p := open(t, root, t.TempDir(), build.Options{Module: "app"})
	l := record(t, p, 1)[0]
	args := append([]string(nil), l.JVMArgs...)
	for k, v := range l.Properties {
		args = append(args, "-D"+k+"="+v)
	}
	ours := exec.Command(l.Java, append(args, "-cp", strings.Join(l.ClassPath, ":"), "org.junit.runner.JUnitCore", "a.DumpTest")...)
	ours.Dir, ours.Env = l.Dir, l.Environ(os.Environ())
	run(t, ours)
	dir, line := p.CommandLine(p.Class(&l, "a.DumpTest")...)
	theirs := exec.Command("sh", "-c", line+" --no-daemon")
	theirs.Dir = dir
	run(t, theirs)
	got, want := seen(t, filepath.Join(l.Dir, "dump.txt"), p), seen(t, p.Source(filepath.Join(l.Dir, "dump.txt")), p)
	if diff := cmp.Diff(want, got); diff != "" || len(want) < 40 {
		t.Errorf("%d lines: %s", len(want), diff)
	}
}

func run(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
}

// seen reads what a test wrote, with the checkout's paths.
func seen(t *testing.T, file string, p *Project) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, line := range strings.Split(build.MovePrefix(string(text), p.Tree(), p.At.Anchor), "\n") {
		if !ownToWorker.MatchString(line) {
			out = append(out, line)
		}
	}
	return out
}

// A test may belong to another task than test.
func TestOtherTask(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs Gradle twice")
	}
	needGradle(t)
	root, work := sample(t), t.TempDir()
	p := open(t, root, work, build.Options{Module: ":app"}) // whose record is of no use for the other test
	record(t, p, 1)
	p.Close()
	p = open(t, root, work, build.Options{Module: ":app", Tests: []string{"SlowTest"}})
	l := record(t, p, 2)[1]
	if l.Execution != ":app:slowTest" || strings.Join(l.Classes, " ") != "a.SlowTest" || !strings.Contains(strings.Join(l.JVMArgs, " "), "-Xmx300m") {
		t.Errorf("%s: %v with %v", l.Execution, l.Classes, l.JVMArgs)
	}
}

// Gradle knows its projects better than the files show: the settings may give a folder any path,
// and those above a folder need not know it.
func TestProjectsThatFilesDoNotShow(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs Gradle several times")
	}
	for name, c := range map[string]struct {
		files       map[string]string
		start, task string
	}{
		"another path": {map[string]string{"settings.gradle": "include 'core'\ndef at = 'lib/core'\nproject(':core').projectDir = file(at)\n",
			"lib/core/build.gradle": java, "lib/core/src/test/java/a/CoreTest.java": test("CoreTest", "")}, ".", ":core:test"},
		"settings of others": {map[string]string{"settings.gradle": "include 'other'\n", "other/build.gradle": java,
			"child/build.gradle": java, "child/src/test/java/a/CoreTest.java": test("CoreTest", "")}, "child", ":test"},
		"no tests of the root": {map[string]string{"settings.gradle": "include 'core'\nproject(':core').projectDir = new File(settingsDir, 'c' + 'o')\n",
			"co/src/test/java/a/CoreTest.java": test("CoreTest", ""), "build.gradle": "subprojects {\n" + java + "}\n"}, ".", ":core:test"},
	} {
		t.Run(name, func(t *testing.T) {
			needGradle(t)
			root := t.TempDir()
			for file, text := range c.files {
				write(t, filepath.Join(root, file), text)
			}
			work := t.TempDir()
			var p *Project
			for range 2 { // the second time, from the record
				if p != nil {
					p.Close()
				}
				p = open(t, filepath.Join(root, c.start), work, build.Options{Tests: []string{"a.CoreTest#works"}})
				if l := record(t, p, 1)[0]; l.Execution != c.task || sorted(l.Classes) != "a.CoreTest" {
					t.Errorf("%s: %v", l.Execution, l.Classes)
				}
			}
			if err := p.TestCompile(t.Context(), cloned(t, p), nil); err != nil {
				t.Error(err)
			}
		})
	}
}

func cloned(t *testing.T, p *Project) string {
	t.Helper()
	dir := t.TempDir()
	if err := p.Clone(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestRefusedBuilds(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs Gradle several times")
	}
	for name, c := range map[string]struct{ build, code, message string }{
		"TestNG": {strings.Replace(java, "junit:junit:4.13.2", "org.testng:testng:7.5", 1) + "test { useTestNG() }\n", build.CodeFramework, "TestNG"},
		"option": {java + "test { jvmArgs '-XX:+UseSplitVerifier' }\n", build.CodeJDKTooNew, "UseSplitVerifier"},
		"none":   {"apply plugin: 'java'\n", build.CodeNoTests, "runs no tests"},
	} {
		t.Run(name, func(t *testing.T) {
			needGradle(t)
			dir := t.TempDir()
			write(t, filepath.Join(dir, "build.gradle"), c.build)
			write(t, filepath.Join(dir, "settings.gradle"), "")
			if name != "none" {
				write(t, filepath.Join(dir, "src/test/java/a/OneTest.java"), "package a;\n\npublic class OneTest {\n}\n")
			}
			_, err := open(t, dir, t.TempDir(), build.Options{}).Record(t.Context())
			if e, ok := err.(*build.Error); !ok || e.Code != c.code || !strings.Contains(e.Message, c.message) || e.Hint == "" {
				t.Errorf("got %+v, want %s", err, c.code)
			}
		})
	}
}
