package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The action compares failures with the base commit of the pull request, which it fetches.
func TestActionComparesWithTheBase(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the script is one for bash")
	}
	dir := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	origin, shallow := filepath.Join(dir, "origin"), filepath.Join(dir, "shallow")
	git("init", "-q", "-b", "main", origin)
	git("-C", origin, "commit", "-q", "--allow-empty", "-m", "base")
	base := git("-C", origin, "rev-parse", "HEAD")
	git("-C", origin, "commit", "-q", "--allow-empty", "-m", "head")
	git("-C", origin, "branch", "base", base)
	git("clone", "-q", "--depth=1", "--single-branch", "file://"+origin, shallow)
	stub := filepath.Join(dir, "odfix")
	if err := os.WriteFile(stub, []byte("#!/bin/sh\necho \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		env  []string
		want string // a part of what is printed
		not  string
	}{
		"base":            {[]string{"MODE=fix", "BASE=" + base}, "--changed-since=" + base, "::notice"},
		"no pull request": {[]string{"MODE=fix", "BASE="}, "fix . --out", "--changed-since"},
		"no such commit":  {[]string{"MODE=fix", "BASE=" + strings.Repeat("1", 40)}, "::notice", "--changed-since=" + strings.Repeat("1", 40)},
		"chosen":          {[]string{"MODE=fix", "BASE=" + base, "FLAG_CHANGED_SINCE=HEAD"}, "--changed-since=HEAD", base},
		"detect":          {[]string{"MODE=detect", "BASE=" + base}, "detect . --out", "--changed-since"},
	} {
		script, err := filepath.Abs("../.ci/action/run")
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("bash", script)
		cmd.Dir = shallow
		cmd.Env = append(append(os.Environ(), "ODFIX="+stub, "DIRECTORY=.", "RUNNER_TEMP="+t.TempDir(),
			"GITHUB_OUTPUT="+filepath.Join(dir, "output"), "GITHUB_STEP_SUMMARY="+filepath.Join(dir, "summary")), c.env...)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), c.want) || strings.Contains(string(out), c.not) {
			t.Errorf("%s: %v\n%s\nwant %q, and not %q", name, err, out, c.want, c.not)
		}
	}
}
