package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// manyLinks is an archive of links that lead to themselves in a deep folder.
func manyLinks(t *testing.T, n, depth int) []byte {
	t.Helper()
	list := make([]member, n)
	for i := range list {
		list[i] = member{name: "a/" + strings.Repeat("d/", depth) + fmt.Sprint(i), link: fmt.Sprint(i), kind: tar.TypeSymlink}
	}
	return tarOf(t, list...)
}

// TestAttackManyLinks: links cost the unpacker more than a small archive costs its author, so their
// number and depth are bounded.
func TestAttackManyLinks(t *testing.T) {
	deep := strings.Repeat("d/", maxDepth+1)
	for name, packed := range map[string][]byte{
		"many links": manyLinks(t, maxLinks+1, 0),
		"deep link":  manyLinks(t, 1, maxDepth+1),
		"deep file":  tarOf(t, member{name: "a/" + deep + "x", text: "x"}),
		"long name":  tarOf(t, member{name: "a/" + strings.Repeat(strings.Repeat("x", 200)+"/", 6) + "x", text: "x"}),
		"link twice": tarOf(t, member{name: "a/x", link: "y", kind: tar.TypeSymlink},
			member{name: "a/x", link: "z", kind: tar.TypeSymlink}),
		"link and folder": tarOf(t, member{name: "a/y", text: "x"}, member{name: "a/x", link: "y", kind: tar.TypeSymlink},
			member{name: "a/x/z", link: "../y", kind: tar.TypeSymlink}),
	} {
		if err := Sources(t.Context(), bytes.NewReader(packed), t.TempDir(), Limits{}); !errors.Is(err, ErrRefused) {
			t.Errorf("%s (%d bytes): %v", name, len(packed), err)
		}
		if _, err := OpenTree(t.Context(), bytes.NewReader(packed), t.TempDir(), Limits{}); !errors.Is(err, ErrRefused) {
			t.Errorf("the tree of %s: %v", name, err)
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

// TestAttackLinksAfterTheEnd: whoever unpacks stops when the context ends, also between links.
func TestAttackLinksAfterTheEnd(t *testing.T) {
	const n = 50
	packed := manyLinks(t, n, 1)
	for _, left := range []int{n, n + 10} {
		if err := Sources(&late{t.Context(), left}, bytes.NewReader(packed), t.TempDir(), Limits{}); !errors.Is(err, context.Canceled) {
			t.Errorf("after %d questions: %v", left, err)
		}
	}
}

// TestAttackLinksThatDouble: each link leads twice through the one before, so following all of them
// takes 2^n steps.
func TestAttackLinksThatDouble(t *testing.T) {
	list := []member{{name: "a/d/file", text: "x"}, {name: "a/l0", link: "d", kind: tar.TypeSymlink}}
	for i := range 200 {
		list = append(list, member{name: fmt.Sprint("a/l", i+1), link: fmt.Sprintf("l%d/../l%d", i, i), kind: tar.TypeSymlink})
	}
	dir := t.TempDir()
	if err := Sources(t.Context(), bytes.NewReader(tarOf(t, list...)), dir, Limits{}); err != nil {
		t.Fatal(err)
	}
	if got := tree(t, dir)["l200"]; got != "-> l199/../l199" {
		t.Errorf("the last link is %q", got)
	}
}

// TestAttackLongHeaders: headers that are no members count for the ratio, too.
func TestAttackLongHeaders(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for range 40 {
		h := &tar.Header{Typeflag: tar.TypeXGlobalHeader, Name: "g",
			PAXRecords: map[string]string{"comment": strings.Repeat("x", 1<<20-100)}}
		if err := errors.Join(w.WriteHeader(h), w.Flush()); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	err := Sources(t.Context(), &b, t.TempDir(), Limits{})
	if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "times its size") {
		t.Errorf("%v", err)
	}
}
