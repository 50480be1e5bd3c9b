package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

const javaFile = "src/test/java/a/ATest.java"

func TestFixExitStatus(t *testing.T) {
	const a, b suite.TestID = "a.ATest#a", "a.BTest#b"
	cases := map[string]struct {
		verdicts []suite.Verdict // of a, b
		fixes    []suite.TestID
		want     int
	}{
		"proved":                       {[]suite.Verdict{suite.Victim}, []suite.TestID{a}, exitOK},
		"proved for another test":      {[]suite.Verdict{suite.Brittle}, []suite.TestID{b}, exitNoPatch},
		"proved for both":              {[]suite.Verdict{suite.Victim, suite.VictimBrittle}, []suite.TestID{a, b}, exitOK},
		"proved for one":               {[]suite.Verdict{suite.Victim, suite.Victim}, []suite.TestID{a}, exitNoPatch},
		"no patch":                     {[]suite.Verdict{suite.Victim}, nil, exitNoPatch},
		"genuine":                      {[]suite.Verdict{suite.Genuine}, nil, exitGenuine},
		"flaky":                        {[]suite.Verdict{suite.FlakyOther}, nil, exitFlaky},
		"not reproduced":               {[]suite.Verdict{suite.NotReproduced}, nil, exitNotReproduced},
		"unresolved":                   {[]suite.Verdict{suite.Undecided}, nil, exitError},
		"proved, but another genuine":  {[]suite.Verdict{suite.Victim, suite.Genuine}, []suite.TestID{a}, exitGenuine},
		"worst wins, whatever is last": {[]suite.Verdict{suite.NotReproduced, suite.FlakyOther}, nil, exitFlaky},
		"worst wins, whatever's first": {[]suite.Verdict{suite.Undecided, suite.Genuine}, nil, exitError},
		"nothing at all":               {nil, nil, exitError},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			d := newWorkspace(t)
			d.write(t, javaFile, "1\n2\n")
			for i, v := range c.verdicts {
				var patches []job.Patch
				if i == 0 && c.fixes != nil {
					patches = append(patches, d.proved(t, javaFile, "x", c.fixes...))
				}
				d.verdict([]suite.TestID{a, b}[i], v, patches...)
			}
			if got := d.run(t.Context(), "fix", d.dir, "--test", "a"); got != c.want {
				t.Errorf("status %d, want %d\n%s%s", got, c.want, &d.stdout, &d.stderr)
			}
		})
	}
}

// TestNamedTestsThatPass: they count only if no named test fails.
func TestNamedTestsThatPass(t *testing.T) {
	d := newWorkspace(t)
	d.write(t, javaFile, "1\n2\n")
	d.verdict("a.A#passes", suite.NotReproduced)
	d.report.Tests[0].Passes = true
	if got := d.run(t.Context(), "fix", d.dir, "--test", "a.A"); got != exitNotReproduced {
		t.Errorf("status %d", got)
	}
	d.verdict("a.A#fails", suite.Victim, d.proved(t, javaFile, "x", "a.A#fails"))
	if got := d.run(t.Context(), "fix", d.dir, "--test", "a.A"); got != exitOK {
		t.Errorf("status %d", got)
	}
	wantIn(t, d.stdout.String(), "1 of 2 named tests fails; a patch is proved.", "Passing here  a.A#passes\n")
	wantNotIn(t, d.stdout.String(), "did not fail here")
	d.report.Tests[0].Passes = false // it failed elsewhere
	if got := d.run(t.Context(), "fix", d.dir, "--test", "a.A"); got != exitNotReproduced {
		t.Errorf("status %d", got)
	}
}

func TestFixIgnoresUnprovedPatches(t *testing.T) {
	d := newWorkspace(t)
	d.write(t, javaFile, "1\n2\n")
	p := d.proved(t, javaFile, "x", "a.A#a")
	p.Proof.Proved = false
	d.verdict("a.A#a", suite.Victim, p)
	out := t.TempDir()
	if got := d.run(t.Context(), "fix", d.dir, "--test", "a", "--apply", "--out", out); got != exitNoPatch {
		t.Errorf("status %d", got)
	}
	if got := d.read(t, javaFile); got != "1\n2\n" {
		t.Errorf("an unproved patch was applied: %q", got)
	}
	if _, err := os.Stat(filepath.Join(out, patchName)); err == nil {
		t.Error("an unproved patch was kept as odfix.patch")
	}
}

func TestFixJob(t *testing.T) {
	d := newWorkspace(t)
	jdk := t.TempDir()
	d.run(t.Context(), "fix", d.dir, "-t", "A#b", "-t", "C.d", "--module", "core", "--budget", "90s", "--offline",
		"--java-home", jdk, "--find-all", "--place", "victim-setup", "--parallel", "3", "--rerun", "5", "--build-arg", "-Px", "--", "-Dy=z z", "-q")
	want := &job.Job{
		Version: job.Version, Kind: job.KindFix, Dir: d.dir, Module: "core", Tests: []string{"A#b", "C.d"},
		Budget: 90 * time.Second, BuildArgs: []string{"-Px", "-Dy=z z", "-q"}, Offline: true, Runtime: jdk,
		Rerun: 5, FindAll: true, Choice: true, Place: patch.VictimSetup, Parallel: 3,
	}
	if d.asked != nil {
		want.Out = d.asked.Out
	}
	if diff := cmp.Diff(want, d.asked); diff != "" || want.Out == "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if strings.HasPrefix(want.Out, d.dir) {
		t.Error("the default output folder is inside the checkout")
	}
}

// A log of a mistyped name is useless, so simple errors leave no files.
func TestSimpleErrorsLeaveNoFiles(t *testing.T) {
	d := newWorkspace(t)
	d.report.Error = &job.Error{Code: "no-such-test", Message: "no test x", Hint: "Another."}
	if got := d.run(t.Context(), "fix", d.dir, "--test", "x"); got != exitError {
		t.Errorf("status %d", got)
	}
	if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 || strings.Contains(d.stderr.String(), "Log") {
		t.Errorf("still there: %v\n%s", left, &d.stderr)
	}
	d.report.Error.Code = "build-broken"
	d.run(t.Context(), "fix", d.dir, "--test", "x")
	wantIn(t, d.stderr.String(), "Log: ")
}

func TestFixKeepsAndApplies(t *testing.T) {
	for name, text := range map[string]string{
		"unix": "class A {\n}\n", "windows": "class A {\r\n}\r\n", "latin1, no newline": "// caf\xe9\nclass A {}",
	} {
		t.Run(name, func(t *testing.T) {
			d := newWorkspace(t)
			path := d.write(t, javaFile, text)
			if err := os.Chmod(path, 0o640); err != nil {
				t.Fatal(err)
			}
			d.verdict("a.A#a", suite.Victim, d.proved(t, javaFile, "  reset();", "a.A#a"))
			out := filepath.Join(t.TempDir(), "deep", "out")
			args := []string{"fix", d.dir, "--test", "a.A#a", "--out", out}
			if got := d.run(t.Context(), args...); got != exitOK {
				t.Fatalf("status %d: %s", got, &d.stderr)
			}
			if got := d.read(t, javaFile); got != text {
				t.Errorf("the checkout was changed without --apply: %q", got)
			}
			kept, err := os.ReadFile(filepath.Join(out, patchName))
			if err != nil || string(kept) != d.report.Tests[0].Patches[0].RawDiff() {
				t.Errorf("odfix.patch is %q, %v", kept, err)
			}
			if got := d.run(t.Context(), append(args, "--apply")...); got != exitOK {
				t.Fatalf("status %d: %s", got, &d.stderr)
			}
			first, rest, _ := strings.Cut(text, "\n")
			if want, got := first+"\n  reset();\n"+rest, d.read(t, javaFile); got != want {
				t.Errorf("applied: %q, want %q", got, want)
			}
			if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != 0o640 {
				t.Errorf("the file's mode is now %v", fi.Mode())
			}
			wantIn(t, d.stdout.String(), "Applied to    "+javaFile, "\n  Next          look at the change (git diff)")
		})
	}
}

// TestFixRefusesToApply checks that a patch that does not fit is not applied, not even in part.
func TestFixRefusesToApply(t *testing.T) {
	d := newWorkspace(t)
	d.write(t, javaFile, "1\n2\n3\n")
	d.write(t, "b.java", "1\n2\n3\n")
	p := d.proved(t, javaFile, "x", "a.A#a")
	p.SetDiff(p.RawDiff() + patch.Unified(patch.Edit{Path: "b.java", Before: "1\n2\n3\n", After: "1\n3\n"}))
	d.verdict("a.A#a", suite.Victim, p)
	d.answer = func(context.Context, job.Job, func(job.Event)) (*job.Report, error) {
		d.write(t, "b.java", "somebody typed\nmeanwhile\n")
		return d.report, nil
	}
	if got := d.run(t.Context(), "fix", d.dir, "--test", "a", "--apply"); got != exitError {
		t.Errorf("status %d", got)
	}
	if got := d.read(t, javaFile); got != "1\n2\n3\n" {
		t.Errorf("half a patch was applied: %q", got)
	}
	wantIn(t, d.stderr.String(), "was not applied", "→")
	wantIn(t, d.stdout.String(), "b.java", "around line 1")
}

func TestApplyStaysInside(t *testing.T) {
	d := newWorkspace(t)
	outside := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(outside, []byte("1\n2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(d.dir, "link")); err != nil {
		t.Skip("needs symbolic links: ", err)
	}
	_, err := apply(d.dir, patch.Unified(patch.Edit{Path: "link", Before: "1\n2\n", After: "2\n"}))
	if err == nil || !strings.Contains(err.Error(), "outside") {
		t.Errorf("got %v", err)
	}
	if b, _ := os.ReadFile(outside); string(b) != "1\n2\n" {
		t.Errorf("a file outside was changed: %q", b)
	}
}

// TestFixWithSeveralPatches checks that patches are applied together only if they were proved
// together.
func TestFixWithSeveralPatches(t *testing.T) {
	text := strings.Repeat("line\n", 5)
	for name, c := range map[string]struct {
		proved bool
		want   string
		says   string
	}{
		"proved as a whole":     {true, "line\nfirst\n" + text[5:] + "second\n", "fits nowhere"},
		"not proved as a whole": {false, text + "second\n", "one of 2 patches"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newWorkspace(t)
			d.write(t, javaFile, text)
			diff := func(after string) string {
				return patch.Unified(patch.Edit{Path: javaFile, Before: text, After: after})
			}
			first, second := job.Patch{Proof: job.Proof{Proved: true}}, job.Patch{Proof: job.Proof{Proved: true}}
			first.Fixes, second.Fixes = []suite.TestID{"a#1"}, []suite.TestID{"a#2", "a#3"}
			first.SetDiff(diff("line\nfirst\n" + text[5:]))
			second.SetDiff(diff(text + "second\n"))
			d.verdict("a#1", suite.Victim, first)
			d.verdict("a#2", suite.Victim, second)
			d.report.Combined = &job.Combined{Proof: job.Proof{Proved: c.proved}, LeftOut: []string{"a third one fits nowhere."}}
			d.report.Combined.SetDiff(diff("line\nfirst\n" + text[5:] + "second\n"))
			out := t.TempDir()
			d.run(t.Context(), "fix", d.dir, "--test", "a", "--apply", "--out", out)
			if got := d.read(t, javaFile); got != c.want {
				t.Errorf("applied %q, want %q\n%s%s", got, c.want, &d.stdout, &d.stderr)
			}
			kept, err := os.ReadFile(filepath.Join(out, patchName))
			if err != nil || string(kept) != diff(c.want) {
				t.Errorf("kept %q, %v", kept, err)
			}
			wantIn(t, d.stdout.String(), c.says)
		})
	}
}

// TestApplyLineWorks pastes the printed command into a shell. The checkout is a folder of a
// repository, in which git apply could silently do nothing.
func TestApplyLineWorks(t *testing.T) {
	d := newWorkspace(t)
	if out, err := exec.Command("git", "init", "-q", d.dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	d.write(t, "sub dir/"+javaFile, "1\n2\n")
	d.dir = filepath.Join(d.dir, "sub dir")
	d.verdict("a.A#a", suite.Victim, d.proved(t, javaFile, "x", "a.A#a"))
	d.run(t.Context(), "fix", d.dir, "--test", "a")
	_, line, found := strings.Cut(d.stdout.String(), "Apply         ")
	line, _, _ = strings.Cut(line, "\n")
	if out, err := exec.Command("sh", "-c", line).CombinedOutput(); !found || err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
	if got := d.read(t, javaFile); got != "1\nx\n2\n" {
		t.Errorf("after %s: %q", line, got)
	}
}

func TestFixJSON(t *testing.T) {
	d := newWorkspace(t)
	d.verdict("a.A#a", suite.Genuine)
	if got := d.run(t.Context(), "fix", d.dir, "--test", "a", "--format", "json"); got != exitGenuine {
		t.Errorf("status %d", got)
	}
	var r job.Report
	if err := json.Unmarshal(d.stdout.Bytes(), &r); err != nil || r.Tests[0].Test != "a.A#a" || d.stderr.Len() > 0 {
		t.Errorf("%v, %+v, stderr %s", err, r, &d.stderr)
	}
	d.answer = func(context.Context, job.Job, func(job.Event)) (*job.Report, error) {
		return nil, &job.Error{Code: "runner-died", Message: "m", Hint: "h", Detail: "d"}
	}
	if got := d.run(t.Context(), "fix", d.dir, "--test", "a", "--format", "json"); got != exitError {
		t.Errorf("status %d", got)
	}
	if err := json.Unmarshal(d.stdout.Bytes(), &r); err != nil || r.Error == nil || r.Error.Code != "runner-died" {
		t.Errorf("%v: %s", err, &d.stdout)
	}
}

// TestFixStopped checks that the results so far are shown and stored after Ctrl-C.
func TestFixStopped(t *testing.T) {
	d := newWorkspace(t)
	ctx, cancel := context.WithCancel(t.Context())
	d.answer = func(ctx context.Context, _ job.Job, on func(job.Event)) (*job.Report, error) {
		on(job.Event{Phase: job.PhaseDiagnose, Message: "halving", Done: 3, Best: "1 of 8 tests"})
		cancel()
		<-ctx.Done()
		r := &job.Report{Version: job.Version, Tests: []job.TestReport{{Test: "a.A#a", Verdict: suite.Victim, Reason: "passes alone"}}}
		return r, nil
	}
	if got := d.run(ctx, "fix", d.dir, "--test", "a", "-v"); got != exitStopped {
		t.Errorf("status %d", got)
	}
	wantIn(t, d.stdout.String(), "a.A#a is a victim", "Unfinished")
	wantIn(t, d.stderr.String(), "halving", "3 orders run", "so far: 1 of 8 tests")
}

// TestSignalAfterTheEnd: a report that is complete keeps its status.
func TestSignalAfterTheEnd(t *testing.T) {
	d := newWorkspace(t)
	ctx, cancel := context.WithCancel(t.Context())
	d.verdict("a.A#a", suite.Genuine)
	d.answer = func(context.Context, job.Job, func(job.Event)) (*job.Report, error) {
		cancel()
		return d.report, nil
	}
	if got := d.run(ctx, "fix", d.dir, "--test", "a"); got != exitGenuine {
		t.Errorf("status %d", got)
	}
	d.answer = func(context.Context, job.Job, func(job.Event)) (*job.Report, error) {
		return nil, &job.Error{Code: "stopped", Message: "stopped before there was a result"}
	}
	if got := d.run(ctx, "run", d.dir, "--order", d.write(t, "order.txt", "a.A#a\n")); got != exitStopped {
		t.Errorf("status %d", got)
	}
	wantNotIn(t, d.stderr.String(), "budget")
}

func TestFixPlainWhenPiped(t *testing.T) {
	d := newWorkspace(t)
	d.answer = func(_ context.Context, _ job.Job, on func(job.Event)) (*job.Report, error) {
		on(job.Event{Phase: job.PhaseBuild, Message: "compiling"})
		return d.report, nil
	}
	d.verdict("a.A#a", suite.NotReproduced)
	d.run(t.Context(), "fix", d.dir, "--test", "a")
	if d.stderr.String() != "0.0s build · compiling\n" || strings.ContainsRune(d.stdout.String(), '\x1b') {
		t.Errorf("stderr %q, stdout %q", &d.stderr, &d.stdout)
	}
}

func TestFailureLeavesNoEmptyFolder(t *testing.T) {
	d := newWorkspace(t)
	d.answer = func(context.Context, job.Job, func(job.Event)) (*job.Report, error) {
		return nil, &job.Error{Message: "no luck", Hint: "try again"}
	}
	if got := d.run(t.Context(), "fix", d.dir, "--test", "a"); got != exitError {
		t.Errorf("status %d", got)
	}
	wantIn(t, d.stderr.String(), "odfix: no luck", "→ try again")
	if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
}
