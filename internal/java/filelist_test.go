package java

import (
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/java/maven"
)

// TestListFiles: what the agent would have found by itself, with the sums of what it would have
// read.
func TestListFiles(t *testing.T) {
	dir, at := t.TempDir(), time.Unix(1_700_000_000, 123_456_789)
	for name, content := range map[string]string{
		"data.txt": "one", "src/A.java": "class A {}", "target/classes/A.class": "code", "target/note": "two",
		".git/HEAD": "ref", "in/node_modules/x.js": "", "large": strings.Repeat("x", maxSummed+1),
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	p, to := &Project{launch: maven.Launch{Dir: dir}}, filepath.Join(t.TempDir(), "list")
	if err := p.listFiles(nil, to); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	records := strings.Split(strings.TrimSuffix(string(got), "\x00"), "\x00")
	if want := fmt.Sprint(len("one") + len("two")); records[0] != want {
		t.Errorf("read %s bytes, want %s", records[0], want)
	}
	file := func(name, content string, read bool) string {
		sum := ""
		if read {
			sum = fmt.Sprint(crc32.ChecksumIEEE([]byte(content)))
		}
		return fmt.Sprintf("0\tf\t%d\t%d\t%s\t%s", len(content), at.UnixNano(), sum, filepath.FromSlash(name))
	}
	want := []string{
		file("data.txt", "one", true), file("large", strings.Repeat("x", maxSummed+1), false), file("src/A.java", "class A {}", false),
		file("target/classes/A.class", "code", false), file("target/note", "two", true),
	}
	if at := slices.Index(records, ""); slices.ContainsFunc(records[:at],
		func(r string) bool { return strings.Contains(r, ".java") || strings.Contains(r, ".class") }) || at+3 != len(records) {
		t.Errorf("not apart: %q", records)
	}
	records = slices.DeleteFunc(records, func(r string) bool { return r == "" })
	folders := slices.DeleteFunc(slices.Clone(records[1:]), func(r string) bool { return !strings.Contains(r, "\td\t0\t") })
	files := slices.DeleteFunc(records[1:], func(r string) bool { return strings.Contains(r, "\td\t0\t") })
	slices.Sort(files)
	slices.Sort(want)
	if !slices.Equal(files, want) {
		t.Errorf("listed\n%s\nwant\n%s", strings.Join(files, "\n"), strings.Join(want, "\n"))
	}
	if len(folders) != 4 {
		t.Errorf("folders: %q; want src, target, target/classes and in", folders)
	}
}

// TestListFilesLeavesIt: what a JVM may know otherwise is left to the agent, and no list of an
// earlier process stays.
func TestListFilesLeavesIt(t *testing.T) {
	to, link := filepath.Join(t.TempDir(), "list"), filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Skipf("whoever runs this may not make links here, as on Windows: %v", err)
	}
	for name, p := range map[string]*Project{
		"a name that is not ASCII": {launch: maven.Launch{Dir: t.TempDir()}},
		"a link to the folder":     {launch: maven.Launch{Dir: link}},
		"another working folder":   {launch: maven.Launch{Dir: t.TempDir(), JVMArgs: []string{"-Duser.dir=/elsewhere"}}},
	} {
		file := "é"
		if p.launch.Dir == link {
			file = "e"
		}
		if err := os.WriteFile(filepath.Join(p.launch.Dir, file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := p.listFiles(nil, to); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(to); !os.IsNotExist(err) {
			t.Errorf("%s: there is a list: %v", name, err)
		}
	}
}
