package gitrepo

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var me = Person{Name: "Ada", Email: "ada@example.com", When: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}

func commit(t *testing.T, r *Repo, ref string, changes []Change, parents ...string) string {
	t.Helper()
	ctx, base := context.Background(), ""
	if len(parents) > 0 {
		base = parents[0]
	}
	tree, err := r.Tree(ctx, base, changes)
	if err != nil {
		t.Fatal(err)
	}
	sha, err := r.Commit(ctx, tree, "change "+ref, me, parents...)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.SetRef(ctx, "refs/heads/"+ref, sha); err != nil {
		t.Fatal(err)
	}
	return sha
}

func TestDiffAndMerge(t *testing.T) {
	ctx := context.Background()
	r, err := Init(ctx, t.TempDir(), "main")
	if err != nil {
		t.Fatal(err)
	}
	base := commit(t, r, "main", []Change{{Path: "a.txt", Content: []byte("one\ntwo\nthree\n")},
		{Path: "ü b.txt", Content: []byte(strings.Repeat("same\n", 20))}, {Path: "bin", Content: []byte{0, 1, 2}}})
	head := commit(t, r, "topic", []Change{{Path: "a.txt", Content: []byte("one\n2\nthree")}, {Path: "bin", Content: []byte{0, 9}},
		{Path: "ü b.txt"}, {Path: "c/ü.txt", Content: []byte(strings.Repeat("same\n", 20))}}, base)
	files, err := r.Diff(ctx, base, head)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 3 {
		t.Fatalf("files: %+v", files)
	}
	a := files[0]
	if a.Path != "a.txt" || a.Additions != 2 || a.Deletions != 2 || !strings.HasSuffix(a.Patch, "\\ No newline at end of file") {
		t.Errorf("a.txt: %+v", a)
	}
	if !files[1].Binary || files[2].Status != "renamed" || files[2].Previous != "ü b.txt" || files[2].Patch != "" {
		t.Errorf("others: %+v", files[1:])
	}
	ours := commit(t, r, "main", []Change{{Path: "other.txt", Content: []byte("x")}}, base)
	tree, ok, err := r.Merge(ctx, ours, head)
	if err != nil || !ok || len(tree) != 40 {
		t.Errorf("merge: %s %v %v", tree, ok, err)
	}
	clash := commit(t, r, "main", []Change{{Path: "a.txt", Content: []byte("one\nzwei\nthree\n")}}, ours)
	if _, ok, err := r.Merge(ctx, clash, head); ok || err != nil {
		t.Errorf("a conflict: %v %v", ok, err)
	}
	if _, err := r.Resolve(ctx, "--output=x"); !errors.Is(err, ErrNotFound) {
		t.Errorf("an option as a name: %v", err)
	}
	if got, err := r.Resolve(ctx, "heads/topic"); err != nil || got != head {
		t.Errorf("heads/topic: %s %v", got, err)
	}
}

func TestSnapshotAndArchive(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	for name, text := range map[string]string{".gitignore": "target/\n", "pom.xml": "<project/>\r\n", "target/x.class": "no"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Init(ctx, t.TempDir(), "main")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := r.Snapshot(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	sha, err := r.Commit(ctx, tree, "first", me)
	if err != nil {
		t.Fatal(err)
	}
	packed, err := r.Archive(ctx, sha, "o-r-1234567")
	if err != nil {
		t.Fatal(err)
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for r := tar.NewReader(unzipped); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeXGlobalHeader {
			names = append(names, h.Name)
		}
	}
	if got := strings.Join(names, " "); got != "o-r-1234567/ o-r-1234567/.gitignore o-r-1234567/pom.xml" {
		t.Errorf("archive: %s", got)
	}
	if _, text, err := r.File(ctx, sha, "pom.xml"); err != nil || string(text) != "<project/>\r\n" {
		t.Errorf("pom.xml: %q %v", text, err)
	}
}

func TestHostilePaths(t *testing.T) {
	r, err := Init(context.Background(), t.TempDir(), "main")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"../x", "/x", "a/../../x", ".git/config", "a/.GIT/hooks/x", "", "a//b"} {
		if _, err := r.Tree(context.Background(), "", []Change{{Path: p, Content: []byte("x")}}); err == nil {
			t.Errorf("%q was taken", p)
		}
	}
}
