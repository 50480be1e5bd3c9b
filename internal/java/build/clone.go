package build

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
)

// Size returns how many bytes the files of the copy take, without Git's own.
func (w *Workspace) Size() int64 {
	var n int64
	_ = filepath.WalkDir(w.Tree(), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return skipUnreadable(d, err)
		}
		if d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		if info, err := d.Info(); err == nil && !d.IsDir() {
			n += info.Size()
		}
		return nil
	})
	return n
}

// Clone copies the private copy, compiled outputs included, into dir, which must be empty or
// absent. The clone shares no file with the copy or the checkout.
func (w *Workspace) Clone(ctx context.Context, dir string) error {
	skip := func(rel string, _ fs.DirEntry) bool {
		return slices.Contains(w.outputs.Other, filepath.Base(rel)) &&
			w.outputs.Is(filepath.Join(w.Tree(), filepath.FromSlash(filepath.Dir(rel))))
	}
	return DiskError("cannot clone the build", copyTree(ctx, w.Tree(), w.TreeIn(dir), w.Tree(), w.TreeIn(dir), skip))
}

// CloneAgain copies a clone into dir, which must be empty or absent.
func (w *Workspace) CloneAgain(ctx context.Context, clone, dir string) error {
	from, to := w.TreeIn(clone), w.TreeIn(dir)
	return DiskError("cannot copy the patched build", copyTree(ctx, from, to, from, to, func(string, fs.DirEntry) bool { return false }))
}

// TreeIn is the tree in a clone. Its folder has the same name.
func (w *Workspace) TreeIn(dir string) string { return filepath.Join(dir, filepath.Base(w.Tree())) }

// InClone returns the path in the clone for a path in the private copy or in the checkout.
func (w *Workspace) InClone(dir, path string) string {
	return rebase(w.Copy(path), w.Tree(), w.TreeIn(dir))
}

// LaunchInClone returns the launch with its paths in the clone.
func (w *Workspace) LaunchInClone(dir string, l Launch) Launch {
	return l.moved(w.Tree(), w.TreeIn(dir))
}
