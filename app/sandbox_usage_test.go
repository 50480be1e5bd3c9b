//go:build sandbox

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/odfix/odfix/internal/sandbox"
)

func TestScenariosAreCompleted(t *testing.T) {
	d := newWorkspace(t)
	d.run(t.Context(), "__complete", "sandbox", "--scenario", "")
	for _, s := range sandbox.Scenarios {
		wantIn(t, d.stdout.String(), s.Name+"\t"+s.About+"\n")
	}
}

func TestSandboxUsage(t *testing.T) {
	d := newWorkspace(t)
	empty := t.TempDir()
	for line, want := range map[string]string{
		"--scenario nothing":             `there is no scenario "nothing"; the scenarios are victim, brittle`,
		"--format xml":                   "it can be text or json",
		"--listen 0.0.0.0:80":            "for this machine only",
		"--listen example.org:80":        "for this machine only",
		"--listen [::1]:80":              "for this machine only",
		"--listen 127.0.0.1":             "for this machine only",
		"--budget 0s":                    "--budget is 0s",
		"--budget soon":                  "no time",
		"--base main":                    "for a project of yours",
		"--scenario fork " + d.dir:       "Leave out one of them",
		empty:                            "there is no pom.xml, no build.gradle and no package.json",
		filepath.Join(empty, "nothing"):  "there is no folder",
		d.dir + " " + empty:              "one folder can be given",
		"--once --nonsense":              "--nonsense",
		"--scenario victim --format yml": "--format",
	} {
		if got := d.run(t.Context(), append([]string{"sandbox"}, strings.Fields(line)...)...); got != exitUsage {
			t.Errorf("%s: status %d", line, got)
		}
		wantIn(t, strings.Join(strings.Fields(d.stderr.String()), " "), want)
	}
}

// TestSandboxPage checks that docs/sandbox.md has exactly the scenarios, and the exit statuses of
// --help.
func TestSandboxPage(t *testing.T) {
	b, err := os.ReadFile("../docs/sandbox.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	_, table, _ := strings.Cut(page, "| `--scenario` |")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|").FindAllStringSubmatch(table, -1)
	if len(rows) != len(sandbox.Scenarios) {
		t.Fatalf("%d rows, %d scenarios", len(rows), len(sandbox.Scenarios))
	}
	for i, sc := range sandbox.Scenarios {
		if rows[i][1] != sc.Name {
			t.Errorf("%s is where %s should be", rows[i][1], sc.Name)
		}
	}
	_, statuses, _ := strings.Cut(sandboxAbout, "Exit status:\n")
	for l := range strings.Lines(statuses) {
		number, _, _ := strings.Cut(strings.TrimSpace(l), " ")
		wantIn(t, page, "\n| "+number+" | ")
	}
	var code int
	sandboxCommand(world{}, &code).Flags().VisitAll(func(f *pflag.Flag) {
		if f.Usage == "" {
			t.Errorf("--%s has no description", f.Name)
		}
	})
}

// TestSandboxKilled checks that CI's processes end if the sandbox is killed.
func TestSandboxKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds odfix")
	}
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere nothing ties a child to its parent's life")
	}
	bin := t.TempDir()
	odfix := filepath.Join(bin, "odfix")
	if out, err := exec.Command("go", "build", "-tags", "sandbox", "-o", odfix, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	pid := filepath.Join(bin, "pid")
	script := "#!/bin/sh\necho $$ > '" + pid + ".new'; mv '" + pid + ".new' '" + pid + "'; exec sleep 300\n"
	if err := os.WriteFile(filepath.Join(bin, "mvn"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), quickLife)
	defer cancel()
	cmd := exec.CommandContext(ctx, odfix, "sandbox", "--once")
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "TMPDIR="+t.TempDir())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	until(t, ctx, "CI to run", func() bool { _, err := os.Stat(pid); return err == nil })
	b, err := os.ReadFile(pid)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // it was killed
	until(t, ctx, "its Maven to end", func() bool {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(n) + "/stat")
		_, state, _ := strings.Cut(string(stat), ") ")
		return err != nil || strings.HasPrefix(state, "Z")
	})
}

func until(t *testing.T, ctx context.Context, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("waiting for %s: %v", what, ctx.Err())
		}
	}
}
