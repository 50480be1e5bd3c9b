package build

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// restoring is the state of one call of Restore.
type restoring struct {
	p      *Pristine
	at     *os.Root
	stores map[string]*os.Root // the folders with copies of files that were needed so far
	undone []string
	in     map[string]bool // all paths that were undone, and their folders
	fault  error
}

// Undone describes what a Restore undid.
type Undone struct {
	Files []string // created, changed or removed files and folders; sorted, at most a thousand
	// Passing are folders in which something was created and removed again. Other processes may
	// have seen it.
	Passing []string
}

// Wrote reports whether anything was written at all.
func (u Undone) Wrote() bool { return len(u.Files)+len(u.Passing) > 0 }

// Restore undoes what was written since Remember. No process may be writing there. If something
// cannot be undone, Restore continues and returns the first such error.
func (p *Pristine) Restore() (Undone, error) {
	at, err := os.OpenRoot(p.root)
	if err != nil {
		return Undone{}, err
	}
	defer func() { _ = at.Close() }()
	r := &restoring{p: p, at: at, stores: map[string]*os.Root{}, in: map[string]bool{}}
	defer func() {
		for _, store := range r.stores {
			_ = store.Close()
		}
	}()
	r.open()
	met := map[string]bool{}
	r.failed(walk(at, func(rel string, info fs.FileInfo) error { return r.see(rel, info, met) }))
	for _, dir := range p.outer {
		if !met[dir] {
			r.found(dir)
			r.failed(at.MkdirAll(dir, p.dirs[dir]))
		}
	}
	for rel := range p.files {
		if !met[rel] {
			r.found(rel)
			r.failed(r.bring(rel))
		}
	}
	slices.Sort(r.undone)
	return Undone{r.undone, r.restoreTimes()}, r.fault
}

// restoreTimes restores the folders' times. It returns the folders whose entries changed although
// nothing was undone there.
func (r *restoring) restoreTimes() (passing []string) {
	for _, dir := range slices.Sorted(maps.Keys(r.p.dirTimes)) {
		info, err := r.at.Lstat(dir)
		was := r.p.dirTimes[dir]
		if err != nil || !info.IsDir() || info.ModTime().Equal(was) {
			continue
		}
		if !r.in[dir] && len(passing) < maxUndone {
			passing = append(passing, dir)
		}
		if r.at.Chtimes(dir, was, was) != nil {
			r.p.dirTimes[dir] = info.ModTime() // it is reported only once
		}
	}
	return passing
}

func (r *restoring) failed(err error) {
	if r.fault == nil && err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.fault = err
	}
}

func (r *restoring) found(rel string) {
	r.in[filepath.Dir(rel)], r.in[rel] = true, true
	if len(r.undone) < maxUndone {
		r.undone = append(r.undone, rel)
	}
}

// maxInFolder bounds how many files of a new folder are named.
const maxInFolder = 50

// foundFolder is found for a folder and all that is in it.
func (r *restoring) foundFolder(rel string) {
	r.found(rel)
	most := min(maxUndone, len(r.undone)+maxInFolder)
	_ = fs.WalkDir(r.at.FS(), filepath.ToSlash(rel), func(path string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.FromSlash(path) != rel {
			r.found(filepath.FromSlash(path))
		}
		if len(r.undone) >= most {
			return fs.SkipAll
		}
		return nil // a folder that cannot be read is named, and what is in it is not
	})
}

// open restores the folders' permissions first. Otherwise files in the folders could not be
// restored.
func (r *restoring) open() {
	for _, dir := range r.p.outer {
		info, err := r.at.Lstat(dir)
		if err == nil && info.IsDir() && info.Mode().Perm() != r.p.dirs[dir] {
			r.found(dir)
			r.failed(r.at.Chmod(dir, r.p.dirs[dir]))
		}
	}
}

// see undoes a change at a path, and adds known paths to met.
func (r *restoring) see(rel string, info fs.FileInfo, met map[string]bool) error {
	if info.IsDir() {
		if _, met[rel] = r.p.dirs[rel]; met[rel] {
			return nil
		}
		r.foundFolder(rel)
		r.failed(removeAll(r.at, rel))
		return fs.SkipDir
	}
	was, known := r.p.files[rel]
	met[rel] = known
	switch {
	case known && was.same(info):
		if !was.is(info) {
			r.found(rel)
			r.failed(r.at.Chmod(rel, was.mode.Perm()))
		}
	case known:
		r.found(rel)
		r.failed(r.bring(rel))
	default:
		r.found(rel)
		r.failed(r.at.Remove(rel))
	}
	return nil
}

// bring restores a file.
func (r *restoring) bring(rel string) error {
	if !r.p.whole {
		if info, err := r.at.Lstat(rel); err == nil {
			r.p.files[rel] = kept{stamp: writtenStamp(info), mode: info.Mode()} // it is reported only once
		} else {
			delete(r.p.files, rel)
		}
		return errChanged
	}
	if err := r.at.Remove(rel); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	was := r.p.files[rel]
	store, err := r.store(was.store)
	if err != nil {
		return err
	}
	if err := copyPlain(store, r.at, rel, 0o600); err != nil || was.mode&fs.ModeSymlink != 0 {
		return err
	}
	when := time.Unix(0, was.MTime)
	return errors.Join(r.at.Chmod(rel, was.mode.Perm()), r.at.Chtimes(rel, when, when))
}

// store opens a folder with copies of files.
func (r *restoring) store(dir string) (*os.Root, error) {
	if open := r.stores[dir]; open != nil {
		return open, nil
	}
	store, err := os.OpenRoot(dir)
	if err == nil {
		r.stores[dir] = store
	}
	return store, err
}

// removeAll removes a folder, also one that a test has made read-only.
func removeAll(at *os.Root, rel string) error {
	err := at.RemoveAll(rel)
	if err == nil || !errors.Is(err, fs.ErrPermission) {
		return err
	}
	_ = fs.WalkDir(at.FS(), filepath.ToSlash(rel), func(path string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = at.Chmod(filepath.FromSlash(path), 0o700)
		}
		return nil
	})
	return at.RemoveAll(rel)
}

// RemoveAll is os.RemoveAll for a folder in which tests ran. It also removes folders that tests
// made read-only.
func RemoveAll(dir string) error {
	at, err := os.OpenRoot(filepath.Dir(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = at.Close() }()
	return removeAll(at, filepath.Base(dir))
}
