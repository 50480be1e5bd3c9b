// Package wholefile writes files that are there whole or not at all.
package wholefile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Write writes a file. If that fails, for instance because the disk is full, the file stays as it
// was.
func Write(path string, data []byte, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".part-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Chmod(f.Name(), mode)
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// ByContent writes a file below dir and returns its absolute path. The file's folder is named after
// the content, so that several versions of odfix can share dir. An existing file is left alone.
func ByContent(dir, name string, data []byte) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	path := filepath.Join(dir, hex.EncodeToString(sum[:6]), name)
	if err := provide(path, data); err != nil {
		return "", err
	}
	used(filepath.Dir(path))
	return path, nil
}

// FolderByContent writes files below dir and returns the absolute path of their folder. Its name is
// the given one and a digest of the content, so that several versions of odfix can share dir.
// Existing files are left alone.
func FolderByContent(dir, name string, files fs.FS) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	err = each(files, func(path string, data []byte) error {
		_, err := fmt.Fprintf(sum, "%s %d\n%s", path, len(data), data)
		return err
	})
	if err != nil {
		return "", err
	}
	folder := filepath.Join(dir, name+"-"+hex.EncodeToString(sum.Sum(nil)[:6]))
	err = each(files, func(path string, data []byte) error {
		return provide(filepath.Join(folder, filepath.FromSlash(path)), data)
	})
	if err != nil {
		return "", err
	}
	used(folder)
	return folder, nil
}

// each calls visit for every file, by its path with '/'.
func each(files fs.FS, visit func(path string, data []byte) error) error {
	return fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, path)
		if err != nil {
			return err
		}
		return visit(path, data)
	})
}

// provide writes a file, and its folder, unless it is there.
func provide(path string, data []byte) error {
	if fi, err := os.Stat(path); err == nil && fi.Size() == int64(len(data)) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return Write(path, data, 0o644)
}

// used sets the time of a folder: package cache removes what was not used for long.
func used(folder string) {
	now := time.Now()
	_ = os.Chtimes(folder, now, now)
}
