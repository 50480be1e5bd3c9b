package build

import (
	"os"
	"path/filepath"

	"github.com/odfix/odfix/internal/lockfile"
)

// Scratch is an empty folder beside the copy for whoever has the project open,
// to be asked for once. Close removes it. What a killed odfix left in its own is removed by the next
// one, whatever project that is about: the lock of the copy says that nobody is
// there any more.
func (p *Project) Scratch() (string, error) {
	all := filepath.Join(p.slot, scratchName)
	// What cannot be removed yet, because something still writes there, stays for the next one.
	_ = os.RemoveAll(all)
	if err := os.MkdirAll(all, 0o700); err != nil {
		return "", diskError("no scratch folder", err)
	}
	dir, err := os.MkdirTemp(all, "job-")
	if err != nil {
		return "", diskError("no scratch folder", err)
	}
	return dir, nil
}

const scratchName = "scratch"

// sweep removes the scratch folders of copies that nobody has open.
func sweep(builds string) {
	left, _ := filepath.Glob(filepath.Join(builds, "*", scratchName))
	for _, dir := range left {
		if lock, _ := lockfile.Try(filepath.Join(filepath.Dir(dir), "lock")); lock != nil {
			os.RemoveAll(dir)
			lock.Close()
		}
	}
}
