// Package cache knows the folder that odfix keeps between jobs: copies of checkouts with their
// builds, and odfix's own jars. It measures the folder and keeps it below a limit.
//
// Invariants: an entry whose lock a job holds is never removed. Entries are removed from the least
// recently used on. Only folders that odfix makes are removed.
package cache

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/odfix/odfix/internal/lockfile"
)

// Kind is what an entry holds.
type Kind string

// The kinds.
const (
	Maven Kind = "maven" // the copy of a checkout, built by Maven
	Jest  Kind = "jest"  // the copy of a package, with what Jest needs
	Jars  Kind = "jars"  // odfix's own jars, of one version
	Other Kind = "other" // what nothing here knows; it is never removed
)

// LockName is the file, in the folder of an entry, whose lock a job holds.
const LockName = "lock"

// Entry is one folder.
type Entry struct {
	Kind Kind      `json:"kind"`
	Path string    `json:"path"`
	Size int64     `json:"bytes"`
	Used time.Time `json:"used"` // last
	Busy bool      `json:"busy"` // in use, so that it must stay
}

// LimitEnv is the environment variable with the size that the folder may have after it was cleaned,
// such as 500MB.
const LimitEnv = "ODFIX_CACHE_LIMIT"

const (
	defaultLimit = 2 << 30
	// keepUnused is how long an unused entry is kept, even below the limit.
	keepUnused = 30 * 24 * time.Hour
	// No lock shows that jars are in use; jobs end within a day.
	keepJars = 24 * time.Hour
)

// Dir is the folder of this user.
func Dir() (string, error) {
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "odfix"), err
}

// Limit reads LimitEnv.
func Limit(getenv func(string) string) (int64, error) {
	text := getenv(LimitEnv)
	if text == "" {
		return defaultLimit, nil
	}
	n, err := Size(text)
	if err != nil {
		return 0, fmt.Errorf("%s is %q: give a size such as 500MB or 2GB", LimitEnv, text)
	}
	return n, nil
}

// Size reads a size such as 500MB or 2GB.
func Size(text string) (int64, error) {
	n, err := humanize.ParseBytes(text)
	return int64(min(n, 1<<62)), err
}

// List returns the entries of a cache folder, the least recently used first. A folder that does not
// exist has none.
func List(ctx context.Context, dir string) ([]Entry, error) {
	var out []Entry
	kinds := map[string]Kind{"builds": Maven, "jest": Jest, "jars": Jars}
	top, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	for _, t := range top {
		if t.Name() == cleanedName {
			continue
		}
		kind, known := kinds[t.Name()]
		path := filepath.Join(dir, t.Name())
		if !known || !t.IsDir() {
			out = append(out, describe(ctx, Other, path))
			continue
		}
		below, err := os.ReadDir(path)
		if err != nil {
			return nil, err
		}
		for _, b := range below {
			of := kind
			if !b.IsDir() { // a link may lead out of the cache
				of = Other
			}
			out = append(out, describe(ctx, of, filepath.Join(path, b.Name())))
		}
	}
	slices.SortStableFunc(out, func(a, b Entry) int { return a.Used.Compare(b.Used) })
	return out, ctx.Err()
}

func describe(ctx context.Context, kind Kind, path string) Entry {
	e := Entry{Kind: kind, Path: path}
	_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil { // files vanish while a job runs
			return nil
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			e.Size += info.Size()
		}
		return nil
	})
	if info, err := os.Lstat(path); err == nil {
		e.Used = info.ModTime()
	}
	switch kind {
	case Maven, Jest:
		if info, err := os.Stat(filepath.Join(path, LockName)); err == nil {
			e.Used = info.ModTime()
			e.Busy = busy(filepath.Join(path, LockName), e.Used)
		}
	case Jars:
		e.Busy = time.Since(e.Used) < keepJars
	case Other:
		e.Busy = true
	}
	return e
}

// busy reports whether a process holds the lock. The time of the file, which taking the lock
// changes, is restored.
func busy(file string, was time.Time) bool {
	lock, err := lockfile.Try(file)
	if lock == nil {
		return err == nil
	}
	_ = os.Chtimes(file, was, was)
	_ = lock.Close()
	return false
}

// Cleaned is the result of Clean.
type Cleaned struct {
	Removed int   `json:"removed"`
	Freed   int64 `json:"freed_bytes"`
	Left    int64 `json:"left_bytes"`
	Busy    int   `json:"busy"` // entries that would have been removed, were they not in use
}

// Clean removes the least recently used entries until at most keep bytes are left, and those that
// were not used for long. remove removes a folder; os.RemoveAll does not remove folders that tests
// made read-only.
func Clean(ctx context.Context, dir string, keep int64, remove func(string) error) (Cleaned, error) {
	var c Cleaned
	list, err := List(ctx, dir)
	if err != nil {
		return c, err
	}
	for _, e := range list {
		c.Left += e.Size
	}
	for _, e := range list {
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
		old := e.Kind != Other && time.Since(e.Used) > keepUnused
		if c.Left <= keep && !old {
			continue
		}
		gone := false
		if !e.Busy {
			if gone, err = drop(e, remove); err != nil {
				return c, err
			}
		}
		if !gone {
			c.Busy++
			continue
		}
		c.Removed++
		c.Freed += e.Size
		c.Left -= e.Size
	}
	return c, nil
}

// drop removes an entry, unless a job uses it. It renames the folder first, so that no job finds
// half of it.
func drop(e Entry, remove func(string) error) (bool, error) {
	if e.Kind != Jars {
		lock, err := lockfile.Try(filepath.Join(e.Path, LockName))
		if lock == nil {
			return false, err
		}
		defer lock.Close()
	}
	swept := e.Path + "-swept"
	if err := os.Rename(e.Path, swept); err != nil {
		return false, err
	}
	return true, remove(swept)
}

// cleanEvery is how often Start cleans: to measure a large folder takes a second.
const cleanEvery = time.Hour

// cleanedName is a file in the folder: its time is that of the last cleaning by Start, its content
// the limit.
const cleanedName = ".cleaned"

// Start cleans the folder down to the limit in the background, unless it was cleaned down to the
// same limit within the last hour. The function it returns ends that, and waits for the end.
func Start(dir string, limit int64, remove func(string) error) (stop func()) {
	if !due(dir, limit) {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if c, err := Clean(ctx, dir, limit, remove); err == nil && c.Left <= limit { // else the next job tries again
			_ = os.WriteFile(filepath.Join(dir, cleanedName), []byte(strconv.FormatInt(limit, 10)), 0o600)
		}
	}()
	return func() { cancel(); <-done }
}

// due reports whether the folder has to be cleaned down to the limit.
func due(dir string, limit int64) bool {
	stamp := filepath.Join(dir, cleanedName)
	info, err := os.Stat(stamp)
	if err != nil {
		return true
	}
	was, err := os.ReadFile(stamp)
	age := time.Since(info.ModTime()) // less than 0 if the clock was set back
	return err != nil || string(was) != strconv.FormatInt(limit, 10) || age < 0 || age >= cleanEvery
}

// Sum is the entries of one kind.
type Sum struct {
	Kind    Kind      `json:"kind"`
	Entries int       `json:"entries"`
	Size    int64     `json:"bytes"`
	Oldest  time.Time `json:"oldest"` // when the least recently used entry was used
}

// Sums adds up the entries of each kind. The largest kind is first.
func Sums(list []Entry) []Sum {
	var out []Sum
	for _, e := range list {
		i := slices.IndexFunc(out, func(s Sum) bool { return s.Kind == e.Kind })
		if i < 0 {
			i = len(out)
			out = append(out, Sum{Kind: e.Kind, Oldest: e.Used})
		}
		out[i].Entries++
		out[i].Size += e.Size
		if e.Used.Before(out[i].Oldest) {
			out[i].Oldest = e.Used
		}
	}
	slices.SortFunc(out, func(a, b Sum) int { return cmp.Compare(b.Size, a.Size) })
	return out
}
