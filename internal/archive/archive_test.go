package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type member struct {
	name, text, link string
	mode             int64
	kind             byte
}

func tarOf(t testing.TB, list ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, m := range list {
		h := &tar.Header{Name: m.name, Typeflag: m.kind, Linkname: m.link, Mode: m.mode, Size: int64(len(m.text)), Format: tar.FormatPAX}
		if m.kind == 0 {
			h.Typeflag = tar.TypeReg
		}
		if m.kind == tar.TypeXGlobalHeader {
			h = &tar.Header{Typeflag: m.kind, Name: m.name, PAXRecords: map[string]string{"comment": "sha"}}
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(m.text)); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	z.Close()
	return b.Bytes()
}

func zipOf(t testing.TB, list ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range list {
		f, err := w.Create(m.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(m.text)); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	return b.Bytes()
}

// tree returns everything in a folder: contents, and "-> target" for links.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		if d.Type()&fs.ModeSymlink != 0 {
			target, err := os.Readlink(path)
			out[filepath.ToSlash(rel)] = "-> " + target
			return err
		}
		b, err := os.ReadFile(path)
		out[filepath.ToSlash(rel)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSources(t *testing.T) {
	dir := t.TempDir()
	packed := tarOf(t, member{name: "pax_global_header", kind: tar.TypeXGlobalHeader}, member{name: "acme-shop-1/", kind: tar.TypeDir},
		member{name: "acme-shop-1/pom.xml", text: "<project/>"}, member{name: "acme-shop-1/mvnw", text: "#!", mode: 0o755},
		member{name: "acme-shop-1/src/ünïcode name.java", text: "class A {}"},
		member{name: "acme-shop-1/link", link: "src", kind: tar.TypeSymlink},
		member{name: "acme-shop-1/src/up", link: "../pom.xml", kind: tar.TypeSymlink})
	if err := Sources(t.Context(), bytes.NewReader(packed), dir, Limits{}); err != nil {
		t.Fatal(err)
	}
	got := tree(t, dir)
	for name, want := range map[string]string{"pom.xml": "<project/>", "src/ünïcode name.java": "class A {}",
		"link": "-> src", "src/up": "-> ../pom.xml"} {
		if got[name] != want {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "mvnw")); err != nil || info.Mode().Perm()&0o111 == 0 {
		t.Errorf("mvnw cannot be run: %v %v", info, err)
	}
	if info, err := os.Stat(filepath.Join(dir, "pom.xml")); err != nil || info.Mode().Perm()&0o111 != 0 {
		t.Errorf("pom.xml can be run: %v %v", info, err)
	}
}

// TestHostileSources checks that each archive is refused, and that nothing is written outside of
// the folder.
func TestHostileSources(t *testing.T) {
	for name, list := range map[string][]member{
		"up":                  {{name: "a/../../out", text: "x"}},
		"absolute":            {{name: "/tmp/out", text: "x"}},
		"backslash":           {{name: `a\..\..\out`, text: "x"}},
		"two tops":            {{name: "a/x", text: "x"}, {name: "b/x", text: "x"}},
		"twice":               {{name: "a/x", text: "x"}, {name: "a/x", text: "y"}},
		"file as folder":      {{name: "a/x", text: "x"}, {name: "a/x/y", text: "y"}},
		"link then file":      {{name: "a/x", text: "x"}, {name: "a/x", link: "y", kind: tar.TypeSymlink}},
		"device":              {{name: "a/x", kind: tar.TypeBlock}},
		"pipe":                {{name: "a/x", kind: tar.TypeFifo}},
		"hard link":           {{name: "a/x", text: "x"}, {name: "a/y", link: "a/x", kind: tar.TypeLink}},
		"too many":            {{name: "a/1"}, {name: "a/2"}, {name: "a/3"}, {name: "a/4"}, {name: "a/5"}, {name: "a/6"}},
		"too much":            {{name: "a/1", text: strings.Repeat("x", 600)}, {name: "a/2", text: strings.Repeat("x", 600)}},
		"name that cannot be": {{name: "a/" + strings.Repeat("x", 300), text: "x"}},
	} {
		parent := t.TempDir()
		dir := filepath.Join(parent, "in")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		err := Sources(t.Context(), bytes.NewReader(tarOf(t, list...)), dir, Limits{Members: 5, Bytes: 1000})
		if !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
		for path := range tree(t, parent) {
			if !strings.HasPrefix(path, "in/") {
				t.Errorf("%s: %s was written", name, path)
			}
		}
	}
}

// TestLinksThatLeadOut checks that such links, and chains of them, are left out.
func TestLinksThatLeadOut(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "in")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	packed := tarOf(t, member{name: "a/x/y/file", text: "x"},
		member{name: "a/out", link: "../../etc", kind: tar.TypeSymlink}, member{name: "a/abs", link: "/etc/passwd", kind: tar.TypeSymlink},
		member{name: "a/deep", link: "x/y", kind: tar.TypeSymlink}, member{name: "a/chain", link: "deep/../../..", kind: tar.TypeSymlink},
		member{name: "a/loop", link: "loop", kind: tar.TypeSymlink}, member{name: "a/fine", link: "x/y/file", kind: tar.TypeSymlink})
	if err := Sources(t.Context(), bytes.NewReader(packed), dir, Limits{}); err != nil {
		t.Fatal(err)
	}
	got := tree(t, dir)
	for _, bad := range []string{"out", "abs", "chain", "loop"} {
		if _, there := got[bad]; there {
			t.Errorf("%s is there: %s", bad, got[bad])
		}
	}
	if got["fine"] != "-> x/y/file" || got["deep"] != "-> x/y" {
		t.Errorf("%v", got)
	}
}

// TestBombs checks that small archives with very large content are refused early.
func TestBombs(t *testing.T) {
	huge := member{name: "a/zeros", text: strings.Repeat("\x00", 64<<20)}
	packed := tarOf(t, huge)
	if err := Sources(t.Context(), bytes.NewReader(packed), t.TempDir(), Limits{}); !errors.Is(err, ErrRefused) ||
		!strings.Contains(err.Error(), "times its size") {
		t.Errorf("%d bytes: %v", len(packed), err)
	}
	zipped := zipOf(t, member{name: "TEST-a.xml", text: huge.text})
	_, err := Some(t.Context(), bytes.NewReader(zipped), int64(len(zipped)), t.TempDir(), func(string) bool { return true }, Limits{})
	if !errors.Is(err, ErrRefused) {
		t.Errorf("%v", err)
	}
	if err := Sources(t.Context(), bytes.NewReader([]byte("not packed")), t.TempDir(), Limits{}); !errors.Is(err, ErrRefused) {
		t.Errorf("%v", err)
	}
	if err := Sources(t.Context(), bytes.NewReader(packed[:len(packed)/2]), t.TempDir(),
		Limits{Ratio: 1 << 40}); !errors.Is(err, ErrRefused) {
		t.Errorf("cut off: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Sources(ctx, bytes.NewReader(packed), t.TempDir(), Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestSomeOfAZip(t *testing.T) {
	packed := zipOf(t, member{name: "target/surefire-reports/TEST-a.xml", text: "<a/>"},
		member{name: `windows\TEST-b.xml`, text: "<b/>"}, member{name: "big.bin", text: strings.Repeat("x", 2000)})
	dir := t.TempDir()
	n, err := Some(t.Context(), bytes.NewReader(packed), int64(len(packed)), dir,
		func(name string) bool { return strings.HasSuffix(name, ".xml") }, Limits{Bytes: 5*block + 100})
	if got := tree(t, dir); err != nil || n != 2 || got["target/surefire-reports/TEST-a.xml"] != "<a/>" ||
		got["windows/TEST-b.xml"] != "<b/>" {
		t.Errorf("%d, %v, %v", n, err, got)
	}
	for _, bad := range []string{"../x.xml", "/x.xml", "a/../../x.xml"} {
		packed := zipOf(t, member{name: bad, text: "x"})
		if _, err := Some(t.Context(), bytes.NewReader(packed), int64(len(packed)), t.TempDir(),
			func(string) bool { return true }, Limits{}); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func FuzzSources(f *testing.F) {
	f.Add(tarOf(f, member{name: "a/x", text: "x"}, member{name: "a/l", link: "../..", kind: tar.TypeSymlink}))
	f.Fuzz(func(t *testing.T, packed []byte) {
		parent := t.TempDir()
		dir := filepath.Join(parent, "in")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		_ = Sources(t.Context(), bytes.NewReader(packed), dir, Limits{Bytes: 1 << 20, Members: 100}) // an error is allowed
		entries, err := os.ReadDir(parent)
		if err != nil || len(entries) != 1 {
			t.Errorf("%v, %v", entries, err)
		}
	})
}
