package archive

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func treeOf(t *testing.T, packed []byte) (*Tree, string) {
	t.Helper()
	dir := t.TempDir()
	out, err := OpenTree(t.Context(), bytes.NewReader(packed), dir, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	return out, dir
}

// TestTreeIsWhatSourcesUnpacks: names, contents and modes are the same.
func TestTreeIsWhatSourcesUnpacks(t *testing.T) {
	packed := tarOf(t, member{kind: tar.TypeXGlobalHeader, name: "pax_global_header"},
		member{name: "a/", kind: tar.TypeDir}, member{name: "a/pom.xml", text: "<project/>"},
		member{name: "a/src/b/" + strings.Repeat("long", 60) + ".java", text: strings.Repeat("x", 1000)},
		member{name: "a/src/a.java", text: ""}, member{name: "a/ü/mvnw", text: "#!/bin/sh", mode: 0o755},
		member{name: "a/link", link: "src/a.java", kind: tar.TypeSymlink}, member{name: "a/z", text: "last"})
	dir := t.TempDir()
	if err := Sources(t.Context(), bytes.NewReader(packed), dir, Limits{}); err != nil {
		t.Fatal(err)
	}
	got, spool := treeOf(t, packed)
	if want, have := listing(t, os.DirFS(dir)), listing(t, got); !slices.Equal(want, have) {
		t.Errorf("the tree has\n%s\nand unpacked it is\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
	if files, err := os.ReadDir(spool); err != nil || len(files) != 1 {
		t.Errorf("the tree has files of its own: %v, %v", files, err)
	}
	if err := got.Close(); err != nil {
		t.Error(err)
	}
	if files, err := os.ReadDir(spool); err != nil || len(files) != 0 {
		t.Errorf("the tree leaves %v, %v", files, err)
	}
}

// listing is everything in a file system.
func listing(t *testing.T, all fs.FS) []string {
	t.Helper()
	var out []string
	err := fs.WalkDir(all, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text := []byte{}
		info, err := fs.Lstat(all, name)
		if err == nil && info.Mode().IsRegular() {
			text, err = fs.ReadFile(all, name)
		} else if err == nil {
			var target string
			target, err = fs.ReadLink(all, name)
			text = []byte("-> " + target)
		}
		out = append(out, fmt.Sprintf("%s %s %d %s", name, info.Mode(), len(text), text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTreeIsAFileSystem(t *testing.T) {
	got, _ := treeOf(t, tarOf(t, member{name: "a/x/y/z", text: "z"}, member{name: "a/x/b", text: "b"}, member{name: "a/c", text: ""}))
	if err := fstest.TestFS(got, "x/y/z", "x/b", "c"); err != nil {
		t.Error(err)
	}
}

// TestAttackTreeFollowsNothing: links and impossible names lead nowhere.
func TestAttackTreeFollowsNothing(t *testing.T) {
	got, _ := treeOf(t, tarOf(t, member{name: "a/pom.xml", text: "<project/>"},
		member{name: "a/out", link: "/etc", kind: tar.TypeSymlink}, member{name: "a/in", link: "pom.xml", kind: tar.TypeSymlink}))
	for _, name := range []string{"out", "in", "out/passwd", "../pom.xml", "/etc/passwd", "in/x", ""} {
		if text, err := fs.ReadFile(got, name); err == nil {
			t.Errorf("%q has %q", name, text)
		}
	}
	for name, packed := range map[string][]byte{
		"leaves":          tarOf(t, member{name: "a/../../x", text: "x"}),
		"device":          tarOf(t, member{name: "a/x", kind: tar.TypeChar}),
		"hard link":       tarOf(t, member{name: "a/x", kind: tar.TypeLink, link: "a/y"}),
		"file and folder": tarOf(t, member{name: "a/x", text: "x"}, member{name: "a/x/y", text: "y"}),
		"folder and file": tarOf(t, member{name: "a/x/y", text: "y"}, member{name: "a/x", text: "x"}),
		"no archive":      []byte("no archive"),
		"cut off":         tarOf(t, member{name: "a/x", text: strings.Repeat("x", 5000)})[:60],
	} {
		dir := t.TempDir()
		if _, err := OpenTree(t.Context(), bytes.NewReader(packed), dir, Limits{}); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%s leaves %v", name, left)
		}
	}
}
