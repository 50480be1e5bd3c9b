package jest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/odfix/odfix/internal/project"
)

// modules is the folder of installed packages.
const modules = "node_modules"

// notCopied are folders of a checkout that no working copy gets.
var notCopied = []string{".git", ".hg", modules, ".yarn/cache", ".nx", ".turbo"}

// maxCopy bounds what a working copy may take, in bytes.
const maxCopy = 4 << 30

// entry is what a tree remembers of a file, a link or a folder.
type entry struct {
	mode   fs.FileMode
	size   int64
	time   time.Time
	target string // of a link
}

// tree is the files of a checkout, without installed packages, as they were when they were copied.
type tree struct {
	dir     string
	entries map[string]entry // by path relative to dir, with '/'
	modules []string         // folders of the checkout that hold installed packages, relative
}

// copyTree copies a checkout. Times stay as they are, so that caches of transformed files hold.
func copyTree(ctx context.Context, from, to string) (*tree, error) {
	t := &tree{dir: to, entries: map[string]entry{}}
	var size int64
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		rel := slashed(relative(from, path))
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, fs.ErrPermission) && rel != "":
			return fs.SkipDir
		case err != nil:
			return err
		case d.IsDir() && d.Name() == modules:
			t.modules = append(t.modules, rel)
			return fs.SkipDir
		case d.IsDir() && slices.ContainsFunc(notCopied, func(n string) bool { return rel == n || strings.HasSuffix(rel, "/"+n) }):
			return fs.SkipDir
		case d.Name() == modules: // a link
			t.modules = append(t.modules, rel)
			return nil
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		if size += fi.Size(); size > maxCopy {
			return &project.Error{Code: CodeCopy,
				Message: fmt.Sprintf("the project is larger than %d GiB without its node_modules, which is more "+
					"than odfix copies", maxCopy>>30), Hint: "Move what tests do not need out of the checkout."}
		}
		return t.add(path, rel, fi)
	})
	return t, err
}

// has reports whether the checkout has a file or a folder, where case makes no difference, or reaches
// it by a link.
func (t *tree) has(name string) bool {
	in := func(outer string) bool {
		return strings.HasPrefix(strings.ToLower(name)+"/", strings.ToLower(outer)+"/")
	}
	for known, e := range t.entries {
		if strings.EqualFold(known, name) || e.target != "" && in(known) {
			return true
		}
	}
	return slices.ContainsFunc(t.modules, func(m string) bool { return strings.HasPrefix(strings.ToLower(m)+"/", strings.ToLower(name)+"/") })
}

// add copies one entry into the tree and remembers it.
func (t *tree) add(from, rel string, fi fs.FileInfo) error {
	to := filepath.Join(t.dir, filepath.FromSlash(rel))
	e := entry{mode: fi.Mode(), size: fi.Size(), time: fi.ModTime()}
	switch {
	case fi.IsDir():
		if err := os.MkdirAll(to, fi.Mode().Perm()|0o700); err != nil {
			return err
		}
		e.size, e.time = 0, time.Time{}
	case fi.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		e.target = target
		if err := os.Symlink(target, to); err != nil {
			return err
		}
	case fi.Mode().IsRegular():
		if err := copyFile(from, to, fi); err != nil {
			if errors.Is(err, fs.ErrPermission) {
				return nil // what cannot be read, no test reads
			}
			return err
		}
	default:
		return nil // a socket, a device
	}
	t.entries[rel] = e
	return nil
}

func copyFile(from, to string, fi fs.FileInfo) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fi.Mode().Perm()|0o200)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if cerr := out.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	return os.Chtimes(to, fi.ModTime(), fi.ModTime())
}

// clone is a copy of the tree in another folder.
func (t *tree) clone(ctx context.Context, to string) (*tree, error) {
	c, err := copyTree(ctx, t.dir, to)
	if err == nil {
		c.modules = t.modules
	}
	return c, err
}

// restore makes the folder what it was, from the tree it was copied from, and returns the paths of
// what tests wrote or removed.
func (t *tree) restore(from *tree) (wrote []string, err error) {
	seen := map[string]bool{}
	err = filepath.WalkDir(t.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := slashed(relative(t.dir, path))
		if d.Name() == modules {
			return skip(d)
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		want, known := t.entries[rel]
		if known && want.same(path, fi) {
			seen[rel] = true
			return nil
		}
		if rel == "" {
			return nil
		}
		if known && want.size == fi.Size() && sameContent(path, filepath.Join(from.dir, filepath.FromSlash(rel))) {
			seen[rel] = true
			return os.Chtimes(path, want.time, want.time)
		}
		wrote = append(wrote, rel)
		if err := removeAll(path); err != nil {
			return err
		}
		return skip(d)
	})
	if err != nil {
		return wrote, err
	}
	var gone []string
	for rel := range t.entries {
		if rel != "" && !seen[rel] {
			gone = append(gone, rel)
		}
	}
	slices.Sort(gone) // folders before what they hold
	for _, rel := range gone {
		source := filepath.Join(from.dir, filepath.FromSlash(rel))
		fi, err := os.Lstat(source)
		if err != nil {
			return wrote, err
		}
		if err := t.add(source, rel, fi); err != nil {
			return wrote, err
		}
		if !slices.Contains(wrote, rel) {
			wrote = append(wrote, rel)
		}
	}
	return wrote, nil
}

func skip(d fs.DirEntry) error {
	if d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// same reports whether the file at the path is as the tree remembers it.
func (e entry) same(path string, fi fs.FileInfo) bool {
	if e.mode.Type() != fi.Mode().Type() {
		return false
	}
	switch {
	case fi.IsDir():
		return true
	case e.mode&fs.ModeSymlink != 0:
		target, err := os.Readlink(path)
		return err == nil && target == e.target
	}
	return e.size == fi.Size() && e.time.Equal(fi.ModTime())
}

// sameContent reports whether both are the same small text: Jest writes the snapshots of a file with
// obsolete ones again, as they were.
func sameContent(a, b string) bool {
	const most = 1 << 20
	for _, path := range []string{a, b} {
		if fi, err := os.Lstat(path); err != nil || !fi.Mode().IsRegular() || fi.Size() > most {
			return false
		}
	}
	was, err := os.ReadFile(b)
	is, aerr := os.ReadFile(a)
	return err == nil && aerr == nil && bytes.Equal(was, is)
}

// linkModules gives a copy the installed packages of another folder: a link for each, so that the
// packages of the workspace itself are the copy's own.
func linkModules(t *tree, from, to string) error {
	real, err := filepath.EvalSymlinks(from)
	if err != nil {
		return err
	}
	for _, rel := range t.modules {
		if err := linkEntries(real, to, filepath.Join(real, filepath.FromSlash(rel)),
			filepath.Join(to, filepath.FromSlash(rel)), true); err != nil {
			return err
		}
	}
	return nil
}

// linkEntries links what one folder of packages holds. Scopes, such as @types, are folders of their
// own.
func linkEntries(root, copied, from, to string, top bool) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, e := range entries {
		source, target := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		if top && e.Name() == ".cache" {
			continue
		}
		if top && e.IsDir() && strings.HasPrefix(e.Name(), "@") {
			if err := linkEntries(root, copied, source, target, false); err != nil {
				return err
			}
			continue
		}
		if real, err := filepath.EvalSymlinks(source); err == nil {
			source = real
			rel := relative(root, real)
			if filepath.IsLocal(rel) && !slices.Contains(strings.Split(filepath.ToSlash(rel), "/"), modules) {
				source = filepath.Join(copied, rel)
			}
		}
		if err := os.Symlink(source, target); err != nil {
			return err
		}
	}
	return nil
}

// removeAll removes a folder, also where tests took the right to write away. It never follows a
// link.
func removeAll(dir string) error {
	err := os.RemoveAll(dir)
	if err == nil || !errors.Is(err, fs.ErrPermission) {
		return err
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}
