package jest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/engine"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/project/projecttest"
	"github.com/odfix/odfix/internal/suite"
)

// example is the folder of an example. Its packages are those in its node_modules, or odfix
// installs them, which takes npm and a registry.
func example(t *testing.T, name string) (dir, work string) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs the packages of the examples")
	}
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " is not installed")
		}
	}
	dir, err := filepath.Abs(filepath.Join("..", "..", "examples", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return dir, filepath.Join(cache, "odfix-test")
}

func TestConformance(t *testing.T) {
	t.Run("in one file", func(t *testing.T) {
		dir, work := example(t, "jest-mock-calls")
		const file = "mailer.test.js#mailer › "
		projecttest.Test(t, Language{}, projecttest.Example{
			Dir: dir, Work: work, Polluter: file + "greets a new user", Victim: file + "reminds every user once",
			Cleaner: file + "reminds nobody where there is nobody",
		})
	})
	t.Run("between files", func(t *testing.T) {
		dir, work := example(t, "jest-workspace/left-file")
		polluter, victim := suite.TestID("left-file/keep.test.js#keeping › a letter is in the archive"),
			suite.TestID("left-file/list.test.js#a new archive is empty")
		projecttest.Test(t, Language{}, projecttest.Example{
			Dir: dir, Work: work, Polluter: polluter, Victim: victim,
			Cleaner: "left-file/remove.test.js#without its folder the archive is empty",
			Writer:  polluter, Finder: victim, File: "archive/letter.txt",
		})
	})
}

// TestFix: each example has its verdict, its polluter or state-setter, and a proved patch.
func TestFix(t *testing.T) {
	for _, c := range []struct {
		dir       string
		test      suite.TestID
		order     []string
		verdict   suite.Verdict
		cause     suite.TestID // its polluter or state-setter
		statement string       // of the patch; "": there is none
		file      string       // that the patch changes
		state     string       // that is proved to matter; "": none is
	}{
		{
			dir: "jest-mock-calls", test: "mailer.test.js#mailer › reminds every user once", verdict: suite.Victim,
			cause: "mailer.test.js#mailer › greets a new user", statement: "transport.send.mockClear();", file: "mailer.test.js",
			state: "mock mailer.test.js transport.send",
		},
		{
			dir: "jest-workspace/module-state", test: "module-state/cart.test.js#cart › at first › is empty", verdict: suite.Victim,
			cause: "module-state/cart.test.js#cart › counts what is added", statement: "clear();", file: "module-state/cart.test.js",
		},
		{
			dir: "jest-workspace/environment", test: "environment/greeting.test.js#speaks English", verdict: suite.Victim,
			cause:     "environment/greeting.test.js#speaks French where the environment says so",
			statement: "delete process.env.GREETING_LANGUAGE", file: "environment/greeting.test.js",
			state: "env GREETING_LANGUAGE",
		},
		{
			dir: "jest-workspace/brittle", test: "brittle/formats.test.js#formats › writes nothing for no rows", verdict: suite.Brittle,
			cause:     "brittle/formats.test.js#formats › takes a new format",
			statement: "formats.register('lines', (rows) => rows.join('\\n'));", file: "brittle/formats.test.js",
		},
		{
			dir: "jest-workspace/left-file", test: "left-file/list.test.js#a new archive is empty", verdict: suite.Victim,
			order:     []string{"left-file/keep.test.js", "left-file/list.test.js"},
			cause:     "left-file/keep.test.js#keeping › a letter is in the archive",
			statement: "fs.rmSync(folder, { recursive: true, force: true });", file: "left-file/keep.test.js",
			state: "file left-file/archive",
		},
		{dir: "jest-workspace/genuine-failure", test: "genuine-failure/tax.test.js#rounds up", verdict: suite.Genuine},
	} {
		t.Run(filepath.Base(c.dir), func(t *testing.T) {
			dir, work := example(t, c.dir)
			before := filesOf(t, dir)
			j := job.Job{Version: job.Version, Kind: job.KindFix, Dir: dir, Work: work, Tests: []string{string(c.test)},
				Budget: 20 * time.Minute}
			if len(c.order) > 0 {
				j.Order = &job.ObservedOrder{Source: "ci", Provenance: suite.Partial, Tests: c.order}
			}
			r := run(t, j)
			if r.Error != nil || len(r.Tests) != 1 {
				t.Fatalf("%+v, %d tests", r.Error, len(r.Tests))
			}
			got := r.Tests[0]
			if got.Test != c.test || got.Verdict != c.verdict {
				t.Fatalf("%s is %s: %s", got.Test, got.Verdict, got.Reason)
			}
			causes := slices.Concat(slices.Concat(got.Polluters...), slices.Concat(got.StateSetters...))
			if c.cause != "" && !slices.Contains(causes, c.cause) {
				t.Errorf("causes: %v", causes)
			}
			switch {
			case c.statement == "":
				if len(got.Patches) > 0 {
					t.Errorf("a patch for a %s: %v", got.Verdict, got.Patches)
				}
			case len(got.Patches) != 1 || !got.Patches[0].Proof.Proved:
				t.Errorf("patches %+v, notes %v", got.Patches, got.Notes)
			case !slices.Contains(got.Patches[0].Statements, c.statement) ||
				len(got.Patches[0].Files) != 1 || got.Patches[0].Files[0] != inGit(t, dir, c.file):
				t.Errorf("the patch holds %q in %v:\n%s", got.Patches[0].Statements, got.Patches[0].Files, got.Patches[0].Diff)
			}
			if c.state != "" && (!got.StateMatters || !slices.Contains(got.State, c.state)) {
				t.Errorf("state %q matters: %v; notes %v", got.State, got.StateMatters, got.Notes)
			}
			if after := filesOf(t, dir); !slices.Equal(before, after) {
				t.Errorf("the checkout has changed: %v, before: %v", after, before)
			}
		})
	}
}

// inGit is a file of an example, relative to the top of the checkout. The ids of tests name files
// relative to the root of the example's workspace.
func inGit(t *testing.T, dir, file string) string {
	t.Helper()
	root := workspaceRoot(dir)
	rel, err := filepath.Rel(checkoutTop(root), filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	return filepath.ToSlash(rel)
}

func run(t *testing.T, j job.Job) *job.Report {
	t.Helper()
	return engine.Run(context.WithoutCancel(t.Context()), j, engine.Options{
		Languages: []project.Language{Language{}}, Version: "test", Log: zap.NewNop(),
		Progress: func(e job.Event) { t.Log(e.Phase, e.Message, e.Best) },
	})
}

// filesOf are the files of a folder, without installed packages.
func filesOf(t *testing.T, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == modules {
			return filepath.SkipDir
		}
		if err == nil {
			out = append(out, strings.TrimPrefix(path, dir))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestDetect: detection finds the victim in its own order.
func TestDetect(t *testing.T) {
	dir, work := example(t, "jest-workspace/environment")
	r := run(t, job.Job{Version: job.Version, Kind: job.KindDetect, Dir: dir, Work: work, Budget: 20 * time.Minute,
		Detect: &job.DetectOptions{}})
	if r.Error != nil || r.Detection == nil {
		t.Fatalf("%+v", r.Error)
	}
	found := slices.ContainsFunc(r.Tests, func(x job.TestReport) bool {
		return x.Test == "environment/greeting.test.js#speaks English" && x.Verdict == suite.Victim
	})
	if !found {
		t.Errorf("%+v", r.Tests)
	}
}
