package maven

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/java/build"
)

func sorted(list []string) string {
	list = append([]string(nil), list...)
	sort.Strings(list)
	return strings.Join(list, " ")
}

func args(l build.Launch) string { return strings.Join(l.JVMArgs, " ") }

// Surefire 2.12 looks for classes inside the fork, so odfix looks for them itself.
func TestSurefire212(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs Maven several times")
	}
	needMaven(t)
	_, launches := mustRecord(t, "surefire-2.12-junit3.txt", build.Options{}, 1)
	l := launches[0]
	if got := sorted(l.Classes); got != "a.TestOne a.TwoTest" {
		t.Errorf("classes %s", got)
	}
	if l.Version != "2.12" || l.Module != "sample:junit3" || !strings.Contains(l.Provider, "JUnit3") &&
		!strings.Contains(l.Provider, "junit") {
		t.Errorf("%s %s %s", l.Version, l.Module, l.Provider)
	}
	if len(l.ClassPath) != 3 || l.ClassPath[0] != l.TestOutput || l.ClassPath[1] != l.MainOutput ||
		filepath.Base(l.ClassPath[2]) != "junit-3.8.2.jar" {
		t.Errorf("class path %v", l.ClassPath)
	}
	starts(t, l)
}

func TestLateArgLine(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs Maven several times")
	}
	needMaven(t)
	_, launches := mustRecord(t, "surefire-2.18.1-late-argline.txt", build.Options{}, 1)
	l := launches[0]
	if got := args(l); got != "-ea -Dearly=1 -Dlate=2 -Xmx64m -Dfork=1" {
		t.Errorf("arguments %q", got)
	}
	if l.Forks != "2" || l.ForkPerClass || !l.Parallel || len(l.Notes) == 0 {
		t.Errorf("forks %s, per class %v, parallel %v, notes %v", l.Forks, l.ForkPerClass, l.Parallel, l.Notes)
	}
	if l.Properties["old.style"] != "yes" {
		t.Errorf("properties %v", l.Properties)
	}
	starts(t, l)
}

func TestEnvironmentAndOrder(t *testing.T) {
	needMaven(t)
	p, launches := mustRecord(t, "surefire-2.22.2-junit5-environment.txt", build.Options{Args: []string{"-Dgiven=by hand"}}, 1)
	l := launches[0]
	if diff := cmp.Diff([]string{"-ea", "-Dquoted=a b"}, l.JVMArgs); diff != "" {
		t.Error(diff)
	}
	if l.EnvSet["SAMPLE_ENV"] != "from the pom" {
		t.Errorf("environment %v", l.EnvSet)
	}
	if got := l.Properties["sample.prop"]; got != "environment: a=b" {
		t.Errorf("property %q", got)
	}
	if l.Properties["given"] != "by hand" {
		t.Error("a property of the command line is lost")
	}
	for k := range l.Properties {
		if strings.HasPrefix(k, "odfix") || isOurs(k) {
			t.Errorf("tests would see our own %s", k)
		}
	}
	if want := p.Copy(filepath.Join(p.At.Root, "target")); l.Dir != want || l.EnvSet["PWD"] != want {
		t.Errorf("works in %s, PWD %s", l.Dir, l.EnvSet["PWD"])
	}
	if got := strings.Join(l.Classes, " "); got != "a.CTest a.BTest a.ATest" {
		t.Errorf("order %s", got)
	}
	if l.Groups != "fast" || l.NotGroups != "slow" {
		t.Errorf("groups %q without %q", l.Groups, l.NotGroups)
	}
	if !strings.Contains(l.ProviderArgs["configurationParameters"], "per_class") {
		t.Errorf("provider arguments %v", l.ProviderArgs)
	}
	if !strings.Contains(strings.Join(l.ProviderPath, " "), "junit-platform-launcher") {
		t.Errorf("provider path %v", l.ProviderPath)
	}
	starts(t, l)
}

func TestForkPerClassAndJVM(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs Maven several times")
	}
	needMaven(t)
	_, launches := mustRecord(t, "surefire-3.0.0-M5-jvm-fork-per-class.txt", build.Options{}, 1)
	l := launches[0]
	if !l.ForkPerClass || sorted(l.Classes) != "a.OneTest a.TwoTest" {
		t.Errorf("fork per class %v, classes %v", l.ForkPerClass, l.Classes)
	}
	if len(l.JVMArgs) != 0 {
		t.Errorf("assertions are off in the pom, arguments %v", l.JVMArgs)
	}
	if strings.Contains(l.Java, "record") || strings.Contains(strings.Join(l.Environ(nil), " "), "/record/") {
		t.Errorf("the recorder shows: %s %v", l.Java, l.EnvSet)
	}
	if l.EnvSet["JAVA_HOME"] == "" {
		t.Error("this version of Surefire sets JAVA_HOME where <jvm> is configured")
	}
	starts(t, l)
}

func TestInProcess(t *testing.T) {
	needMaven(t)
	p, launches := mustRecord(t, "surefire-3.2.5-in-process.txt", build.Options{}, 1)
	l := launches[0]
	if !l.InProcess || args(l) != "-ea" || l.Dir != p.Copy(p.At.Root) {
		t.Errorf("in process %v, arguments %v, in %s", l.InProcess, l.JVMArgs, l.Dir)
	}
	if got := strings.Join(l.Classes, " "); got != "a.OneTest a.TwoTest" {
		t.Errorf("order %s", got)
	}
	starts(t, l)
}

func TestModulePath(t *testing.T) {
	needMaven(t)
	_, launches := mustRecord(t, "surefire-3.2.5-module-path.txt", build.Options{}, 1)
	l := launches[0]
	if diff := cmp.Diff(map[string][]string{"sample.mod": {l.TestOutput}}, l.Modules.Patch); diff != "" {
		t.Error(diff)
	}
	if len(l.Modules.Path) == 0 || l.Modules.Path[0] != l.MainOutput ||
		!strings.Contains(strings.Join(l.Modules.Args, " "), "sample.mod=ALL-UNNAMED") {
		t.Errorf("modules %+v", l.Modules)
	}
	if !strings.Contains(strings.Join(l.Compiler.Args, " "), "--release 11") {
		t.Errorf("compiler arguments %v", l.Compiler.Args)
	}
	starts(t, l)
}

func TestReactor(t *testing.T) {
	needMaven(t)
	// odfix finds the module from the test. "unrelated" does not compile and must not be built.
	p, before := openBefore(t, "reactor.txt", build.Options{Tests: []string{"a.AppTest#works"}})
	launches, err := p.Record(t.Context())
	if err != nil || len(launches) != 2 {
		t.Fatalf("%d launches, %v", len(launches), err)
	}
	if diff := cmp.Diff(before, scanned(t, p.At.Anchor)); diff != "" {
		t.Errorf("the checkout has changed: %s", diff)
	}
	first, second := launches[0], launches[1]
	if first.Module != "sample:app" || first.Execution != "default-test" || strings.Join(first.Classes, " ") != "a.AppTest" {
		t.Errorf("first execution %s of %s: %v", first.Execution, first.Module, first.Classes)
	}
	if second.Execution != "second" || strings.Join(second.Classes, " ") != "a.AppCheck" || args(second) != "-ea -Dsecond=1" {
		t.Errorf("second execution %s: %v with %v", second.Execution, second.Classes, second.JVMArgs)
	}
	base := p.Copy(filepath.Join(p.At.Root, "base"))
	if got := strings.Join(first.ClassPath, " "); !strings.Contains(got, filepath.Join(base, "target", "classes")) {
		t.Errorf("class path %s", got)
	}
	if build.Exists(filepath.Join(base, "target", "test-classes")) {
		t.Error("tests of a module that no test needs were compiled")
	}
	if dir, line := p.CommandLine("-Dtest=a.AppTest"); dir != p.At.Root || line != "mvn -pl app -am -Dtest=a.AppTest test" {
		t.Errorf("command %q in %s", line, dir)
	}
}

// openBefore opens a sample project, and returns the state of its checkout before.
func openBefore(t *testing.T, name string, opts build.Options) (*Project, map[string]string) {
	t.Helper()
	dir := unpack(t, name)
	before := scanned(t, dir)
	return open(t, dir, t.TempDir(), opts), before
}

// scanned returns the state of a checkout, including compiled outputs.
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

func TestFailsafe(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs Maven several times")
	}
	needMaven(t)
	_, launches := mustRecord(t, "reactor.txt", build.Options{Module: "app", Tests: []string{"AppIT"}}, 3)
	l := launches[2]
	if l.Plugin != "maven-failsafe-plugin" || strings.Join(l.Classes, " ") != "a.AppIT" || args(l) != "-ea -Dfailsafe=1" {
		t.Errorf("%s: %v with %v", l.Plugin, l.Classes, l.JVMArgs)
	}
	starts(t, l)
}

func TestRefusedBuilds(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs Maven several times")
	}
	for _, test := range []struct{ project, code, message string }{
		{"testng.txt", build.CodeFramework, "TestNG"},
		{"skipped.txt", build.CodeNoTests, "skipTests is set"},
		{"refused-argline.txt", build.CodeJDKTooNew, "UseSplitVerifier"},
	} {
		t.Run(test.project, func(t *testing.T) {
			needMaven(t)
			_, _, err := record(t, test.project, build.Options{})
			if e, ok := err.(*build.Error); !ok || e.Code != test.code || !strings.Contains(e.Message, test.message) || e.Hint == "" {
				t.Errorf("got %v, want %s", err, test.code)
			}
		})
	}
}

func TestUnknownModule(t *testing.T) {
	_, err := Open(context.Background(), build.Options{Dir: unpack(t, "reactor.txt"), Work: t.TempDir(), Module: "unrelatd"})
	if e, ok := err.(*build.Error); !ok || e.Code != build.CodeModule || !strings.HasPrefix(e.Hint, "Modules, nearest names first: unrelated,") {
		t.Errorf("got %#v", err)
	}
}

// A second Record of an unchanged checkout does not run Maven. A Record of a changed checkout does.
// Compiling a clone does not change the copy, and a copy of the clone has what was compiled.
func TestCacheAndClone(t *testing.T) {
	needMaven(t)
	ctx := context.Background()
	p, launches := mustRecord(t, "surefire-3.2.5-in-process.txt", build.Options{}, 1)
	log := p.Beside("maven.log")
	os.Remove(log)
	p = reopen(t, p, build.Options{})
	again, err := p.Record(ctx)
	if err != nil || build.Exists(log) {
		t.Fatalf("Maven was run again, %v", err)
	}
	if diff := cmp.Diff(launches, again); diff != "" {
		t.Error(diff)
	}

	clone := t.TempDir()
	if err := p.Clone(ctx, clone); err != nil {
		t.Fatal(err)
	}
	source := "src/test/java/a/OneTest.java"
	write(t, p.InClone(clone, filepath.Join(p.At.Root, source)), "package a;\n\nclass OneTest {\n    static class Added {\n    }\n}\n")
	if err := p.TestCompile(ctx, clone, nil); err != nil {
		t.Fatal(err)
	}
	moved := p.LaunchInClone(clone, launches[0])
	if !build.Exists(filepath.Join(moved.ClassPath[0], "a", "OneTest$Added.class")) {
		t.Error("the clone's change was not compiled")
	}
	if log := read(t, filepath.Join(clone, "maven.log")); strings.Count(log, "Nothing to compile") != 1 {
		t.Errorf("what is not changed was compiled again:\n%s", log)
	}
	if build.Exists(filepath.Join(launches[0].ClassPath[0], "a", "OneTest$Added.class")) {
		t.Error("compiling the clone wrote into the copy")
	}
	twin := t.TempDir()
	if err := p.CloneAgain(ctx, clone, twin); err != nil {
		t.Fatal(err)
	}
	if !build.Exists(filepath.Join(p.LaunchInClone(twin, launches[0]).ClassPath[0], "a", "OneTest$Added.class")) {
		t.Error("a copy of the clone lacks what was compiled there")
	}
	write(t, p.InClone(clone, filepath.Join(p.At.Root, source)), "broken")
	if e, ok := p.TestCompile(ctx, clone, nil).(*build.Error); !ok || e.Code != build.CodeBroken ||
		!strings.Contains(e.Detail, filepath.Join(p.At.Root, source)) {
		t.Errorf("got %+v", e)
	}

	write(t, filepath.Join(p.At.Root, "src/test/java/a/ThreeTest.java"),
		"package a;\n\nclass ThreeTest {\n    @org.junit.jupiter.api.Test\n    void works() {\n    }\n}\n")
	p = reopen(t, p, build.Options{})
	if again, err = p.Record(ctx); err != nil || strings.Join(again[0].Classes, " ") != "a.OneTest a.ThreeTest a.TwoTest" {
		t.Errorf("after a change: %v, %v", again, err)
	}
}

// A build may change compiled tests (weaving, enhancing). It does so in a clone, too.
func TestClassesOfACloneAreProcessed(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs Maven several times")
	}
	needMaven(t)
	ctx := context.Background()
	dir := unpack(t, "surefire-3.2.5-in-process.txt")
	pom := filepath.Join(dir, "pom.xml")
	write(t, pom, strings.Replace(read(t, pom), "    </plugins>", `      <plugin>
        <artifactId>maven-resources-plugin</artifactId>
        <executions>
          <execution>
            <phase>process-test-classes</phase>
            <goals><goal>copy-resources</goal></goals>
            <configuration>
              <outputDirectory>${project.build.testOutputDirectory}/processed</outputDirectory>
              <resources><resource><directory>src/test/java</directory></resource></resources>
            </configuration>
          </execution>
        </executions>
      </plugin>
    </plugins>`, 1))
	p := open(t, dir, t.TempDir(), build.Options{})
	launches, err := p.Record(ctx)
	if err != nil {
		t.Fatal(err)
	}
	clone := t.TempDir()
	if err := p.Clone(ctx, clone); err != nil {
		t.Fatal(err)
	}
	processed := filepath.Join(p.LaunchInClone(clone, launches[0]).TestOutput, "processed")
	if err := os.RemoveAll(processed); err != nil {
		t.Fatal(err)
	}
	if err := p.TestCompile(ctx, clone, nil); err != nil {
		t.Fatal(err)
	}
	if !build.Exists(filepath.Join(processed, "a", "OneTest.java")) {
		t.Error("the clone's test classes were compiled, and not processed")
	}
}

// A build that was stopped early may have removed compiled outputs, so no earlier record is valid.
func TestNoRecordOutlivesABrokenBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs Maven several times")
	}
	needMaven(t)
	ctx := context.Background()
	p, launches := mustRecord(t, "surefire-3.2.5-in-process.txt", build.Options{}, 1)
	p = reopen(t, p, build.Options{Args: []string{"-Dother=yes"}, Budget: time.Millisecond})
	if _, err := p.Record(ctx); err == nil {
		t.Fatal("the build was to be cut short")
	}
	compiled := filepath.Join(launches[0].TestOutput, "a", "OneTest.class")
	if err := os.Remove(compiled); err != nil {
		t.Fatal(err)
	}
	log := p.Beside("maven.log")
	os.Remove(log)
	p = reopen(t, p, build.Options{})
	if _, err := p.Record(ctx); err != nil || !build.Exists(log) || !build.Exists(compiled) {
		t.Errorf("Maven was not run again: %v", err)
	}
}

// The command line of CommandLine runs in the folder it returns.
func TestCommandLineRuns(t *testing.T) {
	needMaven(t)
	p := open(t, unpack(t, "surefire-3.2.5-in-process.txt"), t.TempDir(), build.Options{Args: []string{"-Dodd=it's \"quoted\" $HOME"}})
	dir, line := p.CommandLine("-q", "-DskipTests", "-Dmaven.test.skip")
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", line, err, out)
	}
}

// A module may need another module's package instead of its classes: an artifact that only the package
// has, or the module of a multi-release jar. It cannot be tested before that module is packaged.
func TestReactorThatNeedsAPackage(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs Maven several times")
	}
	needMaven(t)
	for project, class := range map[string]string{"reactor-needs-artifact.txt": "a.AppTest", "reactor-multi-release.txt": "b.AppTest"} {
		p, launches := mustRecord(t, project, build.Options{Module: "app"}, 1)
		if p.phase != "package" || strings.Join(launches[0].Classes, " ") != class {
			t.Errorf("%s: phase %s, classes %v", project, p.phase, launches[0].Classes)
		}
		clone := t.TempDir()
		if err := p.Clone(t.Context(), clone); err != nil {
			t.Fatal(err)
		}
		if err := p.TestCompile(t.Context(), clone, nil); err != nil {
			t.Errorf("%s: %+v", project, err)
		}
	}
}

// A module that the reactor root lists only in a profile is built in its own folder.
func TestModuleOfAProfile(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs Maven several times")
	}
	needMaven(t)
	p, launches := mustRecord(t, "profile-module.txt", build.Options{Tests: []string{"AppTest"}}, 1)
	if launches[0].Module != "sample:app" {
		t.Errorf("module %s", launches[0].Module)
	}
	if dir, line := p.CommandLine(); dir != filepath.Join(p.At.Root, "app") || line != "mvn test" {
		t.Errorf("command %q in %s", line, dir)
	}
}
