package maven

import (
	"os"
	"path/filepath"

	"github.com/odfix/odfix/internal/lockfile"
)

// Scratch is an empty folder beside the copy for whoever has the project open,
// to be asked for once. Close removes it. What a killed odfix left in its own is removed by the
// next one, whatever project that is about: the lock of the copy says that nobody is there any
// more.
func (p *Project) Scratch() (string, error) {
	all := filepath.Join(p.slot, scratchName)
	// What cannot be removed yet, because something still writes there, stays for the next one.
	_ = os.RemoveAll(all)
	if err := os.MkdirAll(all, 0o700); err != nil {
		return "", diskError("no scratch folder", err)
	}
	if err := os.WriteFile(p.litterFile(), nil, 0o600); err != nil {
		return "", diskError("no scratch folder", err)
	}
	dir, err := os.MkdirTemp(all, "job-")
	if err != nil {
		return "", diskError("no scratch folder", err)
	}
	return dir, nil
}

const scratchName = "scratch"

// litterFile stands in a copy in which tests may have written what nobody has undone.
func (p *Project) litterFile() string { return filepath.Join(p.slot, "tests-ran") }

// Tidied says that what tests wrote in the copy has been undone. Where nobody says so, the
// next one begins with a new copy: what a test leaves there could make others fail alone.
func (p *Project) Tidied() { _ = os.Remove(p.litterFile()) }

// discard removes the copy, and what is known of it, where tests may have written into it.
func (p *Project) discard() error {
	if !exists(p.litterFile()) {
		return nil
	}
	for _, path := range []string{filepath.Join(p.slot, "tree"), p.manifestFile(), p.cacheFile(), p.outputsFile(), p.litterFile()} {
		if err := RemoveAll(path); err != nil {
			return err
		}
	}
	return nil
}

// sweep removes the scratch folders of copies that nobody has open.
func sweep(builds string) {
	left, _ := filepath.Glob(filepath.Join(builds, "*", scratchName))
	for _, dir := range left {
		if lock, _ := lockfile.Try(filepath.Join(filepath.Dir(dir), "lock")); lock != nil {
			_ = RemoveAll(dir)
			lock.Close()
		}
	}
}
