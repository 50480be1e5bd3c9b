// Package jest carries the JavaScript that runs inside the project's Jest. main.cjs says how it
// is started, docs/harness-protocol.md how it is spoken to.
package jest

import (
	"embed"
	"os"
	"path/filepath"
)

//go:embed *.cjs
var files embed.FS

// Unpack writes the sources into a folder, which it makes, and returns the path of the file that
// Node starts.
func Unpack(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	list, err := files.ReadDir(".")
	if err != nil {
		return "", err
	}
	for _, f := range list {
		data, err := files.ReadFile(f.Name())
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(dir, f.Name()), data, 0o644); err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, "main.cjs"), nil
}
