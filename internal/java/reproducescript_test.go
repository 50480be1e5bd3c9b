//go:build unix

package java

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/shell"
	"github.com/odfix/odfix/internal/suite"
)

// pasted runs the script as a person would, in a folder with an odd name. The build tool prints its
// arguments and ends with a status.
func pasted(t *testing.T, dir, module, end string) (int, string) {
	t.Helper()
	bin := t.TempDir()
	mvn := "#!/bin/sh\necho \"mvn $*\"\ncat " + shell.Quote(module+"/src/test/java/OrderReproductionTest.java") + "\n" + end + "\n"
	if err := os.WriteFile(filepath.Join(bin, "mvn"), []byte(mvn), 0o755); err != nil {
		t.Fatal(err)
	}
	a := reproductions(surefire, surefires, suite.Order{"a.A#it's", "a.A#one"}, suite.Order{"a.A#one", "a.A#it's"}, []string{"junit 4.12"}, "src/test/java")
	script := a[len(a)-1].script("mvn test '-Dx=y z'", module) + "\nstatus=$?; trap; case $- in *C*) echo noclobber;; esac; exit $status\n"
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// TestReproductionScriptWorks runs the script in a real shell, in folders with blanks and quotes in
// their names.
func TestReproductionScriptWorks(t *testing.T) {
	for _, module := range []string{"lib", "my module", "it's $HOME"} {
		dir := t.TempDir()
		roots := filepath.Join(dir, module, "src", "test", "java")
		if err := os.MkdirAll(roots, 0o755); err != nil {
			t.Fatal(err)
		}
		for end, want := range map[string]int{"exit 1": 1, "exit 0": 0, "kill -TERM $PPID": notRun} {
			status, out := pasted(t, dir, module, end)
			for _, part := range []string{"mvn test -Dx=y z", `{"a.A", "it's"},`, "public class OrderReproductionTest"} {
				if !strings.Contains(out, part) {
					t.Errorf("%s: %q is missing in:\n%s", module, part, out)
				}
			}
			if status != want || strings.Contains(out, "rm -f") || strings.Contains(out, "noclobber") {
				t.Errorf("%s: status %d, want %d; what stays in the shell:\n%s", module, status, want, out)
			}
			if left, _ := os.ReadDir(roots); len(left) > 0 {
				t.Errorf("%s: files that are still there: %v", module, left)
			}
		}
	}
}

// TestReproductionScriptTouchesNoFileOfTheUser checks the script if a file of the same name exists.
func TestReproductionScriptTouchesNoFileOfTheUser(t *testing.T) {
	dir := t.TempDir()
	own := filepath.Join(dir, "my module", "src", "test", "java", "OrderReproductionTest.java")
	if err := os.MkdirAll(filepath.Dir(own), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(own, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	status, out := pasted(t, dir, "my module", "exit 1")
	if now, err := os.ReadFile(own); err != nil || string(now) != "mine" {
		t.Errorf("it is now %q (%v)", now, err)
	}
	if status != notRun || strings.Contains(out, "mvn test") || !strings.Contains(out, "OrderReproductionTest.java") {
		t.Errorf("status %d\n%s", status, out)
	}
}
