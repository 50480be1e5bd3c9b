package build

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
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
	err := copyTree(ctx, w.Tree(), w.TreeIn(dir), w.Tree(), w.TreeIn(dir), skip)
	if err == nil {
		err = moveCompiled(w.TreeIn(dir), w.Tree(), w.TreeIn(dir))
	}
	return DiskError("cannot clone the build", err)
}

// moveCompiled changes the paths in the lists of what Maven's compiler plug-in has compiled.
// Otherwise the plug-in takes all files of a clone for new ones, and compiles all modules again.
func moveCompiled(root, from, to string) error {
	return eachCompiled(root, func(list string) error {
		return replaceIn(list, from+string(filepath.Separator), to+string(filepath.Separator))
	})
}

// CompileAll makes the next build of a clone compile everything: some plug-ins refuse classes that
// they have changed in an earlier build.
func (w *Workspace) CompileAll(dir string) error {
	return DiskError("cannot prepare the clone", eachCompiled(w.TreeIn(dir), os.Remove))
}

// eachCompiled calls do with each list of what Maven's compiler plug-in has compiled, in the
// modules below a folder. It follows no links.
func eachCompiled(root string, do func(list string) error) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || !d.IsDir():
			return err
		case slices.Contains([]string{".git", "src", "node_modules"}, d.Name()):
			return fs.SkipDir
		case d.Name() != "target":
			return nil
		}
		err = filepath.WalkDir(filepath.Join(path, "maven-status"), func(list string, d fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return nil
			case err != nil || d.Name() != "inputFiles.lst" || !d.Type().IsRegular():
				return err
			}
			return do(list)
		})
		return cmp.Or(err, fs.SkipDir)
	})
}

// replaceIn replaces a text in a file.
func replaceIn(file, old, new string) error {
	text, err := os.ReadFile(file)
	if err != nil || !bytes.Contains(text, []byte(old)) {
		return err
	}
	return os.WriteFile(file, bytes.ReplaceAll(text, []byte(old), []byte(new)), 0o644)
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
