package java

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/java/build"
	"github.com/odfix/odfix/internal/repair"
)

func TestProduction(t *testing.T) {
	for path, want := range map[string]bool{
		"/.mvn/wrapper/MavenWrapperDownloader.java": false,
		"/src/main/java/a/Tester.java":              true, "/m/src/main/resources/a.properties": true, "/src/a/B.java": true,
		"/src/test/java/a/B.java": false, "/src/testFixtures/java/a/B.java": false, "/src/it/java/a/B.java": false, "/m/tests/a/B.java": false,
		"/pom.xml": false, "/README.md": false,
	} {
		if got := production(path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}

// A file is written with its folders, and never through a link that leads out of the clone.
func TestWriteInside(t *testing.T) {
	dir := t.TempDir()
	clone, outside := filepath.Join(dir, "clone"), filepath.Join(dir, "outside")
	for _, d := range []string{filepath.Join(clone, "src"), outside} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"out": outside, "dangling": filepath.Join(outside, "nowhere"), "in": filepath.Join(clone, "src")} {
		if err := os.Symlink(to, filepath.Join(clone, link)); err != nil {
			t.Skip("this system does not let tests make links: ", err)
		}
	}
	for _, name := range []string{"src/A.java", "src/gone/deep/B.java", "in/gone/C.java"} {
		if err := writeInside(clone, filepath.Join(clone, name), "x"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if text, err := os.ReadFile(filepath.Join(clone, name)); err != nil || string(text) != "x" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	for _, name := range []string{"out/A.java", "out/gone/A.java", "dangling/A.java"} {
		if err := writeInside(clone, filepath.Join(clone, name), "x"); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
		t.Errorf("outside: %v, %v", left, err)
	}
}

// checking is a build whose checks of sources fail, by what stands in a file.
type checking struct {
	builder
	fails func(text string, checks bool) *build.Error
	file  string
	runs  []bool // whether with checks
}

func (c *checking) TestCompile(_ context.Context, dir string, checks bool) error {
	c.runs = append(c.runs, checks)
	text, err := os.ReadFile(filepath.Join(dir, filepath.Base(filepath.Dir(c.file)), filepath.Base(c.file)))
	if err != nil {
		return err
	}
	if e := c.fails(string(text), checks); e != nil {
		return e
	}
	return nil
}

// TestChecksThatFailAnyway: a check of sources that fails without the patch, too, does not refuse the patch; one that
// fails because of the patch does.
func TestChecksThatFailAnyway(t *testing.T) {
	broken := func(part string) *build.Error {
		return &build.Error{Code: build.CodeBroken, Part: part, Message: "the project's build fails in " + part}
	}
	for name, c := range map[string]struct {
		fails   func(text string, checks bool) *build.Error
		refused bool
		runs    []bool // of a first and a second patch
	}{
		"nothing fails": {func(string, bool) *build.Error { return nil }, false, []bool{true, true}},
		"it fails anyway": {func(_ string, checks bool) *build.Error {
			if checks {
				return broken("license:check")
			}
			return nil
		}, false, []bool{true, true, false, false}},
		"the patch breaks it": {func(text string, checks bool) *build.Error {
			if checks && text == "patched" {
				return broken("checkstyle:check")
			}
			return nil
		}, true, []bool{true, true, true, true}},
		"something else fails, too": {func(text string, _ bool) *build.Error { return broken("some:" + text) }, true, []bool{true, true, true, true}},
		"it does not compile":       {func(string, bool) *build.Error { return broken("") }, true, []bool{true, true}},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "ATest.java")
		if err := os.WriteFile(file, []byte("original"), 0o644); err != nil {
			t.Fatal(err)
		}
		b := &checking{fails: c.fails, file: file}
		p := &Project{processes: &processes{log: zap.NewNop()}, build: b, copy: &build.Workspace{At: build.Folders{Anchor: dir}}}
		clone := t.TempDir()
		if err := os.MkdirAll(filepath.Join(clone, filepath.Base(dir)), 0o755); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			err := p.applyPatch(t.Context(), clone, map[string]string{"ATest.java": "patched"})
			var unfit *repair.UnfitError
			if errors.As(err, &unfit) != c.refused || err != nil && !c.refused {
				t.Errorf("%s: %v", name, err)
			}
		}
		if !slices.Equal(b.runs, c.runs) {
			t.Errorf("%s: builds with checks: %v", name, b.runs)
		}
		if got, _ := os.ReadFile(filepath.Join(clone, filepath.Base(dir), "ATest.java")); !c.refused && string(got) != "patched" {
			t.Errorf("%s: the clone has %q", name, got)
		}
		if said := len(p.Notes()) > 0; said != (len(c.runs) == 4 && !c.refused) {
			t.Errorf("%s: notes %q", name, p.Notes())
		}
	}
}
