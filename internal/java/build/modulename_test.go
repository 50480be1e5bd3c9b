package build

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/odfix/odfix/internal/harness"
)

// descriptor returns what javac compiles from a module declaration.
func descriptor(t testing.TB, source string) []byte {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "module-info.java")
	if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("javac", "-d", dir, file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	data, err := os.ReadFile(filepath.Join(dir, "module-info.class"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestModuleName(t *testing.T) {
	data := descriptor(t, "@Deprecated open module com.example.apptest { requires java.sql; uses java.sql.Driver; }")
	if got := moduleName(data); got != "com.example.apptest" {
		t.Errorf("the name is %q", got)
	}
	for i := range data {
		if got := moduleName(data[:i]); got != "" && got != "com.example.apptest" {
			t.Errorf("of the first %d bytes the name is %q", i, got)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "module-info.class"), data, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path []string
		want string
	}{{[]string{"/lib/a.jar", dir}, "com.example.apptest"}, {[]string{"/lib/a.jar"}, ""}, {nil, ""}} {
		if got := NameOfTestModule(harness.Modules{Path: c.path}, dir); got != c.want {
			t.Errorf("on %v the tests' module is %q, want %q", c.path, got, c.want)
		}
	}
}

func FuzzModuleName(f *testing.F) {
	f.Add(descriptor(f, "module a { }"))
	f.Add([]byte("\xca\xfe\xba\xbe"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if name := moduleName(data); name != "" && !bytes.Contains(data, []byte(name)) {
			t.Errorf("the name %q is not in the file", name)
		}
	})
}
