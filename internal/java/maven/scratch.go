package maven

import (
	"os"
	"path/filepath"

	"github.com/odfix/odfix/internal/lockfile"
)

// Scratch creates an empty folder beside the copy, once for an open project. Close removes it. If
// odfix was killed, the next run of odfix removes the folder, even a run for another project. The
// free lock of the copy shows that the folder is not in use.
func (p *Project) Scratch() (string, error) {
	all := filepath.Join(p.slot, scratchName)
	// A folder in which a process still writes cannot be removed. The next run removes it.
	_ = os.RemoveAll(all)
	if err := os.MkdirAll(all, 0o700); err != nil {
		return "", diskError("no scratch folder", err)
	}
	if err := os.WriteFile(p.testsRanFile(), nil, 0o600); err != nil {
		return "", diskError("no scratch folder", err)
	}
	dir, err := os.MkdirTemp(all, "job-")
	return dir, diskError("no scratch folder", err)
}

const scratchName = "scratch"

// testsRanFile exists if tests may have written files into the copy that were not undone.
func (p *Project) testsRanFile() string { return filepath.Join(p.slot, "tests-ran") }

// Cleaned records that what tests wrote in the copy has been undone. Without it, the next run
// begins with a new copy, because a file that a test left could make other tests fail alone.
func (p *Project) Cleaned() { _ = os.Remove(p.testsRanFile()) }

// discard removes the copy and its records if tests may have written into it.
func (p *Project) discard() error {
	if !exists(p.testsRanFile()) {
		return nil
	}
	for _, path := range []string{filepath.Join(p.slot, "tree"), p.manifestFile(), p.cacheFile(), p.outputsFile(), p.testsRanFile()} {
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
