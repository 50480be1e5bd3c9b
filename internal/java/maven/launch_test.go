package maven

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/java/build"
)

// ownToLauncher matches differences that come from another main class than Surefire's, or from
// another Maven.
var ownToLauncher = regexp.MustCompile(`^(property (surefire\.|java\.class\.path|sun\.java\.command|jdk\.module\.main|sun\.cpu|java\.vm\.compressed|user\.dir)|environment (_|SHLVL|OLDPWD|MAVEN_CMD_LINE_ARGS|MAVEN_OPTS|MAVEN_PROJECTBASEDIR|GIT_OPTIONAL_LOCKS) )`)

// A test sees the same launch in odfix's JVM as under the project's own Surefire.
func TestLaunchEqualsTheBuilds(t *testing.T) {
	for _, surefire := range []string{"2.18.1", "3.2.5"} {
		t.Run(surefire, func(t *testing.T) {
			if testing.Short() && surefire != "3.2.5" {
				t.Skip("a variant of 3.2.5")
			}
			needMaven(t)
			p, launches := mustRecord(t, "dump.txt", build.Options{Args: []string{"-Dsurefire=" + surefire, "-Dgiven=1"}}, 1)
			l := launches[0]
			args := append([]string(nil), l.JVMArgs...)
			for k, v := range l.Properties {
				args = append(args, "-D"+k+"="+v)
			}
			args = append(args, "-cp", strings.Join(append(l.ClassPath, l.ProviderPath...), ":"),
				"org.junit.runner.JUnitCore", "a.DumpTest")
			ours := exec.Command(l.Java, args...)
			ours.Dir, ours.Env = l.Dir, l.Environ(os.Environ())
			run(t, ours)

			dir, line := p.CommandLine("-B")
			theirs := exec.Command("sh", "-c", line)
			theirs.Dir = dir
			run(t, theirs)

			got := dump(t, filepath.Join(l.Dir, "dump.txt"), p)
			want := dump(t, p.Source(filepath.Join(l.Dir, "dump.txt")), p)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if len(want) < 40 {
				t.Errorf("only %d lines to compare", len(want))
			}
		})
	}
}

func run(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
}

// dump reads what a test wrote, with the checkout's paths.
func dump(t *testing.T, file string, p *Project) []string {
	t.Helper()
	var out []string
	for _, line := range strings.Split(build.MovePrefix(read(t, file), p.Tree(), p.At.Anchor), "\n") {
		if !ownToLauncher.MatchString(line) {
			out = append(out, line)
		}
	}
	return out
}
