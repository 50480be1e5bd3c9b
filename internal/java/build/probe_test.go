package build

import (
	"archive/zip"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/odfix/odfix/internal/harness"
)

// TestProbeOfModules: the build's arguments may name modules of the tests' module path.
func TestProbeOfModules(t *testing.T) {
	java, err := exec.LookPath("java")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "mail.jar")) // a jar's name makes it the module "mail"
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	if _, err := z.Create("a/B.class"); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for module, ok := range map[string]bool{"mail": true, "post": false} {
		l := &Launch{Java: java, Dir: dir, JVMArgs: []string{"-ea", "--add-modules", module}, Modules: harness.Modules{Path: []string{dir}}}
		if err := Probe(t.Context(), l, "argLine", "mvn test"); (err == nil) != ok {
			t.Errorf("%s: %v", module, err)
		}
	}
}
