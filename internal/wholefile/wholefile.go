// Package wholefile writes files that are there whole or not at all.
package wholefile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
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
	if fi, err := os.Stat(path); err == nil && fi.Size() == int64(len(data)) {
		now := time.Now()
		_ = os.Chtimes(filepath.Dir(path), now, now) // package cache removes what was not used for long
		return path, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	return path, Write(path, data, 0o644)
}
