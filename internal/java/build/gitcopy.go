package build

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// copyGit gives the copy its own git metadata. Plugins can then ask for the commit or the history,
// and cannot change the checkout's repository. The copy borrows objects through alternates and has
// no hooks.
func (w *Workspace) copyGit() error {
	if w.At.Git == "" {
		return nil
	}
	dir, common, err := gitFolders(w.At.Git)
	if err != nil {
		return nil // a broken .git: the copy has none, as if outside git
	}
	dst := filepath.Join(w.Tree(), ".git")
	info := filepath.Join(dst, "objects", "info")
	if err := os.MkdirAll(info, 0o755); err != nil {
		return err
	}
	alternates := filepath.Join(common, "objects") + "\n"
	if more, err := os.ReadFile(filepath.Join(common, "objects", "info", "alternates")); err == nil {
		alternates += string(more)
	}
	if err := os.WriteFile(filepath.Join(info, "alternates"), []byte(alternates), 0o644); err != nil {
		return err
	}
	for _, name := range []string{"config", "packed-refs", "shallow"} {
		copyIfChanged(filepath.Join(common, name), filepath.Join(dst, name))
	}
	for _, name := range []string{"HEAD", "index"} {
		copyIfChanged(filepath.Join(dir, name), filepath.Join(dst, name))
	}
	os.RemoveAll(filepath.Join(dst, "refs"))
	none := func(string, fs.DirEntry) bool { return false }
	if err := copyTree(context.Background(), filepath.Join(common, "refs"), filepath.Join(dst, "refs"), common, dst, none); err != nil {
		return err
	}
	return os.MkdirAll(filepath.Join(dst, "refs"), 0o755)
}

func copyIfChanged(src, dst string) {
	info, err := os.Stat(src)
	if err != nil {
		os.Remove(dst)
		return
	}
	if was, err := os.Stat(dst); err == nil && was.Size() == info.Size() && was.ModTime().Equal(info.ModTime()) {
		return
	}
	if e, ok := entryOf(src, info); ok {
		copyEntry(src, dst, e)
	}
}

// gitFolders resolves .git to the work tree's folder and the folder that all work trees share. In a
// linked work tree or a submodule, .git is a file.
func gitFolders(git string) (dir, common string, err error) {
	dir = git
	if fi, err := os.Stat(git); err != nil {
		return "", "", err
	} else if !fi.IsDir() {
		data, err := os.ReadFile(git)
		if err != nil {
			return "", "", err
		}
		dir = strings.TrimSpace(strings.TrimPrefix(string(data), "gitdir:"))
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(filepath.Dir(git), dir)
		}
	}
	common = dir
	if data, err := os.ReadFile(filepath.Join(dir, "commondir")); err == nil {
		common = strings.TrimSpace(string(data))
		if !filepath.IsAbs(common) {
			common = filepath.Join(dir, common)
		}
	}
	_, err = os.Stat(filepath.Join(common, "objects"))
	return dir, common, err
}
