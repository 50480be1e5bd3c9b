// Package junit carries the JVM side of odfix inside the Go binary: the jars
// built from this folder's Maven modules. `make jars` builds them into dist/.
package junit

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
)

//go:embed all:dist
var dist embed.FS

// The jars.
const (
	Harness   = "odfix-harness.jar"   // comes after the project's test class path
	Launch    = "odfix-launch.jar"    // goes into the project's Maven as a core extension
	State     = "odfix-state.jar"     // an agent of the project's test JVM where static state is observed
	Workbench = "odfix-workbench.jar" // runs in a JVM of our own
)

// Unpack makes the named jar available as a file below dir and returns its
// absolute path. The name holds a digest of the content, so that several
// versions of odfix may share the folder; an existing file is left alone.
func Unpack(dir, name string) (string, error) {
	data, err := dist.ReadFile("dist/" + name)
	if err != nil {
		return "", fmt.Errorf("this odfix was built without %s: run `make build`", name)
	}
	sum := sha256.Sum256(data)
	dir, err = filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, hex.EncodeToString(sum[:6]), name)
	if fi, err := os.Stat(path); err == nil && fi.Size() == int64(len(data)) {
		return path, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), name+".*")
	if err != nil {
		return "", err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return "", fmt.Errorf("unpacking %s: %w", name, err)
	}
	if err := os.Chmod(tmp.Name(), 0o644); err != nil {
		return "", err
	}
	return path, os.Rename(tmp.Name(), path)
}
