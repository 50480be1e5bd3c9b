package jest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

func run(t *testing.T, j job.Job) *job.Report {
	t.Helper()
	return engine.Run(context.WithoutCancel(t.Context()), j, engine.Options{
		Languages: []project.Language{Language{}}, Version: "test", Log: zap.NewNop(),
		Progress: func(e job.Event) { t.Log(e.Phase, e.Message, e.Best) },
	})
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
