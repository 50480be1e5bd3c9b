package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestManPages(t *testing.T) {
	d := newWorkspace(t)
	dir := filepath.Join(t.TempDir(), "man")
	if code := d.run(t.Context(), "man", "--date", "2026-05-04", dir); code != exitOK {
		t.Fatalf("status %d: %s", code, &d.stderr)
	}
	page := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	// A line of the table of exit statuses is a line of the page.
	wantIn(t, page("odfix.1"), "May 2026", "\n  2  the command line is wrong\n", "odfix-fix(1)")
	wantIn(t, page("odfix-fix.1"), "--apply", "--order")
	wantIn(t, page("odfix-config-check.1"), "odfix-config(1)")
	if _, err := os.Stat(filepath.Join(dir, "odfix-man.1")); err == nil {
		t.Error("there is a page for the hidden command")
	}
	if code := d.run(t.Context(), "man", "--date", "yesterday", dir); code != exitUsage {
		t.Errorf("a wrong date: status %d", code)
	}
}
