package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestCacheCommand(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", home)
	t.Setenv("HOME", home)
	dir, err := os.UserCacheDir() // on macOS it is below HOME
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(dir, "odfix")
	d := newWorkspace(t)
	d.clock = func() time.Time { return time.Now().Add(time.Hour) }
	if code := d.run(t.Context(), "cache"); code != exitOK {
		t.Fatalf("status %d: %s", code, &d.stderr)
	}
	wantIn(t, d.stdout.String(), dir, "It is empty.", "at most 2.0 GiB")

	for i, name := range []string{"shop-1", "shop-2"} {
		slot := filepath.Join(dir, "builds", name)
		if err := os.MkdirAll(slot, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"data", "lock"} {
			if err := os.WriteFile(filepath.Join(slot, file), make([]byte, 1500), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		when := time.Now().Add(-time.Duration(4-i) * 24 * time.Hour)
		if err := os.Chtimes(filepath.Join(slot, "lock"), when, when); err != nil {
			t.Fatal(err)
		}
	}
	d.stdout.Reset()
	d.run(t.Context(), "cache")
	wantIn(t, d.stdout.String(), "copies of checkouts with Maven", "2    6.0 kB  oldest used 4 days ago", "odfix cache clean --keep 200MB")
	d.stdout.Reset()
	d.run(t.Context(), "cache", "--format", "json")
	var v cacheView
	if err := json.Unmarshal(d.stdout.Bytes(), &v); err != nil || v.Size != 6000 || len(v.Entries) != 2 || v.Dir != dir {
		t.Errorf("%v, %+v", err, v)
	}
	d.stdout.Reset()
	d.run(t.Context(), "cache", "clean", "--keep", "4KB")
	wantIn(t, d.stdout.String(), "1 removed, 3.0 kB freed; 3.0 kB left.")
	if _, err := os.Stat(filepath.Join(dir, "builds", "shop-2")); err != nil {
		t.Error("the one used last is gone: ", err)
	}
	for _, args := range [][]string{{"cache", "clean", "--keep", "much"}, {"cache", "--format", "xml"}, {"cache", "cleen"}} {
		if code := d.run(t.Context(), args...); code != exitUsage {
			t.Errorf("%v: status %d", args, code)
		}
	}
}
