package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// checkout creates a folder of files, by path.
func checkout(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for path, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b.c"}, args...)...)
	cmd.Dir = dir
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") })
	cmd.Env = append(env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// listing returns every file below dir with its text.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		all = append(all, filepath.ToSlash(rel)+"="+strings.TrimSpace(string(b)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// TestProjectFolders checks that the base has the committed files and the head the current ones,
// and that the repository does not change.
func TestProjectFolders(t *testing.T) {
	top := t.TempDir()
	checkout(t, top, map[string]string{"README": "1", "lib/pom.xml": "old", "lib/A.java": "a", "lib/gone": "x",
		"lib/target/old": "x", ".gitignore": "*.log\n"})
	git(t, top, "init", "-q", "-b", "main")
	git(t, top, "add", "-A")
	git(t, top, "commit", "-q", "-m", "one")
	git(t, top, "tag", "first")
	checkout(t, top, map[string]string{"lib/A.java": "b"})
	git(t, top, "commit", "-q", "-a", "-m", "two")
	checkout(t, top, map[string]string{"lib/pom.xml": "new", "lib/New.java": "n", "lib/target/x": "x", "lib/src/target/y": "y"})
	if err := os.Remove(filepath.Join(top, "lib", "gone")); err != nil {
		t.Fatal(err)
	}
	before := git(t, top, "status", "--porcelain")
	t.Setenv("GIT_DIR", filepath.Join(top, "elsewhere")) // as in a hook of another repository
	lib := filepath.Join(top, "lib")
	for name, c := range map[string]struct{ dir, ref, base, head string }{
		"a module":      {lib, "", "A.java=b gone=x pom.xml=old", "A.java=b New.java=n pom.xml=new src/target/y=y"},
		"against a tag": {lib, "first", "A.java=a gone=x pom.xml=old", "A.java=b New.java=n pom.xml=new src/target/y=y"},
		"the repository": {top, "main", ".gitignore=*.log README=1 lib/A.java=b lib/gone=x lib/pom.xml=old",
			".gitignore=*.log README=1 lib/A.java=b lib/New.java=n lib/pom.xml=new lib/src/target/y=y"},
	} {
		base, head, err := Project(c.dir, c.ref).folders(t.Context(), t.TempDir())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := listing(t, base); got != c.base {
			t.Errorf("%s: the base is %s", name, got)
		}
		if got := listing(t, head); got != c.head {
			t.Errorf("%s: the head is %s", name, got)
		}
	}
	if after := git(t, top, "status", "--porcelain"); after != before {
		t.Errorf("the repository was %q and is %q", before, after)
	}
	for _, ref := range []string{"nothing", "--help", "main:README"} {
		if _, _, err := Project(lib, ref).folders(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "--base") {
			t.Errorf("%s: %v", ref, err)
		}
	}
}

// TestProjectWithoutHistory checks that all files are the base.
func TestProjectWithoutHistory(t *testing.T) {
	plain := t.TempDir()
	checkout(t, plain, map[string]string{"pom.xml": "p", "target/x": "x"})
	born := t.TempDir()
	checkout(t, born, map[string]string{"pom.xml": "p"})
	git(t, born, "init", "-q")
	for _, dir := range []string{plain, born} {
		base, head, err := Project(dir, "").folders(t.Context(), t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if b, h := listing(t, base), listing(t, head); b != "pom.xml=p" || h != b {
			t.Errorf("%s, %s", b, h)
		}
	}
	if _, _, err := Project(plain, "main").folders(t.Context(), t.TempDir()); err == nil {
		t.Error("there is no main")
	}
}

func TestScenarioFolders(t *testing.T) {
	var names []string
	for _, sc := range Scenarios {
		if slices.Contains(names, sc.Name) || sc.About == "" || sc.title == "" || sc.body == "" || sc.expect.title == "" {
			t.Errorf("%s occurs twice, or has no description", sc.Name)
		}
		names = append(names, sc.Name)
		if found, err := Find(sc.Name); err != nil || found.Name != sc.Name {
			t.Errorf("%s: %v", sc.Name, err)
		}
		base, head, err := sc.folders(t.Context(), t.TempDir())
		if err != nil {
			t.Fatalf("%s: %v", sc.Name, err)
		}
		b, h := listing(t, base), listing(t, head)
		if strings.Contains(b, sc.adds+"=") || !strings.Contains(h, sc.adds+"=") ||
			!strings.Contains(b, "pom.xml=") && !strings.Contains(b, "package.json=") {
			t.Errorf("%s: %s is not what the pull request adds", sc.Name, sc.adds)
		}
	}
	if _, err := Find("nothing"); err == nil || !strings.Contains(err.Error(), "victim") {
		t.Error(err)
	}
}

func TestRepositoryName(t *testing.T) {
	for dir, want := range map[string]string{"/a/demo": "demo", "/a/my project": "my-project", "/": "-",
		"/a/..": "project", "/x/a.git": "a", "/x/...": "project"} {
		if got := repositoryName(dir); got != want {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
	}
}
