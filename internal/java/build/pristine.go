package build

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Pristine is the content of a folder at one moment. With it, odfix undoes what tests write there.
// It never follows a link out of the folder, and leaves Git's own files alone.
type Pristine struct {
	root, kept string
	files      map[string]kept        // by path from root
	dirs       map[string]fs.FileMode // their permissions
	dirTimes   map[string]time.Time   // when their entries last changed; the root is "."
	outer      []string               // the folders, outer ones first
	whole      bool                   // the contents of the files are kept, too
}

// kept describes a file at the time of Remember.
type kept struct {
	stamp
	mode  fs.FileMode
	store string // the folder with a copy of it
}

// Bounds on the files whose contents are kept, and on how many undone files are reported.
const (
	maxKept      = 512 << 20 // bytes
	maxKeptFiles = 50_000
	maxUndone    = 1000
)

// errChanged is the error for a file that cannot be restored, because the files were too many or
// too large to be kept.
var errChanged = errors.New("tests changed files of the project that are too many or too large to be kept")

// Remember records the folder and copies its files to store, a folder outside. It copies none if
// they are too large or too many. New files can be removed in any case.
func Remember(ctx context.Context, root, store string) (*Pristine, error) {
	return remember(ctx, nil, root, store)
}

// RememberCopy is Remember for a copy of p's folder. It does not copy files with the size and time
// that they have in p: p's own copies of them serve both, and must stay. If p is nil, it copies all.
func (p *Pristine) RememberCopy(ctx context.Context, root, store string) (*Pristine, error) {
	return remember(ctx, p, root, store)
}

func remember(ctx context.Context, like *Pristine, root, store string) (*Pristine, error) {
	p := &Pristine{root: root, kept: store, files: map[string]kept{}, dirs: map[string]fs.FileMode{}, dirTimes: map[string]time.Time{}}
	at, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer func() { _ = at.Close() }()
	var size int64
	err = walk(at, func(rel string, info fs.FileInfo) error {
		if info.IsDir() {
			p.dirs[rel] = info.Mode().Perm()
			p.dirTimes[rel] = info.ModTime()
			p.outer = append(p.outer, rel)
			return nil
		}
		p.files[rel] = kept{writtenStamp(info), info.Mode(), like.storeOf(rel, info, store)}
		size += info.Size()
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	if info, err := at.Stat("."); err == nil {
		p.dirTimes["."] = info.ModTime()
	}
	slices.Sort(p.outer)
	if size > maxKept || len(p.files) > maxKeptFiles {
		return p, nil
	}
	if err := p.keep(ctx, at); err != nil {
		return nil, fmt.Errorf("keeping the project's files as they are: %w", err)
	}
	p.whole = true
	return p, nil
}

// storeOf returns the folder with a copy of a file: p's own if the file is as in p, else the other
// one. Links are not shared, because a copied link may lead elsewhere and have the same stamp. p can
// be nil.
func (p *Pristine) storeOf(rel string, info fs.FileInfo, other string) string {
	// A copied list of paths has other paths and the same time.
	if p == nil || !p.whole || !info.Mode().IsRegular() || filepath.Ext(rel) == pathList {
		return other
	}
	if was, known := p.files[rel]; known && was.is(info) {
		return was.store
	}
	return other
}

// writtenStamp returns the stamp of a file. It leaves out the time of a link, which cannot be
// restored.
func writtenStamp(info fs.FileInfo) stamp {
	if info.Mode()&fs.ModeSymlink != 0 {
		return stamp{Size: info.Size()}
	}
	return stamp{info.Size(), info.ModTime().UnixNano()}
}

// walk calls see for everything below the root, folders before their content.
func walk(at *os.Root, see func(rel string, info fs.FileInfo) error) error {
	return fs.WalkDir(at.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return skipUnreadable(d, err)
		}
		if d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil || path == "." {
			return nil
		}
		return see(filepath.FromSlash(path), info)
	})
}

func (p *Pristine) keep(ctx context.Context, at *os.Root) error {
	if err := os.MkdirAll(p.kept, 0o700); err != nil {
		return err
	}
	to, err := os.OpenRoot(p.kept)
	if err != nil {
		return err
	}
	defer func() { _ = to.Close() }()
	for _, dir := range p.outer {
		if err := to.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	for rel, file := range p.files {
		if file.store != p.kept {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := copyPlain(at, to, rel, 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// copyPlain copies a file's contents, or a link itself, to a path that does not exist.
func copyPlain(from, to *os.Root, rel string, mode fs.FileMode) (err error) {
	info, err := from.Lstat(rel)
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := from.Readlink(rel)
		if err != nil {
			return err
		}
		return to.Symlink(target, rel)
	}
	if !info.Mode().IsRegular() {
		return nil
	}
	in, err := from.Open(rel)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := to.OpenFile(rel, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if cerr := out.Close(); err == nil {
		err = cerr
	}
	return err
}

// errWritten ends the walk of Written.
var errWritten = errors.New("written")

// Written reports whether anything was written since Remember, also if it was removed again. Other
// processes may be writing there.
func (p *Pristine) Written() (bool, error) {
	at, err := os.OpenRoot(p.root)
	if err != nil {
		return false, err
	}
	defer func() { _ = at.Close() }()
	differs := func(rel string, info fs.FileInfo) bool { // removing a file changes its folder
		if info.IsDir() {
			return !info.ModTime().Equal(p.dirTimes[rel]) || rel != "." && info.Mode().Perm() != p.dirs[rel]
		}
		was, known := p.files[rel]
		return !known || !was.is(info)
	}
	if info, err := at.Lstat("."); err != nil || differs(".", info) {
		return err == nil, err
	}
	err = walk(at, func(rel string, info fs.FileInfo) error {
		if differs(rel, info) {
			return errWritten
		}
		return nil
	})
	if errors.Is(err, errWritten) {
		return true, nil
	}
	return false, err
}

// is reports whether a file is unchanged. The permissions of a link do not count.
func (k kept) is(info fs.FileInfo) bool {
	return k.same(info) && (info.Mode()&fs.ModeSymlink != 0 || info.Mode().Perm() == k.mode.Perm())
}

func (k kept) same(info fs.FileInfo) bool {
	return writtenStamp(info) == k.stamp && info.Mode().Type() == k.mode.Type()
}

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
