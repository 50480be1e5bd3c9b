package java

import (
	"os"
	"path/filepath"
	"testing"
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
