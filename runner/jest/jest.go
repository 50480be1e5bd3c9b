// Package jest carries the JavaScript side of odfix inside the Go binary: the harness that runs
// the tests of a project's own Jest in exact orders.
package jest

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

//go:embed main.cjs src/*.cjs
var sources embed.FS

// Unpack makes the harness available below dir and returns the absolute path of the file that Node
// starts. The folder's name holds a digest of the content, so that several versions of odfix may
// share dir. An existing folder is left alone.
func Unpack(dir string) (main string, err error) {
	digest, err := sum()
	if err != nil {
		return "", fmt.Errorf("the Jest harness inside odfix cannot be read: %w", err)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", err
	}
	home := filepath.Join(dir, "harness-"+digest)
	main = filepath.Join(home, "main.cjs")
	if _, err := os.Stat(main); err == nil {
		return main, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(dir, "harness-new-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	if err := write(tmp); err != nil {
		return "", fmt.Errorf("unpacking the Jest harness: %w", err)
	}
	if err := os.Rename(tmp, home); err != nil {
		if _, there := os.Stat(main); there != nil {
			return "", err
		}
		// Another process has unpacked it at the same moment.
	}
	return main, nil
}

func sum() (string, error) {
	h := sha256.New()
	err := each(func(name string, data []byte) error {
		fmt.Fprintf(h, "%s %d\n", name, len(data))
		h.Write(data)
		return nil
	})
	return hex.EncodeToString(h.Sum(nil)[:6]), err
}

func write(dir string) error {
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	return each(func(name string, data []byte) error {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		return os.WriteFile(file, data, 0o644)
	})
}

// each calls visit for every source, by its path with '/'.
func each(visit func(name string, data []byte) error) error {
	return fs.WalkDir(sources, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := sources.ReadFile(path.Clean(name))
		if err != nil {
			return err
		}
		return visit(name, data)
	})
}
