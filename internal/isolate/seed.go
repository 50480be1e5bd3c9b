package isolate

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Plant creates a Maven repository that begins with the files of another one: links to files that
// never change, copies of those that do. The links lead to the folder seenAs, where the other one is
// read-only, so that a project writes to its own repository only. Checksums and Maven's notes on the
// origin of files are left out: without them Maven accepts the files. Files that are there already
// stay.
func Plant(from, into, seenAs string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return skipMissing(err, d)
		}
		rel, _ := filepath.Rel(from, path)
		dst := filepath.Join(into, rel)
		switch {
		case d.IsDir():
			return os.MkdirAll(dst, 0o755)
		case !d.Type().IsRegular() || leave[filepath.Ext(rel)]:
			return nil
		case strings.HasPrefix(d.Name(), "maven-metadata") || strings.HasSuffix(rel, ".properties"):
			return copyFile(path, dst)
		}
		if err := os.Symlink(filepath.Join(seenAs, rel), dst); !errors.Is(err, fs.ErrExist) {
			return err
		}
		return nil
	})
}

// skipMissing ignores missing files: the repository is in use.
func skipMissing(err error, d fs.DirEntry) error {
	if os.IsNotExist(err) {
		if d != nil && d.IsDir() {
			return fs.SkipDir
		}
		return nil
	}
	return err
}

var leave = map[string]bool{".sha1": true, ".sha256": true, ".sha512": true, ".md5": true, ".asc": true,
	".repositories": true, ".lastUpdated": true, ".lock": true, ".part": true}

func copyFile(from, to string) error {
	src, err := os.Open(from)
	if err != nil {
		return skipMissing(err, nil)
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	if cerr := dst.Close(); err == nil {
		err = cerr
	}
	return err
}
