package build

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// entry describes a file of the checkout when it was last copied.
type entry struct {
	Size  int64
	MTime int64 // nanoseconds since 1970
	Mode  fs.FileMode
	Link  string // target of a symbolic link
}

// manifest maps slash paths relative to At.Anchor to what was copied.
// What the build has made (see Outputs) is not in it.
type manifest map[string]entry

// sync updates the copy from the checkout. It copies a file again only if the checkout's file
// changed. Changes that the build made in the copy (a licence header, a generated file) stay.
func (w *Workspace) sync(ctx context.Context) error {
	old, err := readManifest(w.manifestFile())
	if err != nil {
		old = manifest{}
	}
	now, targets, err := w.scan(ctx)
	if err != nil {
		return err
	}
	// With a manifest, an interrupted copy would look complete.
	os.Remove(w.manifestFile())
	if err := w.removeGone(old, now); err != nil {
		return err
	}
	if err := w.copyChanged(ctx, old, now); err != nil {
		return err
	}
	if err := w.syncOutputs(ctx, targets); err != nil {
		return err
	}
	if err := w.copyGit(); err != nil {
		return DiskError("cannot copy the git metadata", err)
	}
	w.files = now
	return DiskError("cannot write the list of copied files", now.write(w.manifestFile()))
}

func (w *Workspace) manifestFile() string { return filepath.Join(w.slot, "manifest") }

// scan lists the checkout: its files, and its folders of compiled outputs.
func (w *Workspace) scan(ctx context.Context) (manifest, []string, error) {
	files := manifest{}
	var targets []string
	err := filepath.WalkDir(w.At.Base, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return skipUnreadable(d, err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if d.IsDir() {
			if w.outputs.Is(path) {
				targets = append(targets, path)
				return fs.SkipDir
			}
			if d.Name() == ".git" || d.Name() == ".odfix" || path == w.Opts.Work {
				return fs.SkipDir
			}
		} else if d.Name() == ".git" {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil // removed since the folder was listed
		}
		if e, ok := entryOf(path, info); ok {
			rel, _ := filepath.Rel(w.At.Anchor, path)
			files[filepath.ToSlash(rel)] = e
		}
		return nil
	})
	if err != nil && ctx.Err() == nil {
		return nil, nil, DiskError("cannot read the checkout", err)
	}
	return files, targets, err
}

// skipUnreadable leaves out files that odfix may not read. The build runs as the same user and
// cannot read them either.
func skipUnreadable(d fs.DirEntry, err error) error {
	if os.IsPermission(err) || os.IsNotExist(err) {
		if d != nil && d.IsDir() {
			return fs.SkipDir
		}
		return nil
	}
	return err
}

// entryOf describes a file, folder or symbolic link. It reports false for sockets and other things
// that cannot be copied.
func entryOf(path string, info fs.FileInfo) (entry, bool) {
	e := entry{Size: info.Size(), MTime: info.ModTime().UnixNano(), Mode: info.Mode()}
	switch {
	case info.IsDir():
		e.Size, e.MTime = 0, 0
	case info.Mode()&fs.ModeSymlink != 0:
		e.Link, _ = os.Readlink(path)
	case !info.Mode().IsRegular():
		return e, false
	}
	return e, true
}

// removeGone removes from the copy what the checkout no longer has or has replaced with another
// kind of file. It removes children before their folders.
func (w *Workspace) removeGone(old, now manifest) error {
	paths := old.paths()
	for i := len(paths) - 1; i >= 0; i-- {
		e, stays := now[paths[i]]
		if stays && e.Mode.Type() == old[paths[i]].Mode.Type() {
			continue
		}
		err := os.Remove(filepath.Join(w.Tree(), filepath.FromSlash(paths[i])))
		// A folder that holds outputs of the build stays.
		if err != nil && !os.IsNotExist(err) && !errors.Is(err, syscall.ENOTEMPTY) && !errors.Is(err, syscall.ENOTDIR) {
			return DiskError("cannot remove a file from the copy", err)
		}
	}
	return nil
}

func (w *Workspace) copyChanged(ctx context.Context, old, now manifest) error {
	c := newCopier(ctx)
	var err error
	for _, rel := range now.paths() { // folders come before their content
		e := now[rel]
		dst := filepath.Join(w.Tree(), filepath.FromSlash(rel))
		if was, known := old[rel]; known && was == e && Exists(dst) {
			continue
		}
		if e.Mode.IsDir() {
			// The folder is always writable, because the build must be able to work in it.
			if err = os.MkdirAll(dst, e.Mode.Perm()|0o700); err != nil {
				break
			}
			continue
		}
		e.Link = w.relink(e.Link)
		c.add(filepath.Join(w.At.Anchor, filepath.FromSlash(rel)), dst, e)
	}
	if werr := c.wait(); err == nil {
		return werr
	}
	return DiskError("cannot copy the checkout", err)
}

// relink changes a symbolic link that would lead the build back into the checkout.
func (w *Workspace) relink(target string) string {
	if filepath.IsAbs(target) && Within(target, w.At.Base) {
		return w.Copy(target)
	}
	return target
}

// copier copies files on a few goroutines.
type copier struct {
	ctx  context.Context
	jobs chan func() error
	wg   sync.WaitGroup
	once sync.Once
	err  error
}

func newCopier(ctx context.Context) *copier {
	c := &copier{ctx: ctx, jobs: make(chan func() error, 256)}
	for range max(2, runtime.NumCPU()) {
		c.wg.Go(func() {
			for job := range c.jobs {
				if err := job(); err != nil {
					c.once.Do(func() { c.err = err })
				}
			}
		})
	}
	return c
}

func (c *copier) add(src, dst string, e entry) {
	c.jobs <- func() error {
		if c.ctx.Err() != nil {
			return c.ctx.Err()
		}
		return copyEntry(src, dst, e)
	}
}

func (c *copier) wait() error {
	close(c.jobs)
	c.wg.Wait()
	if c.err != nil && c.ctx.Err() == nil {
		return DiskError("cannot copy the checkout", c.err)
	}
	return c.err
}

// copyEntry copies one file or link with its mode and time. The copy has its own inode, so that
// writing to it cannot change the checkout.
func copyEntry(src, dst string, e entry) error {
	if err := os.MkdirAll(filepath.Dir(dst), 0o755); err != nil {
		return err
	}
	if err := os.RemoveAll(dst); err != nil {
		return err
	}
	if e.Mode&fs.ModeSymlink != 0 {
		return os.Symlink(e.Link, dst)
	}
	in, err := os.Open(src)
	if os.IsNotExist(err) || os.IsPermission(err) {
		return nil // removed meanwhile, or not readable
	}
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(dst, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, e.Mode.Perm()|0o600)
	if err != nil {
		return err
	}
	_, err = out.ReadFrom(in) // the kernel copies, or shares the blocks where the file system can
	if cerr := out.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	t := time.Unix(0, e.MTime)
	return os.Chtimes(dst, t, t)
}

// Exists reports whether anything of that name exists, including a broken link.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// CommonFolder is the deepest folder that holds both.
func CommonFolder(a, b string) string {
	for !Within(b, a) && a != filepath.Dir(a) {
		a = filepath.Dir(a)
	}
	return a
}

// Within reports whether path is dir or is below it.
func Within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

// rebase moves a path from below one folder to below another. It returns other paths unchanged.
func rebase(path, from, to string) string {
	if !Within(path, from) {
		return path
	}
	return to + path[len(from):]
}
