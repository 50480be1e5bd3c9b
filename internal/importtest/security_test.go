package importtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	named    = regexp.MustCompile(`\bTest[A-Z]\w+`)
	declared = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
)

// TestMapOfAttacks: each test that docs/security.md names is there, and each test of an attack is
// named.
func TestMapOfAttacks(t *testing.T) {
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	is := map[string]bool{}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		code, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(code, -1) {
			is[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, n := range named.FindAllString(string(text), -1) {
		names[n] = true
		if !is[n] {
			t.Errorf("docs/security.md names %s, which is not there", n)
		}
	}
	for n := range is {
		if strings.HasPrefix(n, "TestAttack") && !names[n] {
			t.Errorf("docs/security.md does not name %s", n)
		}
	}
}
