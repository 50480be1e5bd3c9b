//go:build unix

package harness

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/suite"
	"github.com/odfix/odfix/runner/junit"
)

// stateJVM compiles testdata/state with the JDK, for Java 8 or for the JDK's own version, and runs
// it with the agent. The test framework comes from the class path of the orders project.
func stateJVM(t *testing.T, home string, own bool) JVM {
	t.Helper()
	j := realJVM(t)
	dir := t.TempDir()
	writeLarge(t, dir)
	sources, err := filepath.Glob("testdata/state/*.java")
	if err != nil {
		t.Fatal(err)
	}
	if home != "" {
		j.Java = filepath.Join(home, "bin", "java")
	}
	javac := "javac"
	args := []string{"-nowarn", "-d", dir, "-cp", strings.Join(j.ClassPath, ":")}
	if own {
		javac = filepath.Join(home, "bin", "javac")
	} else {
		args = append(args, "--release", "8")
	}
	args = append(append(args, filepath.Join(dir, "Large.java")), sources...)
	if out, err := exec.Command(javac, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", javac, err, out)
	}
	agent, err := junit.Unpack(t.TempDir(), junit.State)
	if err != nil {
		t.Fatal(err)
	}
	j.Agent, j.ClassPath, j.Dir = agent, append([]string{dir}, j.ClassPath...), dir
	j.Properties = map[string]string{"odfix.provider": "junit4"}
	return j
}

// writeLarge writes a class with a method so long that nothing can be woven into it.
func writeLarge(t *testing.T, dir string) {
	t.Helper()
	var b strings.Builder
	b.WriteString("package state;\n\nclass Large {\n\tstatic int x;\n\n\tstatic int run() {\n")
	for range 6000 {
		b.WriteString("\t\tx++;\n")
	}
	b.WriteString("\t\treturn x;\n\t}\n}\n")
	if err := os.WriteFile(filepath.Join(dir, "Large.java"), []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// did returns what a test did with a place: r read, w write, i read and p write in an initialiser,
// v changed, u unsure.
func (w *witness) did(position int, place string) string {
	what := map[byte]bool{}
	note := func(list []int, mark byte) {
		for _, p := range list {
			what[mark] = what[mark] || w.places[p] == place
		}
	}
	for _, s := range w.segments {
		if s.Kind != 't' || s.Position != position {
			continue
		}
		note(s.Read, 'r')
		note(s.Written, 'w')
		note(s.InitRead, 'i')
		note(s.InitWrite, 'p')
		for _, v := range s.Values {
			mark := byte('v')
			if v.Unsure {
				mark = 'u'
			}
			note([]int{v.Field}, mark)
		}
	}
	var out string
	for _, c := range "rwipvu" {
		if what[byte(c)] {
			out += string(c)
		}
	}
	return out
}

// TestRealObservation covers every shape of state, on the installed JDK and on each JDK named in
// ODFIX_TEST_JDKS (homes, separated by colons).
func TestRealObservation(t *testing.T) {
	homes := append([]string{""}, strings.FieldsFunc(os.Getenv("ODFIX_TEST_JDKS"), func(r rune) bool { return r == ':' })...)
	for _, home := range homes {
		t.Run(filepath.Base(home), func(t *testing.T) { observeShapes(t, stateJVM(t, home, false)) })
		if home != "" {
			t.Run(filepath.Base(home)+" compiled by itself", func(t *testing.T) { observeShapes(t, stateJVM(t, home, true)) })
		}
	}
}

func observeShapes(t *testing.T, j JVM) {
	o := suite.Order{}
	for _, m := range []string{"looks", "registers", "registersAndRemoves", "puts", "putsTheSame", "array",
		"local", "single", "inherited", "property",
		"captures", "locale", "cookies", "fails", "afterAFailure", "reflects", "huge", "threads", "lonely", "large"} {
		o = append(o, suite.TestID("state.StateTest#"+m))
	}
	var w witness
	run, err := realPool(t, j, nil).Observe(t.Context(), o, &w, 0)
	if err != nil || run.Crash != nil {
		t.Fatalf("%v %+v", err, run)
	}
	for _, r := range run.Results {
		if r.Outcome != suite.Pass {
			t.Errorf("%s: %+v", r.Test, r.Failure)
		}
	}
	got := map[string]string{}
	want := map[string]string{
		"looks REGISTRY": "r", "looks plain": "r", "looks NAME": "", "looks NUMBER": "", "looks NOTHING": "",
		"registers REGISTRY": "rv", "registersAndRemoves REGISTRY": "r",
		"puts plain": "wv", "puts real": "wv", "putsTheSame plain": "w",
		"array array": "rv", "local LOCAL": "rv", "single Single.INSTANCE": "rv",
		"inherited plain": "wv", "inherited Constants.SHARED": "rv",
		"captures Captured.log": "r", "captures plain": "i", "captures REGISTRY": "iv", "captures putAtFirst": "pv",
		"afterAFailure plain": "wv", "fails Failing.value": "", "reflects ByReflection.text": "rv", "huge Huge.graph": "ru",
		"threads REGISTRY": "rv", "threads real": "rwv",
	}
	for key := range want {
		test, place, _ := strings.Cut(key, " ")
		got[key] = w.did(o.Index(suite.TestID("state.StateTest#"+test)), "state.Shapes."+place)
		if class, _, nested := strings.Cut(place, "."); nested {
			got[key] = w.did(o.Index(suite.TestID("state.StateTest#"+test)), "state.Shapes$"+class+strings.TrimPrefix(place, class))
		}
	}
	for key, place := range map[string]string{
		"property": "system property state.captured (ambient)", "captures": "system property state.captured (ambient)",
		"locale": "java.util.Locale.defaultLocale (ambient)", "lonely": "state.Lonely.count",
		"cookies": "java.net.CookieHandler.cookieHandler (ambient)",
	} {
		got[key+" "+place] = w.did(o.Index(suite.TestID("state.StateTest#"+key)), place)
	}
	want["property system property state.captured (ambient)"] = "wv"
	want["captures system property state.captured (ambient)"] = "i"
	want["locale java.util.Locale.defaultLocale (ambient)"] = "wv"
	want["cookies java.net.CookieHandler.cookieHandler (ambient)"] = "v"
	want["lonely state.Lonely.count"] = "rwv"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("did (-want +got):\n%s", diff)
	}
	if n := len(slices.DeleteFunc(slices.Clone(w.places), func(p string) bool { return p != "state.Lonely.count" })); n != 2 {
		t.Errorf("a class loaded twice is %d places", n)
	}
	if notes := strings.Join(w.notes, "\n"); !strings.Contains(notes, "state/Large") || len(w.notes) != 1 {
		t.Errorf("notes: %s", notes)
	}
	if strings.Contains(run.Output, "WARNING") || strings.Contains(run.Output, "odfix state") {
		t.Errorf("it printed %s", run.Output)
	}
	if first := w.segments[0]; first.Kind != 'b' && first.Kind != 'o' {
		t.Errorf("the setup is not the first segment: %s", fmt.Sprint(first))
	}
}
