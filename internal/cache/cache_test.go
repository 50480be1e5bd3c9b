package cache

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/lockfile"
)

// entry makes a folder of n bytes that was last used some hours ago.
func entry(t *testing.T, path string, n int, hours int) string {
	t.Helper()
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
	when := time.Now().Add(-time.Duration(hours) * time.Hour)
	for name, size := range map[string]int{"data": n, LockName: 0} {
		file := filepath.Join(path, name)
		if err := os.WriteFile(file, make([]byte, size), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, when, when); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(path, when, when); err != nil {
		t.Fatal(err)
	}
	return path
}

// sample is a cache with entries of all kinds: 100 bytes each but the unknown one.
func sample(t *testing.T) (dir string) {
	dir = t.TempDir()
	entry(t, filepath.Join(dir, "builds", "shop-1"), 100, 5)
	entry(t, filepath.Join(dir, "builds", "shop-2"), 100, 1)
	entry(t, filepath.Join(dir, "jest", "0a1b"), 100, 3)
	entry(t, filepath.Join(dir, "jars", "old"), 100, 48)
	entry(t, filepath.Join(dir, "jars", "new"), 100, 2)
	entry(t, filepath.Join(dir, "notes"), 50, 2000)
	return dir
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	list, err := List(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range list {
		out = append(out, filepath.Base(e.Path))
	}
	return out
}

func TestList(t *testing.T) {
	dir := sample(t)
	lock, err := lockfile.Try(filepath.Join(dir, "jest", "0a1b", LockName))
	if err != nil || lock == nil {
		t.Fatal(lock, err)
	}
	defer lock.Close()
	list, err := List(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if name := filepath.Base(e.Path); e.Busy != slices.Contains([]string{"0a1b", "new", "notes"}, name) {
			t.Errorf("%s: busy %v", name, e.Busy)
		}
	}
	// The use of 0a1b began just now. Looking at the others is no use of them.
	want := []string{"notes", "old", "shop-1", "new", "shop-2", "0a1b"}
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	sums := Sums(list)
	if len(sums) != 4 || sums[0].Size != 200 || sums[0].Entries != 2 || sums[3] != (Sum{Other, 1, 50, list[0].Used}) {
		t.Errorf("%+v", sums)
	}
	if list, err := List(t.Context(), filepath.Join(dir, "nothing")); err != nil || len(list) != 0 {
		t.Errorf("no folder: %v, %v", list, err)
	}
}

func TestClean(t *testing.T) {
	for name, c := range map[string]struct {
		keep    int64
		hold    string
		left    []string
		cleaned Cleaned
	}{
		"below the limit":  {550, "", []string{"notes", "old", "shop-1", "0a1b", "new", "shop-2"}, Cleaned{0, 0, 550, 0}},
		"the oldest go":    {350, "", []string{"notes", "0a1b", "new", "shop-2"}, Cleaned{2, 200, 350, 1}},
		"one is in use":    {350, "builds/shop-1", []string{"notes", "new", "shop-2", "shop-1"}, Cleaned{2, 200, 350, 1}},
		"all that may go":  {0, "", []string{"notes", "new"}, Cleaned{4, 400, 150, 2}},
		"all but one used": {0, "jest/0a1b", []string{"notes", "new", "0a1b"}, Cleaned{3, 300, 250, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := sample(t)
			if c.hold != "" {
				lock, err := lockfile.Try(filepath.Join(dir, filepath.FromSlash(c.hold), LockName))
				if err != nil || lock == nil {
					t.Fatal(lock, err)
				}
				defer lock.Close()
			}
			got, err := Clean(t.Context(), dir, c.keep, os.RemoveAll)
			if err != nil || got != c.cleaned {
				t.Errorf("%v, %+v", err, got)
			}
			if left := names(t, dir); !slices.Equal(left, c.left) {
				t.Errorf("left: %v", left)
			}
		})
	}
}

// TestLongUnused checks that an old entry goes although there is room for it.
func TestLongUnused(t *testing.T) {
	dir := sample(t)
	entry(t, filepath.Join(dir, "builds", "ancient"), 100, 31*24)
	got, err := Clean(t.Context(), dir, 1<<40, os.RemoveAll)
	if err != nil || got.Removed != 1 || slices.Contains(names(t, dir), "ancient") {
		t.Errorf("%v, %+v, %v", err, got, names(t, dir))
	}
}

func TestStart(t *testing.T) {
	dir, removed := sample(t), make(chan struct{})
	stop := Start(dir, 450, func(path string) error {
		defer close(removed)
		return os.RemoveAll(path)
	})
	<-removed
	// The time of cleaning is written after that, without a signal.
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if _, err := os.Stat(filepath.Join(dir, cleanedName)); err == nil {
			break
		}
	}
	stop()
	if got := names(t, dir); slices.Contains(got, "old") || len(got) != 5 {
		t.Errorf("%v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Clean(ctx, dir, 0, os.RemoveAll); err == nil || len(names(t, dir)) != 5 {
		t.Errorf("stopped before it began: %v, %v", err, names(t, dir))
	}
}

// TestDue: the folder is cleaned once an hour for one limit.
func TestDue(t *testing.T) {
	dir := t.TempDir()
	if !due(dir, 450) {
		t.Error("a folder that was never cleaned")
	}
	stamp := filepath.Join(dir, cleanedName)
	for _, c := range []struct {
		limit string
		age   time.Duration
		want  bool
	}{{"450", time.Minute, false}, {"450", time.Hour, true}, {"450", -time.Minute, true}, {"400", time.Minute, true}} {
		if err := os.WriteFile(stamp, []byte(c.limit), 0o600); err != nil {
			t.Fatal(err)
		}
		when := time.Now().Add(-c.age)
		if err := os.Chtimes(stamp, when, when); err != nil {
			t.Fatal(err)
		}
		if got := due(dir, 450); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	if got := names(t, dir); len(got) > 0 {
		t.Errorf("entries %v", got)
	}
}

func TestLimit(t *testing.T) {
	for text, want := range map[string]int64{"": defaultLimit, "500MB": 500e6, "1GiB": 1 << 30, "0": 0} {
		if n, err := Limit(func(string) string { return text }); err != nil || n != want {
			t.Errorf("%q: %d, %v", text, n, err)
		}
	}
	for _, text := range []string{"lots", "-1", "5 parsecs"} {
		if n, err := Limit(func(string) string { return text }); err == nil {
			t.Errorf("%q: %d", text, n)
		}
	}
}

// TestCleanLeavesLinks: a link in the cache, and a file where a folder should be, are left alone.
func TestCleanLeavesLinks(t *testing.T) {
	dir, outside := sample(t), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "builds", "a-link")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "builds", "a-file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := Clean(t.Context(), dir, 0, os.RemoveAll)
	if err != nil || got.Removed != 4 {
		t.Errorf("%v, %+v", err, got)
	}
	if made, err := os.ReadDir(outside); err != nil || len(made) > 0 {
		t.Errorf("outside: %v, %v", made, err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "builds", "a-link")); err != nil {
		t.Error(err)
	}
}
