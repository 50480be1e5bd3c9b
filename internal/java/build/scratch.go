package build

import (
	"os"
	"path/filepath"

	"github.com/odfix/odfix/internal/lockfile"
)

// Scratch creates an empty folder beside the copy, once for an open project. Close removes it. If
// odfix was killed, the next run of odfix removes the folder, even a run for another project. The
// free lock of the copy shows that the folder is not in use.
func (w *Workspace) Scratch() (string, error) {
	all := filepath.Join(w.slot, scratchName)
	// A folder in which a process still writes cannot be removed. The next run removes it.
	_ = os.RemoveAll(all)
	if err := os.MkdirAll(all, 0o700); err != nil {
		return "", DiskError("no scratch folder", err)
	}
	if err := os.WriteFile(w.testsRanFile(), nil, 0o600); err != nil {
		return "", DiskError("no scratch folder", err)
	}
	dir, err := os.MkdirTemp(all, "job-")
	return dir, DiskError("no scratch folder", err)
}

const scratchName = "scratch"

// testsRanFile exists if tests may have written files into the copy that were not undone.
func (w *Workspace) testsRanFile() string { return filepath.Join(w.slot, "tests-ran") }

// Cleaned records that what tests wrote in the copy has been undone. Without it, the next run
// begins with a new copy, because a file that a test left could make other tests fail alone.
func (w *Workspace) Cleaned() { _ = os.Remove(w.testsRanFile()) }

// discard removes the copy and its records if tests may have written into it.
func (w *Workspace) discard() error {
	if !Exists(w.testsRanFile()) {
		return nil
	}
	for _, path := range []string{filepath.Join(w.slot, "tree"), w.manifestFile(), w.cacheFile(), w.outputsFile(), w.testsRanFile()} {
		if err := RemoveAll(path); err != nil {
			return err
		}
	}
	return nil
}

// sweep removes the scratch folders of copies that are not open.
func sweep(builds string) {
	left, _ := filepath.Glob(filepath.Join(builds, "*", scratchName))
	for _, dir := range left {
		if lock, _ := lockfile.Try(filepath.Join(filepath.Dir(dir), "lock")); lock != nil {
			_ = RemoveAll(dir)
			lock.Close()
		}
	}
}
