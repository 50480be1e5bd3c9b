package accept

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// counting is a file system that counts the files that are opened.
type counting struct {
	fs.FS
	opened map[string]int
	all    int
}

func (c *counting) Open(name string) (fs.File, error) {
	c.opened[path.Base(name)]++
	c.all++
	return c.FS.Open(name)
}

func (c *counting) Lstat(name string) (fs.FileInfo, error) { return fs.Lstat(c.FS, name) }

func (c *counting) ReadLink(name string) (string, error) { return fs.ReadLink(c.FS, name) }

// patched is a report with as many patches as are read, each of other text, of the files that file
// returns for a patch and a section.
func patched(file func(patch, section int) string) *job.Report {
	r := honest()
	one := r.Tests[0]
	r.Tests = nil
	for i := range maxAll / maxPatches {
		x := one
		x.Test, x.MinimalOrder, x.Patches = suite.TestID(fmt.Sprintf("a.VictimTest#reads[%d]", i)), nil, nil
		for k := range maxPatches {
			n := i*maxPatches + k
			var edits []patch.Edit
			for s := range maxFiles {
				edits = append(edits, patch.Edit{Path: file(n, s), Before: before, After: fmt.Sprintf("class PolluterTest {\n// %d\n}\n", n)})
			}
			p := one.Patches[0]
			p.Fixes = []suite.TestID{x.Test}
			p.SetDiff(patch.Unified(edits...))
			x.Patches = append(x.Patches, p)
		}
		r.Tests = append(r.Tests, x)
	}
	return r
}

func javaFile(n int) string { return fmt.Sprintf("src/test/java/a/A%dTest.java", n) }

// TestAttackSameFiles: many patches of the same files read each file once.
func TestAttackSameFiles(t *testing.T) {
	tree := map[string]string{"pom.xml": "<project/>"}
	for n := range maxFiles {
		tree[javaFile(n)] = before
	}
	sources := &counting{FS: commit(t, tree), opened: map[string]int{}}
	got := accepted(t, patched(func(_, s int) string { return javaFile(s) }),
		Scope{Language: Java, Sources: sources, Dir: ".", Tests: []string{"a.VictimTest"}})
	patches := 0
	for _, x := range got.Tests {
		patches += len(x.Patches)
	}
	if patches != maxAll || sources.all != maxFiles {
		t.Errorf("%d patches, %d files are read", patches, sources.all)
	}
}

// TestAttackOtherFiles: patches of many different files are left out after the first ones.
func TestAttackOtherFiles(t *testing.T) {
	const folders = 30
	tree := map[string]string{"pom.xml": "<project/>"}
	file := func(p, s int) string { return fmt.Sprintf("m%d/%s", s, javaFile(p%folders)) }
	for s := range maxFiles {
		tree[fmt.Sprintf("m%d/pom.xml", s)] = "<project/>"
		for p := range folders {
			tree[file(p, s)] = before
		}
	}
	sources := &counting{FS: commit(t, tree), opened: map[string]int{}}
	got := accepted(t, patched(file), Scope{Language: Java, Sources: sources, Dir: ".", Tests: []string{"a.VictimTest"}})
	if sources.all > maxTouched {
		t.Errorf("%d files are read", sources.all)
	}
	if notes := strings.Join(got.Notes, " "); len(got.Tests[0].Patches) == 0 || !strings.Contains(notes, "touch more than 60 files") {
		t.Errorf("%d patches of the first test, notes %q", len(got.Tests[0].Patches), notes)
	}
}

// TestAttackLargeFiles: what is kept of files is bounded, also if they have very many lines.
func TestAttackLargeFiles(t *testing.T) {
	lines := before + strings.Repeat("\n", maxSource-len(before))
	text := before + strings.Repeat("x", maxSource-len(before)-1) + "\n"
	for content, most := range map[string]int{lines: 0, text: maxRead >> 20} {
		tree := map[string]string{"pom.xml": "<project/>"}
		for n := range 20 {
			tree[javaFile(n)] = content
		}
		s := newSources(Scope{Language: Java, Sources: commit(t, tree)})
		kept := 0
		for n := range 20 {
			if s.test(javaFile(n)) && s.text(javaFile(n)) != nil {
				kept++
			}
		}
		if kept > most || kept < most-1 {
			t.Errorf("%d files are kept, want at most %d", kept, most)
		}
	}
}

// late is a context that ends after some questions.
type late struct {
	context.Context
	left int
}

// Err implements context.Context.
func (l *late) Err() error {
	if l.left--; l.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestAttackSectionsAfterTheEnd: no further part of a patch is read when the context has ended.
func TestAttackSectionsAfterTheEnd(t *testing.T) {
	tree := map[string]string{"pom.xml": "<project/>"}
	for n := range maxFiles {
		tree[javaFile(n)] = before
	}
	sources := &counting{FS: commit(t, tree), opened: map[string]int{}}
	const tests = maxAll / maxPatches
	_, err := Report(&late{t.Context(), tests + 5}, patched(func(_, s int) string { return javaFile(s) }),
		Scope{Language: Java, Sources: sources, Dir: ".", Tests: []string{"a.VictimTest"}})
	if !errors.Is(err, context.Canceled) || sources.all > 6 {
		t.Errorf("%v, %d files are read", err, sources.all)
	}
}

// TestAttackTextAroundPatches: of the text of a patch, only the changes that odfix reads go on.
func TestAttackTextAroundPatches(t *testing.T) {
	want := edit(testFile)
	header := "diff --git a/" + testFile + " b/" + testFile + "\n"
	binary := "diff --git a/pom.xml b/pom.xml\nindex " + strings.Repeat("1", 40) + ".." + strings.Repeat("0", 40) + "\nFiles a/pom.xml and b/pom.xml differ\n"
	for name, text := range map[string]string{
		"prose":   "Closes #1\n" + want,
		"binary":  binary + strings.TrimPrefix(want, header),
		"hidden":  "\x01\n" + strings.Repeat("#\n", 450) + binary + strings.TrimPrefix(want, header),
		"after":   want + "-- \n@team\n",
		"section": strings.Replace(want, " @@\n", " @@ [x](https://example.com)\n", 1),
	} {
		r := honest()
		r.Tests[0].Patches[0].SetDiff(text)
		r.Combined = &job.Combined{Fixes: []suite.TestID{victim}, Proof: r.Tests[0].Patches[0].Proof}
		r.Combined.SetDiff(text)
		got := accepted(t, r, scoped(t))
		if len(got.Tests[0].Patches) != 1 || got.Combined == nil {
			t.Errorf("%s is refused: %v", name, got.Notes)
			continue
		}
		if p := got.Tests[0].Patches[0].RawDiff(); p != want || got.Combined.RawDiff() != want {
			t.Errorf("%s becomes %s and %s", name, p, got.Combined.RawDiff())
		}
	}
}
