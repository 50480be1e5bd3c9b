package maven

import (
	"os"
	"path/filepath"

	"github.com/odfix/odfix/internal/lockfile"
)

// Scratch is an empty folder beside the copy, made once for an open project. Close removes it.
// If odfix was killed, the next run of odfix removes the folder, whatever its own project: the
// free lock of the copy shows that the folder is not in use.
func (p *Project) Scratch() (string, error) {
	all := filepath.Join(p.slot, scratchName)
	// What cannot be removed yet, because a process still writes there, stays for the next run.
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

// testsRanFile exists in a copy in which tests may have written files that were not undone.
func (p *Project) testsRanFile() string { return filepath.Join(p.slot, "tests-ran") }

// Cleaned records that what tests wrote in the copy has been undone. Otherwise the next run begins
// with a new copy: a file that a test left could make others fail alone.
func (p *Project) Cleaned() { _ = os.Remove(p.testsRanFile()) }

// discard removes the copy and its records, where tests may have written into it.
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
