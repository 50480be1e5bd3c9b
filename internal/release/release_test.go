package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the release workflow anew")

// small writes a release of programs that are shell scripts into a folder.
func small(t *testing.T, version string) (r release, out, work, pages string) {
	t.Helper()
	t.Chdir("../..") // LICENSE and CHANGELOG.md
	r = release{Product: product, Version: version, Commit: "0123456789", Date: time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)}
	dir := t.TempDir()
	out, work, pages = filepath.Join(dir, "out"), filepath.Join(dir, "work"), filepath.Join(dir, "pages")
	for _, p := range r.Platforms {
		for _, prog := range r.Programs {
			write(t, filepath.Join(work, p.String(), prog.Name), fmt.Sprintf("#!/bin/sh\necho '%s v%s' for %s\n", prog.Name, version, p))
		}
	}
	write(t, filepath.Join(pages, "man", "odfix.1"), ".TH odfix\n")
	for _, s := range shells {
		write(t, filepath.Join(pages, s.file), "# "+s.name+"\n")
	}
	must(t, os.MkdirAll(out, 0o755))
	must(t, r.archives(out, work, pages))
	return r, out, work, pages
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755)))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	return string(text)
}

// served starts a server of a small release's folder.
func served(t *testing.T, version string) (dir, base string) {
	t.Helper()
	r, out, _, _ := small(t, version)
	must(t, r.index(out))
	s := httptest.NewServer(http.FileServer(http.Dir(out)))
	t.Cleanup(s.Close)
	return out, s.URL
}

// install runs the install script with an empty home folder.
func install(t *testing.T, script string, env ...string) (home, said string, err error) {
	t.Helper()
	home = t.TempDir()
	cmd := exec.Command("sh", script)
	cmd.Env = append([]string{"HOME=" + home, "PREFIX=" + filepath.Join(home, "prefix"), "PATH=" + os.Getenv("PATH")}, env...)
	text, err := cmd.CombinedOutput()
	return home, string(text), err
}

func TestInstallScript(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no release for Windows")
	}
	dir, base := served(t, "1.2.3")
	home, said, err := install(t, filepath.Join(dir, "install.sh"), "ODFIX_BASE_URL="+base)
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	prefix := filepath.Join(home, "prefix")
	for _, part := range []string{"Installed odfix v1.2.3", prefix + "/bin.", "export PATH=", "odfix doctor"} {
		if !strings.Contains(said, part) {
			t.Errorf("no %q in\n%s", part, said)
		}
	}
	for _, file := range []string{"bin/odfix", "bin/odfix-sandbox", "share/man/man1/odfix.1",
		"share/bash-completion/completions/odfix", "share/zsh/site-functions/_odfix", "share/fish/vendor_completions.d/odfix.fish"} {
		if _, err := os.Stat(filepath.Join(prefix, file)); err != nil {
			t.Error(err)
		}
	}
	text, err := exec.Command(filepath.Join(prefix, "bin", "odfix")).CombinedOutput()
	if want := runtime.GOOS + "/" + runtime.GOARCH; err != nil || !strings.Contains(string(text), want) {
		t.Errorf("%v: %s is not for %s", err, text, want)
	}
	// Another version, and a v before it.
	if _, said, err = install(t, filepath.Join(dir, "install.sh"), "ODFIX_BASE_URL="+base, "ODFIX_VERSION=v9.9.9"); err == nil ||
		!strings.Contains(said, "checksums.txt does not name odfix_9.9.9_") && !strings.Contains(said, "cannot download "+base+"/odfix_9.9.9_") {
		t.Errorf("a version that is not there: %v\n%s", err, said)
	}
}

// TestInstallScriptRefuses checks that nothing is installed of a wrong download.
func TestInstallScriptRefuses(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no release for Windows")
	}
	dir, base := served(t, "1.2.3")
	archives, err := filepath.Glob(filepath.Join(dir, "*.tar.gz"))
	must(t, err)
	for _, a := range archives {
		must(t, os.WriteFile(a, []byte(read(t, a)+"\n"), 0o644))
	}
	home, said, err := install(t, filepath.Join(dir, "install.sh"), "ODFIX_BASE_URL="+base)
	if err == nil || !strings.Contains(said, "the checksum of odfix_1.2.3_") || !strings.Contains(said, "Nothing was installed") {
		t.Errorf("a changed archive: %v\n%s", err, said)
	}
	if _, err := os.Stat(filepath.Join(home, "prefix")); err == nil {
		t.Error("a changed archive was installed")
	}
	// Another machine: uname is a script.
	tools := t.TempDir()
	for system, want := range map[string]string{"Linux riscv64": "no release for linux/riscv64", "MINGW64_NT-10.0 x86_64": "WSL 2"} {
		os, arch, _ := strings.Cut(system, " ")
		write(t, filepath.Join(tools, "uname"), fmt.Sprintf("#!/bin/sh\n[ \"$1\" = -m ] && echo %s || echo %s\n", arch, os))
		if _, said, err := install(t, filepath.Join(dir, "install.sh"), "ODFIX_BASE_URL="+base, "PATH="+tools+":"+envPath()); err == nil ||
			!strings.Contains(said, want) {
			t.Errorf("%s: %v\n%s", system, err, said)
		}
	}
}

func envPath() string { return os.Getenv("PATH") }

// TestSameBytes checks that a release that is made again is the same.
func TestSameBytes(t *testing.T) {
	sums := func() string {
		r, out, _, _ := small(t, "1.2.3")
		must(t, r.index(out))
		return read(t, filepath.Join(out, sumsName))
	}
	first := sums()
	if strings.Count(first, ".tar.gz\n") != len(product.Platforms) || !strings.Contains(first, "  install.sh\n") {
		t.Errorf("checksums:\n%s", first)
	}
	t.Chdir("internal/release")
	if second := sums(); second != first {
		t.Errorf("first\n%s\nthen\n%s", first, second)
	}
}

func TestFormula(t *testing.T) {
	r, out, _, _ := small(t, "1.2.3")
	must(t, r.index(out))
	file := filepath.Join(out, "odfix.rb")
	text, sums := read(t, file), read(t, filepath.Join(out, sumsName))
	for _, p := range r.Platforms {
		i := strings.Index(text, `url "https://github.com/odfix/odfix/releases/download/v1.2.3/`+r.Archive(p)+`"`)
		if i < 0 {
			t.Errorf("no %s in\n%s", r.Archive(p), text)
			continue
		}
		_, rest, _ := strings.Cut(text[i:], `sha256 "`)
		sum, _, _ := strings.Cut(rest, `"`)
		if len(sum) != 64 || !strings.Contains(sums, sum+"  "+r.Archive(p)+"\n") {
			t.Errorf("%s: sum %q is not in\n%s", p, sum, sums)
		}
	}
	ruby, err := exec.LookPath("ruby")
	if err != nil {
		t.Skip("its syntax is checked where ruby is: ", err)
	}
	if said, err := exec.Command(ruby, "-c", file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}

// TestWorkflow checks that the committed workflow is the one made from the data.
func TestWorkflow(t *testing.T) {
	const file = "../../.github/workflows/release.yml"
	var b bytes.Buffer
	must(t, texts.ExecuteTemplate(&b, "release.yml", product))
	if *update {
		must(t, os.WriteFile(file, b.Bytes(), 0o644))
	}
	if read(t, file) != b.String() {
		t.Error(file + " is not made from internal/release; go test ./internal/release -update writes it anew")
	}
}

// TestDebianPackage checks the package with Debian's own tool.
func TestDebianPackage(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds nfpm")
	}
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("only Debian has dpkg-deb: ", err)
	}
	r, out, work, pages := small(t, "1.2.3")
	must(t, r.debians(t.Context(), out, work, pages))
	file := filepath.Join(out, "odfix_1.2.3_amd64.deb")
	first := read(t, file)
	must(t, r.debians(t.Context(), out, work, pages))
	if read(t, file) != first {
		t.Error("a package that is made again differs")
	}
	said, err := exec.Command("dpkg-deb", "--info", file).CombinedOutput()
	must(t, err)
	for _, part := range []string{"Package: odfix", "Version: 1.2.3", "Architecture: amd64"} {
		if !strings.Contains(string(said), part) {
			t.Errorf("no %q in\n%s", part, said)
		}
	}
	root := t.TempDir()
	if said, err := exec.Command("dpkg-deb", "-x", file, root).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if said, err := exec.Command(filepath.Join(root, "usr", "bin", "odfix")).Output(); err != nil || string(said) != "odfix v1.2.3 for linux/amd64\n" {
		t.Errorf("%v: %s", err, said)
	}
	for _, name := range []string{"usr/share/man/man1/odfix.1", "usr/share/doc/odfix/LICENSE", "usr/share/bash-completion/completions/odfix"} {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestPlatforms(t *testing.T) {
	if got, err := choose("linux/amd64,darwin/arm64"); err != nil || len(got) != 2 || got[1].String() != "darwin/arm64" {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := choose(""); err != nil || len(got) != len(product.Platforms) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := choose("windows/amd64"); err == nil || !strings.Contains(err.Error(), "linux/amd64") {
		t.Errorf("%v", err)
	}
}
