package java

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// checking is a build tool for tests. Whether its build fails depends on the text of one file, and
// on the plugins that are left out.
type checking struct {
	builder
	fails func(text string, without []string) *build.Error
	file  string
	runs  []string // what each was built without
}

func (c *checking) TestCompile(_ context.Context, dir string, without []string) error {
	c.runs = append(c.runs, strings.Join(without, ","))
	text, err := os.ReadFile(filepath.Join(dir, filepath.Base(filepath.Dir(c.file)), filepath.Base(c.file)))
	if err != nil {
		return err
	}
	if e := c.fails(string(text), without); e != nil {
		return e
	}
	return nil
}

// TestChecksThatFailAnyway: a check of sources that fails in the same way without the patch does
// not refuse the patch; one that fails because of the patch does, and so does another one later.
func TestChecksThatFailAnyway(t *testing.T) {
	broken := func(part, detail string) *build.Error {
		return &build.Error{Code: build.CodeBroken, Part: part, Detail: detail, Message: "the project's build fails in " + part}
	}
	license := func(without []string) *build.Error {
		if slices.Contains(without, "license-plugin") {
			return nil
		}
		return broken("license-plugin:3:check", "pom.xml")
	}
	for name, c := range map[string]struct {
		fails   func(text string, without []string) *build.Error
		refused []bool   // a first and a second patch
		runs    []string // what they were built without
	}{
		"nothing fails": {func(string, []string) *build.Error { return nil }, []bool{false, false}, []string{"", ""}},
		"it fails anyway": {func(_ string, without []string) *build.Error { return license(without) }, []bool{false, false},
			[]string{"", "", "license-plugin", "license-plugin"}},
		"another check fails later": {func(text string, without []string) *build.Error {
			if e := license(without); e != nil || text != "second" {
				return e
			}
			return broken("checkstyle-plugin:1:check", "a blank")
		}, []bool{false, true}, []string{"", "", "license-plugin", "license-plugin", "license-plugin"}},
		"the patch breaks it": {func(text string, _ []string) *build.Error {
			if text != "original" {
				return broken("checkstyle-plugin:1:check", "a blank")
			}
			return nil
		}, []bool{true, true}, []string{"", "", "", ""}},
		"the patch breaks more": {func(text string, _ []string) *build.Error {
			return broken("checkstyle-plugin:1:check", "a blank in "+text)
		},
			[]bool{true, true}, []string{"", "", "", ""}},
		"it does not compile": {func(string, []string) *build.Error { return broken("", "") }, []bool{true, true}, []string{"", ""}},
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
		for i, patch := range []string{"first", "second"} {
			err := p.applyPatch(t.Context(), clone, map[string]string{"ATest.java": patch, "New.java": "new"})
			var unfit *repair.UnfitError
			if errors.As(err, &unfit) != c.refused[i] || err != nil && !c.refused[i] {
				t.Errorf("%s, %s: %v", name, patch, err)
			}
			if got, _ := os.ReadFile(filepath.Join(clone, filepath.Base(dir), "ATest.java")); !c.refused[i] && string(got) != patch {
				t.Errorf("%s: the clone has %q", name, got)
			}
		}
		if !slices.Equal(b.runs, c.runs) {
			t.Errorf("%s: built without %q", name, b.runs)
		}
		if want := slices.Contains(c.runs, "license-plugin"); (len(p.Notes()) == 1) != want {
			t.Errorf("%s: notes %q", name, p.Notes())
		}
	}
}
