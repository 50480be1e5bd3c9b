package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"
)

// actionFile is what is tested of action.yml.
type actionFile struct {
	Inputs map[string]struct{ Description string }
	Runs   struct {
		Steps []struct {
			Name, Run, Uses string
			Env             map[string]string
		}
	}
}

func readAction(t *testing.T) actionFile {
	t.Helper()
	text, err := os.ReadFile("../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var a actionFile
	if err := yaml.Unmarshal(text, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestActionMirrorsFlags: each flag of fix and detect is an input that reaches odfix, but for those
// that the action sets itself.
func TestActionMirrorsFlags(t *testing.T) {
	a := readAction(t)
	var env map[string]string
	for _, s := range a.Runs.Steps {
		if s.Name == "Run odfix" {
			env = s.Env
		}
	}
	script, err := os.ReadFile("../.ci/action/run")
	if err != nil {
		t.Fatal(err)
	}
	_, passed, _ := strings.Cut(string(script), "for flag in ")
	passed, _, _ = strings.Cut(passed, "; do")
	own := []string{"apply", "format", "help", "out", "resume", "verbose"}
	var code int
	w := newWorkspace(t).world()
	flags := map[string]bool{}
	for _, cmd := range []*cobra.Command{fixCommand(w, &code), detectCommand(w, &code)} {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if slices.Contains(own, f.Name) {
				return
			}
			flags[f.Name] = true
			name := "FLAG_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
			if a.Inputs[f.Name].Description == "" || env[name] != "${{ inputs."+f.Name+" }}" {
				t.Errorf("odfix %s --%s is no input of action.yml (%s)", cmd.Name(), f.Name, name)
			}
			if !slices.Contains(strings.Fields(passed), f.Name) {
				t.Errorf(".ci/action/run does not pass --%s", f.Name)
			}
		})
	}
	for name := range env {
		if flag, ok := strings.CutPrefix(name, "FLAG_"); ok && !flags[strings.ToLower(strings.ReplaceAll(flag, "_", "-"))] {
			t.Errorf("%s is no flag", name)
		}
	}
}

// TestActionIsSafe: no expression is part of a script, the tests never get the token, and actions of
// others are pinned by commit.
func TestActionIsSafe(t *testing.T) {
	pinned := regexp.MustCompile(`^[^@]+@[0-9a-f]{40}$`)
	for _, s := range readAction(t).Runs.Steps {
		if strings.Contains(s.Run, "${{") {
			t.Errorf("%s: an expression in a script: %s", s.Name, s.Run)
		}
		if s.Uses != "" && !pinned.MatchString(s.Uses) {
			t.Errorf("%s is not pinned", s.Uses)
		}
		_, token := s.Env["GITHUB_TOKEN"]
		for _, name := range []string{"BASH_ENV", "LD_PRELOAD"} {
			if value, ok := s.Env[name]; token && (!ok || value != "") {
				t.Errorf("the step %q has the token, and %s of an earlier step", s.Name, name)
			}
		}
		for name, value := range s.Env {
			if strings.Contains(value, "token") && s.Name != "Post the report" {
				t.Errorf("the step %q gets the token as %s", s.Name, name)
			}
		}
	}
}

// TestWorkflowsOfTheDocs: the workflows of docs/ci.md are YAML, and give the action inputs that it has.
func TestWorkflowsOfTheDocs(t *testing.T) {
	text, err := os.ReadFile("../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	inputs, uses := readAction(t).Inputs, 0
	for _, block := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		var workflow struct {
			Jobs map[string]struct {
				Steps []struct {
					Uses string
					With map[string]string
				}
			}
		}
		if err := yaml.Unmarshal([]byte(block[1]), &workflow); err != nil {
			t.Errorf("%v in %s", err, block[1])
		}
		for _, j := range workflow.Jobs {
			for _, s := range j.Steps {
				if !strings.HasPrefix(s.Uses, "odfix/odfix@") {
					continue
				}
				uses++
				for name := range s.With {
					if inputs[name].Description == "" {
						t.Errorf("%s is no input of the action", name)
					}
				}
			}
		}
	}
	if uses < 3 {
		t.Errorf("only %d uses of the action are in docs/ci.md", uses)
	}
}

// actionScript runs a script of the action in an empty folder. Programs are shell scripts by name.
func actionScript(t *testing.T, name string, programs map[string]string, env ...string) (outputs, log string, err error) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the action's scripts are for bash")
	}
	script, absErr := filepath.Abs("../.ci/action/" + name)
	if absErr != nil {
		t.Fatal(absErr)
	}
	dir := t.TempDir()
	bin := filepath.Join(dir, "programs")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range programs {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command("bash", script)
	c.Dir = dir
	c.Env = append([]string{"PATH=" + bin + ":/usr/bin:/bin", "RUNNER_TEMP=" + dir, "GITHUB_OUTPUT=" + filepath.Join(dir, "outputs"),
		"GITHUB_STEP_SUMMARY=" + filepath.Join(dir, "summary"), "ODFIX=" + filepath.Join(bin, "odfix")}, env...)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err = c.Run()
	text, readErr := os.ReadFile(filepath.Join(dir, "outputs"))
	if readErr != nil && !os.IsNotExist(readErr) {
		t.Fatal(readErr)
	}
	summary, _ := os.ReadFile(filepath.Join(dir, "summary")) // it may be missing
	return string(text), out.String() + string(summary), err
}

// TestActionArguments: inputs become arguments of their own, whatever they hold.
func TestActionArguments(t *testing.T) {
	odfix := `case $1 in
report) echo "as $4" ;;
*) for a; do echo "<$a>"; done
  for a; do [ "$before" != --out ] || { mkdir -p "$a"; echo '{}' > "$a/report.json"; }; before=$a; done
  exit 3 ;;
esac
`
	outputs, log, err := actionScript(t, "run", map[string]string{"odfix": odfix}, "MODE=fix", "DIRECTORY=a b",
		"FLAG_TEST=A#a\nB#b; touch evil", "FLAG_BUDGET=", "FLAG_BUILD_ARG=-Dx=$(touch evil) y", "FLAG_TEST_TIMEOUT=9s",
		"FLAG_OUT=elsewhere", "FLAG_FEATURE_X=on")
	if err != nil {
		t.Fatalf("%v %s", err, log)
	}
	wantIn(t, log, "<fix>\n<a b>\n", "<--test=A#a>\n<--test=B#b; touch evil>\n", "<--build-arg=-Dx=$(touch evil) y>", "<--test-timeout=9s>",
		"as markdown")
	wantNotIn(t, log, "budget")
	wantNotIn(t, log, "elsewhere")
	wantNotIn(t, log, "feature")
	wantIn(t, outputs, "status=3", "/odfix-fix/report.json", "/odfix-fix/odfix.sarif")
}

// TestActionWithoutReport: without a report, nothing is uploaded or posted; wrong inputs fail the step.
func TestActionWithoutReport(t *testing.T) {
	outputs, log, err := actionScript(t, "run", map[string]string{"odfix": "exit 1\n"}, "MODE=fix", "DIRECTORY=.")
	if err != nil || outputs != "status=1\n" {
		t.Errorf("%v %q %s", err, outputs, log)
	}
	if _, log, err := actionScript(t, "run", map[string]string{"odfix": "exit 2\n"}, "MODE=fix", "DIRECTORY=."); err == nil {
		t.Errorf("wrong inputs: %s", log)
	}
	if _, log, err := actionScript(t, "run", map[string]string{"odfix": "exit 0\n"}, "MODE=serve", "DIRECTORY=."); err == nil {
		t.Errorf("wrong mode: %s", log)
	}
}

// TestActionInstalls: an odfix in PATH is used; else a release, which a version asks for.
func TestActionInstalls(t *testing.T) {
	odfix := "echo here\n"
	outputs, log, err := actionScript(t, "install", map[string]string{"odfix": odfix})
	if err != nil || !strings.HasSuffix(outputs, "/programs/odfix\n") {
		t.Errorf("%v %q %s", err, outputs, log)
	}
	curl := `while [ "$1" != -o ]; do shift; done
echo "from $3" >&2
echo 'mkdir -p "$PREFIX/bin"; printf "#!/bin/sh\necho installed\n" > "$PREFIX/bin/odfix"; chmod +x "$PREFIX/bin/odfix"' > "$2"
`
	outputs, log, err = actionScript(t, "install", map[string]string{"odfix": odfix, "curl": curl}, "ODFIX_VERSION=v1.2.3")
	if err != nil || !strings.HasSuffix(outputs, "/odfix-install/bin/odfix\n") {
		t.Errorf("%v %q %s", err, outputs, log)
	}
	wantIn(t, log, "/releases/download/v1.2.3/install.sh", "installed")
	if _, log, err = actionScript(t, "install", map[string]string{"curl": "exit 22\n"}, "ODFIX_VERSION=9"); err == nil {
		t.Errorf("a release that is not there: %s", log)
	}
	wantIn(t, log, "::error title=odfix::Release 9")
	_, log, err = actionScript(t, "install", map[string]string{"curl": "exit 22\n", "make": "echo \"make $3\"; exit 1\n"})
	if err == nil {
		t.Error("a failed build is no error")
	}
	wantIn(t, log, "make bin/odfix")
}
