package ci

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMerged(t *testing.T) {
	sha := strings.Repeat("0a", 20)
	fetch := "2026-05-04T03:02:01.0000001Z [command]/usr/bin/git -c protocol.version=2 fetch --no-tags --depth=1 origin +" +
		sha + ":refs/remotes/pull/12/merge\n"
	for text, want := range map[string]string{
		"Syncing repository\n" + fetch + "tests\n":                                            sha,
		"fetch origin +" + sha + ":refs/remotes/origin/main\n":                                "",
		"fetch origin +0a0a:refs/remotes/pull/12/merge\n":                                     "",
		"fetch origin +" + sha + ":refs/remotes/pull/../merge\n":                              "",
		strings.Repeat(strings.Repeat("x", 1023)+"\n", checkoutBytes>>10) + fetch:             "",
		strings.Repeat("\x00:refs/remotes/pull/\xff", 1000) + "\n" + strings.TrimSpace(fetch): sha,
		"": "",
	} {
		file := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := Merged(t.Context(), file); got != want {
			t.Errorf("%.100q: %q, want %q", text, got, want)
		}
	}
	if Merged(t.Context(), filepath.Join(t.TempDir(), "none")) != "" {
		t.Error("no file, and a commit")
	}
}
