//go:build unix

package harness

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// TestRealListeners checks that changes by a listener of the Platform when tests begin are not
// attributed to a test. The order runs a class in two parts, so the listener is called twice.
func TestRealListeners(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts many JVMs")
	}
	j := stateJVM(t, "", false)
	delete(j.Properties, "odfix.provider")
	j.AgentFile = filepath.Join(t.TempDir(), "state.properties")
	dir := t.TempDir()
	files := map[string]string{
		"Begun.java": "package listens;\n\nclass Begun {\n\tstatic int times;\n\tstatic int tests;\n}\n",
		"Listener.java": "package listens;\n\npublic class Listener implements org.junit.platform.launcher.TestExecutionListener {\n" +
			"\tpublic void testPlanExecutionStarted(org.junit.platform.launcher.TestPlan plan) {\n\t\tBegun.times++;\n\t}\n}\n",
		"META-INF/services/org.junit.platform.launcher.TestExecutionListener": "listens.Listener\n",
	}
	for _, class := range []string{"ATest", "BTest"} {
		files[class+".java"] = "package listens;\n\nimport org.junit.jupiter.api.Test;\n\nclass " + class +
			" {\n\t@Test void a() { Begun.tests += Begun.times; }\n\t@Test void b() { Begun.tests += Begun.times; }\n}\n"
	}
	args := []string{"-nowarn", "-d", dir, "-cp", strings.Join(j.ClassPath, ":")}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, ".java") {
			args = append(args, path)
		}
	}
	if err := os.WriteFile(j.AgentFile, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("javac", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	j.ClassPath = append([]string{dir}, j.ClassPath...)
	o := suite.Order{"listens.ATest#a", "listens.BTest#a", "listens.ATest#b"}
	var w heapWitness
	run, err := realPool(t, j, nil).Observe(t.Context(), o, &w, 0)
	if err != nil || run.Crash != nil || run.Last().Outcome != suite.Pass {
		t.Fatalf("%v %+v", err, run)
	}
	for i := range o {
		if got := w.left(i); !strings.HasPrefix(got, "listens.Begun.tests: ") || strings.Contains(got, "times") {
			t.Errorf("%s left %q", o[i], got)
		}
	}
	outside := 0
	for _, c := range w.captures {
		for _, ch := range c.Changes {
			if c.Kind != 't' && c.Kind != 'o' {
				t.Errorf("%c %d: %s", c.Kind, c.Position, ch.Path)
			}
			if c.Kind == 'o' && ch.Path == "listens.Begun.times" {
				outside++
			}
		}
	}
	if outside == 0 {
		t.Error("what the listener did was not seen at all")
	}
}
