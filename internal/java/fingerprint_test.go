package java

import (
	"archive/zip"
	"crypto/sha256"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// TestInputsCount checks that files which tests read change the fingerprint, and that sources and
// outputs do not.
func TestInputsCount(t *testing.T) {
	dir := t.TempDir()
	write := func(rel, text string) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mark := func() string {
		h := sha256.New()
		if err := addFiles(t.Context(), h, dir, notInputs, isInput); err != nil {
			t.Fatal(err)
		}
		return string(h.Sum(nil))
	}
	write("core/pom.xml", "<project/>")
	for _, tt := range []struct {
		path  string
		count bool
	}{
		{"core/src/test/resources/data.sql", true},
		{"core/pom.xml", true},
		{".mvn/jvm.config", true},
		{"core/src/test/java/a/ATest.java", false},
		{"core/target/src/x.txt", false},
		{".git/src/x", false},
		{"README.md", false},
	} {
		before := mark()
		write(tt.path, "changed")
		if counts := mark() != before; counts != tt.count {
			t.Errorf("%s counts: %v", tt.path, counts)
		}
	}
}

// TestOrderOfTestsDoesNotCount checks that only the names of the tests count, since their order can
// differ in each JVM.
func TestOrderOfTestsDoesNotCount(t *testing.T) {
	mark := func(tests ...suite.TestID) string {
		h := sha256.New()
		addTests(h, tests)
		return string(h.Sum(nil))
	}
	if mark("a#x", "a#y") != mark("a#y", "a#x") {
		t.Error("the order counts")
	}
	if mark("a#x", "a#y") == mark("a#x", "a#z") {
		t.Error("a name does not count")
	}
}

// TestLibrariesCountByContent checks that other classes in a library of the same name change the
// fingerprint, and that the same classes packed at another time do not.
func TestLibrariesCountByContent(t *testing.T) {
	mark := func(class string, at time.Time) string {
		file := filepath.Join(t.TempDir(), "core-1.0-SNAPSHOT.jar")
		f, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		w := zip.NewWriter(f)
		for name, text := range map[string]string{"META-INF/maven/pom.properties": at.String(), "a/B.class": class} {
			e, err := w.CreateHeader(&zip.FileHeader{Name: name, Modified: at})
			if err == nil {
				_, err = e.Write([]byte(text))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		h := sha256.New()
		if err := addLibrary(h, file); err != nil {
			t.Fatal(err)
		}
		return string(h.Sum(nil))
	}
	then := time.Date(2020, 1, 2, 3, 4, 0, 0, time.UTC)
	if mark("one", then) != mark("one", then.Add(time.Hour)) {
		t.Error("packed again is another library")
	}
	if mark("one", then) == mark("two", then) {
		t.Error("other classes are the same library")
	}
}
