//go:build linux

package isolate

import (
	"os"
	"path/filepath"
	"testing"
)

func TestPlant(t *testing.T) {
	from, into := t.TempDir(), t.TempDir()
	version := filepath.Join("junit", "junit", "4.13.2")
	must(t, os.MkdirAll(filepath.Join(from, version), 0o755))
	for _, name := range []string{"junit-4.13.2.jar", "junit-4.13.2.jar.sha1", "_remote.repositories",
		"missing-1.pom.lastUpdated", "maven-metadata-central.xml"} {
		must(t, os.WriteFile(filepath.Join(from, version, name), []byte(name), 0o644))
	}
	must(t, os.Symlink("/etc/passwd", filepath.Join(from, version, "link.jar")))
	must(t, Plant(from, into, "/seen/as"))
	if to, err := os.Readlink(filepath.Join(into, version, "junit-4.13.2.jar")); err != nil ||
		to != "/seen/as/junit/junit/4.13.2/junit-4.13.2.jar" {
		t.Errorf("%s, %v", to, err)
	}
	if text := read(t, filepath.Join(into, version, "maven-metadata-central.xml")); text != "maven-metadata-central.xml" {
		t.Errorf("metadata: %q", text)
	}
	if all, _ := os.ReadDir(filepath.Join(into, version)); len(all) != 2 {
		t.Errorf("%v", all)
	}
}

func TestSweepLeavesTheLiving(t *testing.T) {
	dir := t.TempDir()
	living, err := newFolder(dir)
	must(t, err)
	dead := filepath.Join(dir, folderPrefix+"dead")
	must(t, os.MkdirAll(filepath.Join(dead, "rw", "shut"), 0o755))
	must(t, os.WriteFile(filepath.Join(dead, lockName), nil, 0o644))
	must(t, os.Mkdir(filepath.Join(dir, folderPrefix+"foreign"), 0o755))
	must(t, os.Chmod(filepath.Join(dead, "rw", "shut"), 0))
	sweep(dir)
	if exists(dead) || !exists(living.path) || !exists(filepath.Join(dir, folderPrefix+"foreign")) {
		t.Error("the wrong ones were removed")
	}
	must(t, living.close())
	if exists(living.path) {
		t.Error("it is still there")
	}
}

func TestUsage(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "a"), make([]byte, 1<<20), 0o644))
	must(t, os.Symlink("/usr", filepath.Join(dir, "link")))
	s := &scale{most: 1 << 40}
	if n, err := s.measure(t.Context(), dir); n < 1<<20 || n > 2<<20 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
}
