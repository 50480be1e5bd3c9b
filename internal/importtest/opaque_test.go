package importtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// readers of test ids are the languages, and what reads the logs and reports of CI. job/upgrade.go
// names the tests of reports that an older odfix wrote.
var readers = []string{"internal/java", "internal/jest", "internal/ci", "internal/job/upgrade.go"}

// TestIDsAreOpaque: no other package takes a test id, or the name of a test, apart.
func TestIDsAreOpaque(t *testing.T) {
	takesApart := regexp.MustCompile("strings\\.(Cut|CutPrefix|Split|SplitN|Index|IndexByte|LastIndex|LastIndexByte)\\([^\n]*, [\"'`](#|>|::)[\"'`]\\)")
	seen := 0
	for _, room := range []string{"../../internal", "../../app", "../../templates", "../../runner"} {
		err := filepath.WalkDir(room, func(path string, _ fs.DirEntry, err error) error {
			name := strings.TrimPrefix(filepath.ToSlash(path), "../../")
			if err != nil || slices.ContainsFunc(readers, func(r string) bool { return name == r || strings.HasPrefix(name, r+"/") }) {
				return err
			}
			if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			text, err := os.ReadFile(path)
			seen++
			if found := takesApart.Find(text); found != nil {
				t.Errorf("%s reads test ids: %s", name, found)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen < 300 {
		t.Fatalf("only %d files seen", seen)
	}
}
