package build

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/cache"
)

// opened opens a project whose folder target holds outputs.
func opened(dir string, opts Options) (*Workspace, error) {
	at, err := Locate(dir, func(d string) (Folders, error) { return Folders{Start: d, Root: d, Base: d}, nil })
	if err != nil {
		return nil, err
	}
	return Open(context.Background(), opts, at, Outputs{Is: func(dir string) bool { return filepath.Base(dir) == "target" },
		Classes: []string{"classes", "test-classes"}, Other: []string{"surefire-reports"},
		Reports: []string{"surefire-reports"}})
}

func open(t *testing.T, dir, work string, opts Options) *Workspace {
	t.Helper()
	opts.Work = work
	w, err := opened(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func tinyProject(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "checkout")
	write(t, filepath.Join(dir, "src", "A.java"), "one")
	write(t, filepath.Join(dir, "old", "B.java"), "b")
	write(t, filepath.Join(dir, "run.sh"), "#!/bin/sh")
	os.Chmod(filepath.Join(dir, "run.sh"), 0o755)
	os.Symlink("src/A.java", filepath.Join(dir, "relative"))
	os.Symlink(filepath.Join(dir, "src"), filepath.Join(dir, "absolute"))
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func reopen(t *testing.T, p *Workspace, opts Options) *Workspace {
	t.Helper()
	p.Close()
	return open(t, p.At.Start, p.Opts.Work, opts)
}

func TestCopyFollowsTheCheckout(t *testing.T) {
	dir, work := tinyProject(t), t.TempDir()
	p := open(t, dir, work, Options{})
	a := p.Copy(filepath.Join(dir, "src", "A.java"))
	src, _ := os.Stat(filepath.Join(dir, "src", "A.java"))
	if dst, _ := os.Stat(a); read(t, a) != "one" || !dst.ModTime().Equal(src.ModTime()) {
		t.Errorf("copy is %q of %v", read(t, a), dst.ModTime())
	}
	if fi, _ := os.Stat(p.Copy(filepath.Join(dir, "run.sh"))); fi.Mode()&0o100 == 0 {
		t.Error("the copy's script is not executable")
	}
	if link, _ := os.Readlink(p.Copy(filepath.Join(dir, "relative"))); link != "src/A.java" {
		t.Errorf("relative link became %q", link)
	}
	if link, _ := os.Readlink(p.Copy(filepath.Join(dir, "absolute"))); link != p.Copy(filepath.Join(dir, "src")) {
		t.Errorf("absolute link leads to %q", link)
	}

	// What the build wrote stays. What changed in the checkout, or was removed there, is changed or
	// removed.
	write(t, p.Copy(filepath.Join(dir, "run.sh")), "changed by a plugin")
	write(t, p.Copy(filepath.Join(dir, "target", "classes", "A.class")), "compiled")
	write(t, filepath.Join(dir, "src", "A.java"), "two!")
	os.RemoveAll(filepath.Join(dir, "old"))
	os.Remove(filepath.Join(dir, "relative"))
	write(t, filepath.Join(dir, "relative", "now-a-folder"), "x")
	p = reopen(t, p, Options{})
	if read(t, a) != "two!" {
		t.Error("a changed file was not copied")
	}
	if Exists(p.Copy(filepath.Join(dir, "old"))) {
		t.Error("a deleted folder is still there")
	}
	if read(t, p.Copy(filepath.Join(dir, "relative", "now-a-folder"))) != "x" {
		t.Error("a link that became a folder was not replaced")
	}
	if read(t, p.Copy(filepath.Join(dir, "run.sh"))) != "changed by a plugin" {
		t.Error("the build's own change was undone")
	}
	if !Exists(p.Copy(filepath.Join(dir, "target", "classes", "A.class"))) {
		t.Error("compiled outputs were lost")
	}
}

func TestCompiledOutputsAreTakenOverOnce(t *testing.T) {
	dir, work := tinyProject(t), t.TempDir()
	class := filepath.Join(dir, "target", "classes", "A.class")
	list := filepath.Join(dir, "target", "maven-status", "inputFiles.lst")
	write(t, class, "by the person")
	write(t, list, filepath.Join(dir, "src", "A.java")+"\n")
	write(t, filepath.Join(dir, "target", "surefire-reports", "x.xml"), "report")
	p := open(t, dir, work, Options{})
	if read(t, p.Copy(class)) != "by the person" {
		t.Error("the checkout's classes were not taken over")
	}
	if got, want := read(t, p.Copy(list)), p.Copy(filepath.Join(dir, "src", "A.java"))+"\n"; got != want {
		t.Errorf("list of sources is %q, want %q", got, want)
	}
	if Exists(p.Copy(filepath.Join(dir, "target", "surefire-reports"))) {
		t.Error("reports were copied")
	}

	write(t, p.Copy(class), "by odfix")
	p.markBuilt()
	p = reopen(t, p, Options{})
	if read(t, p.Copy(class)) != "by odfix" {
		t.Error("older outputs of the checkout replaced ours")
	}

	write(t, class, "by the person, again")
	later := time.Now().Add(time.Hour)
	os.Chtimes(class, later, later)
	p = reopen(t, p, Options{})
	if read(t, p.Copy(class)) != "by the person, again" {
		t.Error("newer outputs of the checkout were not taken over")
	}
}

// TestFilesOfEarlierTests: what tests have left among the outputs is not taken over. What the build itself
// made before and after them is.
func TestFilesOfEarlierTests(t *testing.T) {
	dir, work := tinyProject(t), t.TempDir()
	at := time.Now().Add(-time.Hour)
	for _, name := range []string{"generated/A.java", "classes/A.class", "prefs/test.properties", "test-classes/out.txt", "surefire-reports/x.xml", "a.jar"} {
		at = at.Add(time.Minute)
		file := filepath.Join(dir, "target", filepath.FromSlash(name))
		write(t, file, name)
		os.Chtimes(file, at, at)
	}
	p := open(t, dir, work, Options{})
	for name, want := range map[string]bool{"generated/A.java": true, "classes/A.class": true, "a.jar": true, "prefs/test.properties": false,
		"test-classes/out.txt": false} {
		if got := Exists(p.Copy(filepath.Join(dir, "target", filepath.FromSlash(name)))); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestGitMetadataIsCopied(t *testing.T) {
	dir, work := tinyProject(t), t.TempDir()
	write(t, filepath.Join(dir, ".git", "HEAD"), "ref: refs/heads/main\n")
	write(t, filepath.Join(dir, ".git", "config"), "[core]\n")
	write(t, filepath.Join(dir, ".git", "hooks", "pre-commit"), "x")
	write(t, filepath.Join(dir, ".git", "refs", "heads", "main"), "0123\n")
	write(t, filepath.Join(dir, ".git", "objects", "01", "23"), "object")
	p := open(t, dir, work, Options{})
	git := p.Copy(filepath.Join(dir, ".git"))
	if read(t, filepath.Join(git, "refs", "heads", "main")) != "0123\n" || read(t, filepath.Join(git, "HEAD")) != "ref: refs/heads/main\n" {
		t.Error("refs are missing")
	}
	if got := read(t, filepath.Join(git, "objects", "info", "alternates")); got != filepath.Join(dir, ".git", "objects")+"\n" {
		t.Errorf("alternates are %q", got)
	}
	if Exists(filepath.Join(git, "hooks")) {
		t.Error("hooks were copied")
	}
}

func TestSecondOpenTakesAnotherCopyAndTheFifthWaits(t *testing.T) {
	dir, work := tinyProject(t), t.TempDir()
	seen := map[string]bool{}
	for range slots {
		seen[open(t, dir, work, Options{}).slot] = true
	}
	if len(seen) != slots {
		t.Errorf("%d copies for %d projects", len(seen), slots)
	}
	_, err := opened(dir, Options{Work: work})
	if e, ok := err.(*Error); !ok || e.Code != CodeLocked {
		t.Errorf("got %v", err)
	}
}

// TestCacheLimit checks that opening a project removes copies beyond the limit, and none in use.
func TestCacheLimit(t *testing.T) {
	work := t.TempDir()
	used := open(t, tinyProject(t), work, Options{})
	unused := open(t, tinyProject(t), work, Options{})
	unused.Close()
	t.Setenv(cache.LimitEnv, "0")
	third := open(t, tinyProject(t), work, Options{})
	for end := time.Now().Add(time.Minute); Exists(unused.slot) && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	if Exists(unused.slot) || !Exists(used.slot) || !Exists(third.slot) {
		t.Errorf("unused copy there: %v, copies in use there: %v, %v", Exists(unused.slot), Exists(used.slot), Exists(third.slot))
	}
	t.Setenv(cache.LimitEnv, "much")
	if _, err := opened(tinyProject(t), Options{Work: work}); err == nil || !strings.Contains(err.Error(), cache.LimitEnv) {
		t.Errorf("a wrong limit: %v", err)
	}
}

func TestManifestRoundTrip(t *testing.T) {
	file := filepath.Join(t.TempDir(), "manifest")
	m := manifest{"a b/é\n\"x": {Size: 1, MTime: -5, Mode: 0o644}, "l": {Mode: os.ModeSymlink | 0o777, Link: "to a b"}}
	if err := m.write(file); err != nil {
		t.Fatal(err)
	}
	got, err := readManifest(file)
	if err != nil || len(got) != 2 || got["a b/é\n\"x"] != m["a b/é\n\"x"] || got["l"] != m["l"] {
		t.Errorf("got %v, %v", got, err)
	}
}
