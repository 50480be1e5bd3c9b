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
