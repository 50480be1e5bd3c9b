package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// found puts a detection into the workspace's report.
func (d *workspace) found(exhausted bool, tests ...suite.TestID) {
	d.report.Detection = &job.Detection{Technique: "auto", Exhausted: exhausted, Orders: 4, Executions: 40}
	for _, t := range tests {
		d.report.Detection.Finds = append(d.report.Detection.Finds, job.Found{Test: t, Orders: 2})
		d.report.Detection.Causes = append(d.report.Detection.Causes,
			job.Cause{Role: job.Polluter, Tests: []suite.TestID{t}, By: []suite.Order{{"a.P#p"}}})
	}
}

func TestDetectExitStatus(t *testing.T) {
	for name, c := range map[string]struct {
		verdicts []suite.Verdict
		fixed    bool
		err      *job.Error
		want     int
	}{
		"nothing found":                 {want: exitOK},
		"a victim":                      {verdicts: []suite.Verdict{suite.Victim}, want: exitNoPatch},
		"a victim with a patch":         {verdicts: []suite.Verdict{suite.Victim}, fixed: true, want: exitOK},
		"genuine":                       {verdicts: []suite.Verdict{suite.Genuine}, want: exitGenuine},
		"flaky":                         {verdicts: []suite.Verdict{suite.FlakyOther}, want: exitFlaky},
		"flaky and a victim":            {verdicts: []suite.Verdict{suite.FlakyOther, suite.Brittle}, want: exitNoPatch},
		"genuine and a victim, patched": {verdicts: []suite.Verdict{suite.Victim, suite.Genuine}, fixed: true, want: exitGenuine},
		"an error besides what is found": {verdicts: []suite.Verdict{suite.Victim},
			err: &job.Error{Code: "x", Message: "m"}, want: exitError},
	} {
		t.Run(name, func(t *testing.T) {
			d := newWorkspace(t)
			d.write(t, javaFile, "1\n2\n")
			d.found(true)
			d.report.Error = c.err
			for i, v := range c.verdicts {
				id := suite.TestID("a.A#" + string(rune('a'+i)))
				var patches []job.Patch
				if i == 0 && c.fixed {
					patches = append(patches, d.proved(t, javaFile, "x", id))
				}
				d.verdict(id, v, patches...)
			}
			if got := d.run(t.Context(), "detect", d.dir); got != c.want {
				t.Errorf("status %d, want %d\n%s%s", got, c.want, &d.stdout, &d.stderr)
			}
		})
	}
}

func TestDetectJob(t *testing.T) {
	d := newWorkspace(t)
	d.found(true)
	pairs := filepath.Join(t.TempDir(), "pairs")
	if err := os.WriteFile(pairs, []byte("a.A#x\ta.B#y\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	d.run(t.Context(), "detect", d.dir, "--technique", "target-pairs", "--pairs", pairs, "--seed", "7",
		"--fix", "--resume", "--out", out, "--module", "m", "--", "-Px")
	want := &job.Job{
		Version: job.Version, Kind: job.KindDetect, Dir: d.dir, Module: "m", Budget: 30 * time.Minute, BuildArgs: []string{"-Px"}, Out: out,
		Detect: &job.DetectOptions{Technique: "target-pairs", Seed: 7, Fix: true, Resume: true,
			Pairs: [][2]suite.TestID{{"a.A#x", "a.B#y"}}},
	}
	if diff := cmp.Diff(want, d.asked); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDetectUsage(t *testing.T) {
	d := newWorkspace(t)
	pairs := d.write(t, "pairs.txt", "a.A#x\ta.B#y\n")
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"budget":                  {[]string{"--budget", "0s"}, "--budget is 0s"},
		"no such technique":       {[]string{"--technique", "luck"}, `no technique "luck"`},
		"resume what":             {[]string{"--resume"}, "--resume needs --out"},
		"changed, and another":    {[]string{"--changed-since", "HEAD", "--technique", "reverse"}, "neither with"},
		"changed, and pairs":      {[]string{"--changed-since", "HEAD", "--pairs", pairs}, "neither with"},
		"no such file":            {[]string{"--pairs", "/nowhere"}, "--pairs: open /nowhere"},
		"a file that is no pairs": {[]string{"--pairs", "detect_test.go"}, "line 1 is not two ids"},
		"a test with itself":      {[]string{"--pairs", d.write(t, "self.txt", "a.A#x\ta.A#x\n")}, "a test runs once in an order"},
		"no pair":                 {[]string{"--pairs", d.write(t, "none.txt", "\n\n")}, "holds no pair"},
		"pairs that nobody uses":  {[]string{"--pairs", pairs, "--technique", "reverse"}, "do not go with --technique reverse"},
		"nothing to repeat":       {[]string{"--rerun", "-1"}, "--rerun is -1"},
	} {
		if got := d.run(t.Context(), append([]string{"detect", d.dir}, c.args...)...); got != exitUsage {
			t.Errorf("%s: status %d", name, got)
		}
		wantIn(t, strings.Join(strings.Fields(d.stderr.String()), " "), c.says)
		if d.asked != nil {
			t.Errorf("%s: a runner was started", name)
		}
	}
}

// TestDetectShowsHowToContinue checks that only an interrupted detection shows the command that
// continues it, and that each detection without --fix shows the command that makes patches.
func TestDetectShowsHowToContinue(t *testing.T) {
	for _, exhausted := range []bool{false, true} {
		d := newWorkspace(t)
		d.found(exhausted, "a.V#v")
		d.verdict("a.V#v", suite.Victim)
		d.run(t.Context(), "detect", d.dir, "--out", t.TempDir())
		if exhausted {
			wantNotIn(t, d.stdout.String(), "Go on")
		} else {
			wantIn(t, d.stdout.String(), "Go on         odfix detect --resume")
		}
		wantIn(t, d.stdout.String(), "Repair        odfix detect --resume", " --fix ")
		wantIn(t, d.stdout.String(), "1 order-dependent test, 1 cause.", "a.P#p", "a.V#v")
		d.stdout.Reset()
		d.run(t.Context(), "detect", d.dir, "--out", t.TempDir(), "--fix")
		wantNotIn(t, d.stdout.String(), "Repair ")
	}
}

// TestDetectContinuesWithTheSameFlags checks that the command has the flags of the interrupted one.
func TestDetectContinuesWithTheSameFlags(t *testing.T) {
	d := newWorkspace(t)
	d.found(false, "a.V#v")
	d.verdict("a.V#v", suite.Victim)
	out := filepath.Join(t.TempDir(), "my results")
	d.run(t.Context(), "detect", d.dir, "--out", out, "--budget", "7m", "--offline", "--build-arg", "-Da=b c", "--", "-Px")
	wantIn(t, d.stdout.String(), "odfix detect --resume --out '"+out+"' --budget=7m0s --offline '--build-arg=-Da=b c' "+d.dir+" -- -Px")
}

// TestDetectIsShownIfItCannotBeKept checks that the result and the error are shown, whichever file
// cannot be written.
func TestDetectIsShownIfItCannotBeKept(t *testing.T) {
	for _, file := range []string{"report.json", pageName, junitName} {
		d := newWorkspace(t)
		d.found(true, "a.V#v")
		d.verdict("a.V#v", suite.Victim)
		d.answer = inTheWay(d, file)
		if got := d.run(t.Context(), "detect", d.dir, "--out", filepath.Join(t.TempDir(), "out")); got != exitError {
			t.Errorf("%s: status %d", file, got)
		}
		wantIn(t, d.stdout.String(), "1 order-dependent test", "a.P#p", "a.V#v")
		wantIn(t, d.stderr.String(), "cannot be kept", "--out")
	}
}
