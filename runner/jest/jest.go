// Package jest carries the JavaScript side of odfix inside the Go binary: the harness that runs
// the tests of a project's own Jest in exact orders.
package jest

import (
	"embed"
	"fmt"
	"path/filepath"

	"github.com/odfix/odfix/internal/wholefile"
)

//go:embed main.cjs src/*.cjs
var sources embed.FS

// Unpack makes the harness available below dir and returns the absolute path of the file that Node
// starts. The folder's name holds a digest of the content, so that several versions of odfix may
// share dir. Existing files are left alone.
func Unpack(dir string) (main string, err error) {
	folder, err := wholefile.FolderByContent(dir, "harness", sources)
	if err != nil {
		return "", fmt.Errorf("unpacking the Jest harness: %w", err)
	}
	return filepath.Join(folder, "main.cjs"), nil
}
