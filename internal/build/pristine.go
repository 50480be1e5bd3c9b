package build

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Pristine is what a folder held at one moment, so that what tests write there
// can be undone. It leads nowhere outside the folder, whatever links tests put there, and leaves Git's own alone.
type Pristine struct {
	root, kept string
	files      map[string]kept        // by path from root
	dirs       map[string]fs.FileMode // their permissions
	outer      []string               // the folders, outer ones first
	whole      bool                   // what is in the files is kept, too
}

// kept is a file as it was.
type kept struct {
	Stamp
	mode fs.FileMode
}

// Bounds on the files whose contents are kept, and on how many are told of.
const (
	maxKept      = 512 << 20 // bytes
	maxKeptFiles = 50_000
	maxUndone    = 1000
)

// errChanged is the error where a file cannot be brought back, since files were too many or too large to be kept.
var errChanged = errors.New("tests changed files of the project that are too many or too large to be kept")

// Remember looks at the folder and keeps its files in store, a folder of its own outside.
// Where they are too large or too many they are not kept: what is made anew can be undone all the same.
func Remember(ctx context.Context, root, store string) (*Pristine, error) {
	p := &Pristine{root: root, kept: store, files: map[string]kept{}, dirs: map[string]fs.FileMode{}}
	at, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer func() { _ = at.Close() }()
	var size int64
	err = walk(at, func(rel string, info fs.FileInfo) error {
		if info.IsDir() {
			p.dirs[rel] = info.Mode().Perm()
			p.outer = append(p.outer, rel)
			return nil
		}
		p.files[rel] = kept{writtenStamp(info), info.Mode()}
		size += info.Size()
		return ctx.Err()
	})
	if err != nil {
		return nil, err
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

// writtenStamp is of a file, or of a link itself, whose time cannot be brought back.
func writtenStamp(info fs.FileInfo) Stamp {
	if info.Mode()&fs.ModeSymlink != 0 {
		return Stamp{Size: info.Size()}
	}
	return Stamp{info.Size(), info.ModTime().UnixNano()}
}

// walk calls see for everything below the root, folders before what is in them.
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
	for rel := range p.files {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := copyPlain(at, to, rel, 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// copyPlain copies a file's contents, or a link as it is, to where nothing is.
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

// restoring is one Restore.
type restoring struct {
	p      *Pristine
	at, of *os.Root // the folder, and what was kept
	undone []string
	fault  error
}

// Restore undoes what was written since, and returns paths that it found
// made, changed or gone, sorted, at most a thousand. Nothing may be writing there. What cannot be undone is left; the error is the first such.
func (p *Pristine) Restore() ([]string, error) {
	at, err := os.OpenRoot(p.root)
	if err != nil {
		return nil, err
	}
	defer func() { _ = at.Close() }()
	r := &restoring{p: p, at: at}
	if p.whole {
		if r.of, err = os.OpenRoot(p.kept); err != nil {
			return nil, err
		}
		defer func() { _ = r.of.Close() }()
	}
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
	return r.undone, r.fault
}

func (r *restoring) failed(err error) {
	if r.fault == nil && err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.fault = err
	}
}

func (r *restoring) found(rel string) {
	if len(r.undone) < maxUndone {
		r.undone = append(r.undone, rel)
	}
}

// open gives the folders their permissions back, without which nothing in them can be undone.
func (r *restoring) open() {
	for _, dir := range r.p.outer {
		info, err := r.at.Lstat(dir)
		if err == nil && info.IsDir() && info.Mode().Perm() != r.p.dirs[dir] {
			r.found(dir)
			r.failed(r.at.Chmod(dir, r.p.dirs[dir]))
		}
	}
}

// see undoes what is found at a path, and keeps in met what is there as it should be.
func (r *restoring) see(rel string, info fs.FileInfo, met map[string]bool) error {
	if info.IsDir() {
		if _, met[rel] = r.p.dirs[rel]; met[rel] {
			return nil
		}
		r.found(rel)
		r.failed(removeAll(r.at, rel))
		return fs.SkipDir
	}
	was, known := r.p.files[rel]
	met[rel] = known
	switch {
	case known && writtenStamp(info) == was.Stamp && info.Mode().Type() == was.mode.Type():
		if info.Mode()&fs.ModeSymlink == 0 && info.Mode().Perm() != was.mode.Perm() {
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

// bring makes a file what it was.
func (r *restoring) bring(rel string) error {
	if !r.p.whole {
		if info, err := r.at.Lstat(rel); err == nil {
			r.p.files[rel] = kept{writtenStamp(info), info.Mode()} // told of once
		} else {
			delete(r.p.files, rel)
		}
		return errChanged
	}
	if err := r.at.Remove(rel); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	was := r.p.files[rel]
	if err := copyPlain(r.of, r.at, rel, 0o600); err != nil || was.mode&fs.ModeSymlink != 0 {
		return err
	}
	when := time.Unix(0, was.MTime)
	return errors.Join(r.at.Chmod(rel, was.mode.Perm()), r.at.Chtimes(rel, when, when))
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

// RemoveAll is os.RemoveAll of a folder in which tests ran: they may have made some of it read-only.
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
