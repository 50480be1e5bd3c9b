package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

func TestVerify(t *testing.T) {
	d := newWorkspace(t)
	d.write(t, javaFile, "1\n2\n")
	patch := d.proved(t, javaFile, "x", "a.A#a")
	old := &job.Report{Version: job.Version, Tests: []job.TestReport{{Test: "a.A#a", Verdict: suite.Victim, Patches: []job.Patch{patch}}}}
	old.Project.Module, old.Project.BuildArgs = "core", []string{"-Pfast", "-q"}
	text, err := json.Marshal(old)
	if err != nil {
		t.Fatal(err)
	}
	path := d.write(t, "old.json", string(text))
	for _, c := range []struct {
		proved, finished bool
		want             int
	}{{true, true, exitOK}, {false, true, exitNoPatch}, {true, false, exitError}} {
		again := patch
		again.Proof.Proved = c.proved
		d.report = &job.Report{Version: job.Version, Finished: c.finished,
			Tests: []job.TestReport{{Test: "a.A#a", Verdict: suite.Victim, Patches: []job.Patch{again}}}}
		if got := d.run(t.Context(), "verify", path, d.dir); got != c.want {
			t.Errorf("%+v: status %d\n%s", c, got, &d.stderr)
		}
	}
	d.report.Finished, d.report.Combined = true, &job.Combined{}
	d.report.Tests[0].Patches[0].Proof.Proved = true
	if got := d.run(t.Context(), "verify", path, d.dir); got != exitNoPatch {
		t.Errorf("patches that do not hold together: status %d", got)
	}
	j := d.asked
	if j.Kind != job.KindVerify || j.Module != "core" || cmp.Diff([]string{"-Pfast", "-q"}, j.BuildArgs) != "" {
		t.Errorf("job %+v", j)
	}
	if j.Report == nil || j.Report.Tests[0].Patches[0].Diff != patch.Diff {
		t.Error("the report does not go along")
	}
}

// TestVerifyOfAnAppliedPatch follows `fix --apply` with verify: it gets a copy without the patch.
func TestVerifyOfAnAppliedPatch(t *testing.T) {
	d := newWorkspace(t)
	d.write(t, ".git/HEAD", "x")
	d.write(t, "sub/target/classes/old", "x")
	d.write(t, "sub/pom.xml", "pom")
	file := "sub/" + javaFile
	d.write(t, file, "1\n2\n3\n4\n5\n6\n7\n8\n9\n")
	d.verdict("a.A#a", suite.Victim, d.proved(t, file, "x", "a.A#a"))
	d.report.Project.Root = d.dir
	out := t.TempDir()
	if got := d.run(t.Context(), "fix", filepath.Join(d.dir, "sub"), "--test", "a.A#a", "--apply", "--out", out); got != exitOK {
		t.Fatalf("status %d: %s", got, &d.stderr)
	}
	wantIn(t, d.stdout.String(), "odfix verify")
	seen := ""
	d.answer = func(_ context.Context, j job.Job, _ func(job.Event)) (*job.Report, error) {
		text, err := os.ReadFile(filepath.Join(j.Dir, javaFile))
		if err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join(j.Dir, "target")); err == nil {
			t.Error("output of the build was copied")
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(j.Dir), ".git")); err != nil {
			t.Error(err)
		}
		seen = string(text)
		return d.report, nil
	}
	if got := d.run(t.Context(), "verify", filepath.Join(out, "report.json"), filepath.Join(d.dir, "sub")); got != exitOK {
		t.Errorf("status %d: %s", got, &d.stderr)
	}
	if seen != "1\n2\n3\n4\n5\n6\n7\n8\n9\n" || d.read(t, file) != "1\nx\n2\n3\n4\n5\n6\n7\n8\n9\n" {
		t.Errorf("verified on %q, the checkout is %q", seen, d.read(t, file))
	}
	wantIn(t, d.stdout.String(), "The patch is applied already")
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "odfix-unapplied-*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestVerifyRefuses(t *testing.T) {
	d := newWorkspace(t)
	for name, text := range map[string]string{
		"no JSON": "hello", "no report": "{}", "another version": `{"version":99}`,
		"no patch": `{"version":1,"tests":[{"test":"a","verdict":"genuine"}]}`, "other JSON": `[1]`,
	} {
		t.Run(name, func(t *testing.T) {
			if got := d.run(t.Context(), "verify", d.write(t, "r.json", text), d.dir); got != exitUsage || d.asked != nil {
				t.Errorf("status %d", got)
			}
			wantIn(t, d.stderr.String(), "r.json", "→")
		})
	}
}

func FuzzParseReport(f *testing.F) {
	f.Add([]byte(`{"version":1,"tests":[{"test":"a#b","verdict":"victim"}],"cost":{"questions":{"fresh":1}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := parseReport("r.json", text)
		if (r == nil) == (err == nil) {
			t.Errorf("%v, %v", r, err)
		}
	})
}

// TestVerifyOldReport checks that reports of earlier versions are accepted, and later ones refused.
func TestVerifyOldReport(t *testing.T) {
	d := newWorkspace(t)
	for _, version := range []int{1, 2} {
		old := d.write(t, "report.json", fmt.Sprintf(`{"version":%d,"tests":[{"test":"a.A#v","verdict":"victim","patches":[{"kind":"helper","diff":"x"}]}]}`, version))
		d.asked = nil
		d.run(t.Context(), "verify", old, d.dir)
		if d.asked == nil || d.asked.Report.Version != job.Version || d.asked.Report.Names.Short("a.A#v") != "A#v" {
			t.Errorf("version %d: job %+v, %s", version, d.asked, d.stderr.String())
		}
	}
	if code := d.run(t.Context(), "verify", d.write(t, "report.json", `{"version":99,"tests":[]}`), d.dir); code != exitUsage {
		t.Errorf("status %d", code)
	}
	wantIn(t, d.stderr.String(), "version 99")
}
