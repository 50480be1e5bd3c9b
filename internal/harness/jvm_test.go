//go:build unix

package harness

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestJVMCommand(t *testing.T) {
	j := JVM{
		Java: "java", Args: []string{"-Xmx1g"}, ClassPath: []string{"target/test-classes", "target/classes", "a b.jar"},
		Overlay: []string{"patched"}, Properties: map[string]string{"z": "1", "a": "x y"}, Env: []string{"LANG=C"},
		Dir: "/project", HarnessJar: "h.jar",
	}
	s, err := j.Spec()
	if err != nil {
		t.Fatal(err)
	}
	want := Spec{Env: j.Env, Dir: j.Dir, Command: []string{"java", "-Xmx1g", "-Da=x y", "-Dz=1", "-Dodfix.pipes=/dev/fd/3,/dev/fd/4",
		"-cp", "patched:target/test-classes:target/classes:a b.jar:h.jar", MainClass}}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
	for _, bad := range []JVM{{HarnessJar: "h.jar"}, {Java: "java"}} {
		if _, err := bad.Spec(); err == nil {
			t.Errorf("%+v was taken", bad)
		}
	}
}

func TestModulesAndOverlay(t *testing.T) {
	j := JVM{Java: "java", HarnessJar: "h.jar", Overlay: []string{"patched"}, Modules: Modules{
		Path: []string{"target/classes", "dep.jar"}, Patch: map[string][]string{"m": {"target/test-classes"}},
		Args: []string{"--add-modules", "m"}}}
	s, err := j.Spec()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"java", "-Dodfix.pipes=/dev/fd/3,/dev/fd/4", "--module-path", "target/classes:dep.jar",
		"--patch-module", "m=patched:target/test-classes", "--add-modules", "m", "-cp", "patched:h.jar", MainClass}
	if diff := cmp.Diff(want, s.Command); diff != "" {
		t.Errorf("command (-want +got):\n%s", diff)
	}
}

// Test classes with a descriptor of their own form a module. Only odfix's patch is in it.
func TestOverlayOfATestModule(t *testing.T) {
	j := JVM{Java: "java", HarnessJar: "h.jar", Modules: Modules{Path: []string{"target/test-classes"}, Tests: "m.test"}}
	for overlay, want := range map[string]string{"": "--module-path target/test-classes -cp h.jar",
		"patched": "--module-path target/test-classes --patch-module m.test=patched --add-reads m.test=ALL-UNNAMED -cp patched:h.jar"} {
		if j.Overlay = nil; overlay != "" {
			j.Overlay = []string{overlay}
		}
		s, err := j.Spec()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(s.Command, " "); !strings.Contains(got, want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestQuickComesAfterTheProjectsFlags(t *testing.T) {
	s, err := JVM{Java: "java", Args: []string{"-XX:TieredStopAtLevel=4"}, HarnessJar: "h.jar", Quick: true}.Spec()
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Command[2]; got != "-XX:TieredStopAtLevel=1" { // the last one counts
		t.Errorf("command = %v", s.Command)
	}
}

func TestQuickArgsReplaceArgs(t *testing.T) {
	j := JVM{Java: "java", Args: []string{"-ea", "-javaagent:coverage.jar"}, QuickArgs: []string{"-ea"}, HarnessJar: "h.jar"}
	for quick, want := range map[bool]string{false: "java -ea -javaagent:coverage.jar -D", true: "java -ea -XX:"} {
		j.Quick = quick
		s, err := j.Spec()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(s.Command, " "); !strings.HasPrefix(got, want) {
			t.Errorf("quick %v: %s, want %s…", quick, got, want)
		}
	}
}

func TestMajorVersion(t *testing.T) {
	for text, want := range map[string]int{
		"JAVA_VERSION=\"17.0.15\"\nOS_NAME=\"Linux\"":   17,
		"IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"1.8.0_442\"": 8,
		"JAVA_VERSION=\"25\"":                           25,
		"JAVA_RUNTIME_VERSION=\"17\"":                   0, "": 0, "JAVA_VERSION=\"": 0, "JAVA_VERSION=\"x\"": 0,
	} {
		if got := majorVersion(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

// echoMain prints the command line as a JVM received it.
const echoMain = `package io.odfix.harness;
public class Main {
  public static void main(String[] a) throws Exception {
    java.io.PrintStream out = new java.io.PrintStream(System.out, true, "UTF-8");
    out.println(System.getProperty("text"));
    out.println(System.getProperty("project"));
    out.println(Main.class.getClassLoader().getResource("found.txt") != null);
    out.println(System.getProperty("java.class.path").length() > 100000);
  }
}`

// A real JVM receives the same arguments in each form of a long class path, also with blanks and
// non-ASCII letters in paths.
func TestLongClassPath(t *testing.T) {
	root := filepath.Join(t.TempDir(), "a b'ü\"%+")
	classes, resources, scratch := filepath.Join(root, "classes"), filepath.Join(root, "res ö"), filepath.Join(root, "scratch")
	write(t, filepath.Join(root, "Main.java"), echoMain)
	write(t, filepath.Join(root, "project.args"), "-Dproject=its\n")
	write(t, filepath.Join(resources, "found.txt"), "")
	utf8 := append(os.Environ(), "LC_ALL=C.UTF-8")
	javac := exec.Command("javac", "-d", classes, filepath.Join(root, "Main.java"))
	javac.Env = utf8
	if out, err := javac.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	path := []string{}
	for i := range 3000 {
		path = append(path, fmt.Sprintf("%s/no such jar %050d.jar", root, i))
	}
	java, err := exec.LookPath("java")
	if err != nil {
		t.Fatal(err)
	}
	j := JVM{Java: java, ClassPath: append(path, resources), HarnessJar: classes, Env: utf8, Scratch: scratch,
		Args:       []string{"@" + filepath.Join(root, "project.args")},
		Properties: map[string]string{"text": "say \"ü\" \\ \ttab 'single' #no comment"}}
	long, err := j.Spec()
	if err != nil {
		t.Fatal(err)
	}
	if len(long.Command) != 3 || !strings.HasPrefix(long.Command[2], "@") {
		t.Errorf("command = %.300q", long.Command)
	}
	want := j.Properties["text"] + "\nits\ntrue\ntrue\n"
	if got := output(t, long); got != want {
		t.Errorf("with a file of arguments: %q, want %q", got, want)
	}
	jar, err := j.manifestJar(j.classPath())
	if err != nil {
		t.Fatal(err)
	}
	old := Spec{Command: append([]string{java}, j.arguments([]string{jar})...), Env: utf8}
	if got, want := output(t, old), strings.TrimSuffix(want, "true\n")+"false\n"; got != want {
		t.Errorf("with a manifest jar: %q, want %q", got, want)
	}
	again, err := j.Spec()
	if err != nil || again.Command[2] != long.Command[2] {
		t.Errorf("the same arguments went to %v and %v", long.Command, again.Command)
	}
}

func output(t *testing.T, s Spec) string {
	t.Helper()
	cmd := exec.Command(s.Command[0], s.Command[1:]...)
	cmd.Env, cmd.Dir = s.Env, s.Dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	return string(out)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestOldJavaWithLongArguments(t *testing.T) {
	j := JVM{Java: filepath.Join(t.TempDir(), "java"), HarnessJar: "h.jar", Scratch: t.TempDir(), Dir: "/project dir",
		ClassPath: []string{"rel/" + strings.Repeat("x", maxArgument)}}
	s, err := j.Spec()
	if err != nil {
		t.Fatal(err)
	}
	jar := s.Command[len(s.Command)-2]
	r, err := zip.OpenReader(jar)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	f, err := r.Open("META-INF/MANIFEST.MF")
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	text.ReadFrom(f)
	for line := range strings.Lines(text.String()) {
		if len(line) > 72 {
			t.Fatalf("a line of %d bytes", len(line))
		}
	}
	whole := strings.ReplaceAll(text.String(), "\r\n ", "")
	if !strings.Contains(whole, "Class-Path: file:///project%20dir/rel/xxx") ||
		!strings.HasSuffix(whole, " file:///project%20dir/h.jar\r\n\r\n") {
		t.Errorf("manifest = %.100q…", whole)
	}
	j.Args = []string{strings.Repeat("y", maxArgument+1)}
	if _, err := j.Spec(); err == nil || !strings.Contains(err.Error(), "Java 9") {
		t.Errorf("err = %.100v", err)
	}
}

// A JVM refuses two collectors, so quick processes choose one only if nothing else does.
func TestQuickCollector(t *testing.T) {
	for name, c := range map[string]struct {
		jvm  JVM
		want bool
	}{
		"nobody chose":       {JVM{Env: []string{"GC=no"}}, true},
		"the build":          {JVM{Env: []string{}, Args: []string{"-XX:+UseParallelGC"}}, false},
		"for quick ones":     {JVM{Env: []string{}, QuickArgs: []string{"-XX:+UseG1GC"}}, false},
		"a file of the user": {JVM{Env: []string{}, Args: []string{"@args"}}, false},
		"the environment":    {JVM{Env: []string{"JAVA_TOOL_OPTIONS=-XX:+UseZGC"}}, false},
	} {
		c.jvm.Java, c.jvm.HarnessJar, c.jvm.Quick = "java", "h.jar", true
		s, err := c.jvm.Spec()
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Contains(s.Command, "-XX:+UseSerialGC"); got != c.want {
			t.Errorf("%s: serial collector %v, want %v", name, got, c.want)
		}
	}
}
