package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/lockfile"
	"github.com/odfix/odfix/internal/suite"
)

// TestEachKindKeepsItsOwnReport checks that verify and run do not overwrite the report in the
// folder of a fix.
func TestEachKindKeepsItsOwnReport(t *testing.T) {
	d := newWorkspace(t)
	d.write(t, javaFile, "1\n2\n")
	d.verdict("a.A#a", suite.Victim, d.proved(t, javaFile, "x", "a.A#a"))
	out := t.TempDir()
	d.run(t.Context(), "fix", d.dir, "--test", "a", "--out", out)
	first, err := os.ReadFile(filepath.Join(out, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	d.report.Notes = []string{"another report"}
	d.run(t.Context(), "verify", filepath.Join(out, "report.json"), d.dir, "--out", out)
	d.run(t.Context(), "run", d.dir, "--order", d.write(t, "o.txt", "a.A#a\n"), "--out", out)
	if now, err := os.ReadFile(filepath.Join(out, "report.json")); err != nil || string(now) != string(first) {
		t.Errorf("the report of fix is now %s (%v)", now, err)
	}
	for _, name := range []string{"verify.json", "run.json", "odfix.log", "verify.log", "run.log"} {
		if _, err := os.Stat(filepath.Join(out, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestForeignReportIsNotOverwritten(t *testing.T) {
	d := newWorkspace(t)
	out := t.TempDir()
	path := filepath.Join(out, "report.json")
	for _, text := range []string{"dear diary", `{"tool":"another"}`} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := d.run(t.Context(), "fix", d.dir, "--test", "a", "--out", out); got != exitError || d.asked != nil {
			t.Errorf("status %d", got)
		}
		wantIn(t, strings.Join(strings.Fields(d.stderr.String()), " "), "not written by odfix", "--out")
		if now, _ := os.ReadFile(path); string(now) != text {
			t.Errorf("it is now %q", now)
		}
	}
}

// TestFoldersOfKilledRunsAreRemoved checks that folders without a report are removed, and none in
// use.
func TestFoldersOfKilledRunsAreRemoved(t *testing.T) {
	d := newWorkspace(t)
	temp := os.TempDir()
	folder := func(name string, files ...string) string {
		dir := filepath.Join(temp, name)
		if err := os.MkdirAll(filepath.Join(dir, "orders"), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if err := os.WriteFile(filepath.Join(dir, f), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	killed := folder("odfix-killed-1", lockName, "odfix.log")
	busy := folder("odfix-busy-1", lockName)
	answered := folder("odfix-answered-1", lockName, "report.json")
	verified := folder("odfix-answered-2", lockName, "verify.json")
	ran := folder("odfix-answered-3", lockName, "run.json")
	foreign := folder("odfix-foreign", "diary")
	lock, err := lockfile.Try(filepath.Join(busy, lockName))
	if err != nil || lock == nil {
		t.Fatal(lock, err)
	}
	defer lock.Close()
	d.verdict("a.A#a", suite.Genuine)
	d.run(t.Context(), "fix", d.dir, "--test", "a")
	for dir, want := range map[string]bool{killed: false, busy: true, answered: true, verified: true,
		ran: true, foreign: true, d.asked.Out: true} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", dir, err == nil, want)
		}
	}
	if _, err := os.Stat(filepath.Join(d.asked.Out, lockName)); err == nil {
		t.Error("the lock is still there")
	}
}

// TestFolderIsRemovedBeforeItIsLocked checks that a folder is not used if another odfix removes it
// before it is locked.
func TestFolderIsRemovedBeforeItIsLocked(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	folders := func(try func(file string) (io.Closer, error)) lockfile.Folders {
		return lockfile.Folders{Prefix: "odfix-x-", Lock: lockName, Try: try}
	}
	for name, another := range map[string]func(file string) (io.Closer, error){
		"another holds the lock": func(string) (io.Closer, error) { return nil, nil },
		"the folder is gone": func(file string) (io.Closer, error) {
			lockfile.Folders{}.Remove(filepath.Dir(file))
			return lockfile.Try(file)
		},
		"it goes while it is locked": func(file string) (io.Closer, error) {
			lock, err := lockfile.Try(file)
			lockfile.Folders{}.Remove(filepath.Dir(file))
			return lock, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			tries := 0
			dir, lock, err := folders(func(file string) (io.Closer, error) {
				if tries++; tries < 3 {
					return another(file)
				}
				return lockfile.Try(file)
			}).Make()
			if err != nil || lock == nil || tries != 3 {
				t.Fatalf("%v after %d tries, lock %v", err, tries, lock)
			}
			defer lock.Close()
			folders(nil).Sweep(answered)
			if _, err := os.Stat(filepath.Join(dir, lockName)); err != nil {
				t.Error(err)
			}
			_, _, err = folders(another).Make()
			if err == nil {
				t.Error("a folder that nobody could lock was used")
			}
		})
	}
}

// TestEarlierReportIsKept: a second job with the same folder overwrites nothing.
func TestEarlierReportIsKept(t *testing.T) {
	d := newWorkspace(t)
	d.write(t, javaFile, "1\n2\n")
	d.verdict("a.A#a", suite.Victim, d.proved(t, javaFile, "x", "a.A#a"))
	out := t.TempDir()
	for range 3 {
		d.run(t.Context(), "fix", d.dir, "--test", "a", "--out", out)
	}
	d.found(true)
	d.run(t.Context(), "detect", d.dir, "--resume", "--out", out)
	for _, name := range []string{"report.json", "report.1.json", "report.2.json", "odfix.1.patch", "odfix.2.patch"} {
		if _, err := os.Stat(filepath.Join(out, name)); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(out, "report.3.json")); err == nil {
		t.Error("a detection that continues kept the report that it replaces")
	}
}

// TestRefusedResumeChangesNothing: a job that cannot continue another one leaves its output folder
// as it is, also if the build fails before that is known. An accepted job writes its log there at
// once.
func TestRefusedResumeChangesNothing(t *testing.T) {
	d := newWorkspace(t)
	d.found(true)
	accepted, out := d.report, t.TempDir()
	d.run(t.Context(), "detect", d.dir, "--out", out)
	before := contents(t, out)
	refused := func(dir, code string) {
		t.Helper()
		d.report = &job.Report{Version: job.Version, Error: &job.Error{Code: code, Message: "it was refused"}}
		d.answer = func(_ context.Context, _ job.Job, on func(job.Event)) (*job.Report, error) {
			on(job.Event{Phase: job.PhaseBuild})
			return d.report, nil
		}
		if got := d.run(t.Context(), "detect", d.dir, "--resume", "--out", dir); got != exitError {
			t.Errorf("%s: status %d", code, got)
		}
		wantIn(t, d.stderr.String(), "it was refused")
	}
	refused(out, "bad-resume")
	wantNotIn(t, d.stderr.String(), "Log: ")
	if logs, _ := filepath.Glob(filepath.Join(os.TempDir(), "odfix-*.log")); len(logs) > 0 {
		t.Errorf("%q was left", logs)
	}
	refused(out, "build-failed")
	wantIn(t, d.stderr.String(), "Log: "+filepath.Join(os.TempDir(), "odfix-"))
	if diff := cmp.Diff(before, contents(t, out)); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
	none := filepath.Join(t.TempDir(), "none")
	refused(none, "bad-resume")
	if _, err := os.Stat(none); err == nil {
		t.Error("a folder was made")
	}

	d.report = accepted
	d.answer = func(_ context.Context, _ job.Job, on func(job.Event)) (*job.Report, error) {
		log := filepath.Join(out, "odfix.log")
		if err := os.WriteFile(log, []byte("old"), 0o644); err != nil {
			t.Error(err)
		}
		on(job.Event{Phase: job.PhaseDetect})
		if text, err := os.ReadFile(log); err != nil || len(text) > 0 {
			t.Errorf("the log of the accepted job is %q, %v", text, err)
		}
		return d.report, nil
	}
	if got := d.run(t.Context(), "detect", d.dir, "--resume", "--out", out); got != 0 {
		t.Errorf("status %d\n%s", got, &d.stderr)
	}
}

// contents returns the files of a folder.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(name)] = string(text)
	}
	return out
}

// TestOutFolderIsIgnored: git ignores a folder that odfix makes in a checkout. It leaves other folders
// as they are.
func TestOutFolderIsIgnored(t *testing.T) {
	d := newWorkspace(t)
	d.write(t, ".git/HEAD", "")
	kept, outside := filepath.Dir(d.write(t, "kept/diary", "")), filepath.Join(t.TempDir(), "new")
	for dir, want := range map[string]string{filepath.Join(d.dir, "found"): "*\n", kept: "", outside: ""} {
		d.run(t.Context(), "fix", d.dir, "--test", "a", "--out", dir)
		if got, _ := os.ReadFile(filepath.Join(dir, ".gitignore")); string(got) != want {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
	}
}
