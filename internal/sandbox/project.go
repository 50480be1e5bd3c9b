package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/odfix/odfix/examples"
	"github.com/odfix/odfix/internal/child"
	"github.com/odfix/odfix/internal/sandbox/build"
)

// folders makes two folders: the project on the base branch, and on the pull request's branch.
func (sc Scenario) folders(ctx context.Context, into string) (base, head string, err error) {
	base, head = filepath.Join(into, "base"), filepath.Join(into, "head")
	if sc.example == "" {
		if err := copyProject(sc.dir, head); err != nil {
			return "", "", err
		}
		return base, head, committed(ctx, sc.dir, sc.ref, base, filepath.Join(into, "index"))
	}
	files, err := examples.Sources(sc.example)
	if err != nil {
		return "", "", err
	}
	for _, dir := range []string{base, head} {
		if err := os.CopyFS(dir, files); err != nil {
			return "", "", err
		}
		if err := sc.prepare(dir); err != nil {
			return "", "", err
		}
	}
	return base, head, os.Remove(filepath.Join(base, filepath.FromSlash(sc.adds)))
}

// prepare applies the scenario's edits of both branches.
func (sc Scenario) prepare(dir string) error {
	for _, e := range sc.edits {
		file := filepath.Join(dir, filepath.FromSlash(e.path))
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if !bytes.Contains(b, []byte(e.from)) {
			return fmt.Errorf("scenario %s: %s does not contain %s", sc.Name, e.path, e.from)
		}
		if err := os.WriteFile(file, bytes.Replace(b, []byte(e.from), []byte(e.to), 1), 0o600); err != nil {
			return err
		}
	}
	for path, text := range sc.base {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(path)), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// copyProject copies a folder without its git repository, the output of Maven and Gradle, and
// installed packages.
func copyProject(from, to string) error {
	return os.CopyFS(to, sources{os.DirFS(from).(fs.ReadLinkFS), from})
}

// sources are the files of a project. Sockets and other special files are left out.
type sources struct {
	fs.ReadLinkFS
	dir string
}

// ReadDir implements fs.ReadDirFS.
func (s sources) ReadDir(name string) ([]fs.DirEntry, error) {
	list, err := fs.ReadDir(s.ReadLinkFS, name)
	return slices.DeleteFunc(list, func(d fs.DirEntry) bool {
		special := !d.IsDir() && !d.Type().IsRegular() && d.Type()&fs.ModeSymlink == 0
		return special || d.Name() == ".git" || d.IsDir() && built(filepath.Join(s.dir, filepath.FromSlash(name), d.Name()))
	}), err
}

// built reports whether Maven or Gradle builds into the folder, or packages are installed there.
func built(dir string) bool {
	parent := filepath.Dir(dir)
	switch filepath.Base(dir) {
	case "target":
		return isThere(parent, "pom.xml")
	case "node_modules":
		return isThere(parent, "package.json")
	case ".gradle":
		return build.OfGradle(parent)
	case "build":
		return build.OfGradle(parent) || isThere(parent, "src") && !isThere(parent, "pom.xml") && partOfGradle(parent)
	}
	return false
}

// partOfGradle reports whether a folder above has the settings of a build of Gradle, of which a project
// needs no file of its own.
func partOfGradle(dir string) bool {
	for range 5 {
		if isThere(dir, ".git") || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
		if isThere(dir, "settings.gradle") || isThere(dir, "settings.gradle.kts") {
			return true
		}
	}
	return false
}

func isThere(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}

// committed writes the files of a commit that are below dir into a folder. It does not touch the
// repository's own index. Without a repository, or without a commit in it, the base is dir itself.
func committed(ctx context.Context, dir, ref, into, index string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	g := repository{ctx, dir, index}
	prefix, err := g.run("rev-parse", "--show-prefix")
	if err == nil && ref == "" {
		if _, err = g.run("rev-parse", "--verify", "--quiet", "HEAD"); err == nil {
			ref = "HEAD"
		}
	}
	if err != nil && ref != "" {
		return fmt.Errorf("there is no %s to compare with: %s is in no git repository", ref, dir)
	}
	if ref == "" {
		return copyProject(dir, into)
	}
	sha, err := g.run("rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	if err != nil {
		return fmt.Errorf("%s has no commit %q; name a branch, a tag or a commit with --base", dir, ref)
	}
	if _, err := g.run("read-tree", sha+":"+prefix); err != nil {
		return fmt.Errorf("%s is not part of the commit %q yet; name another one with --base", dir, ref)
	}
	if err := os.MkdirAll(into, 0o755); err != nil {
		return err
	}
	if _, err = g.run("--work-tree="+into, "checkout-index", "--all", "--prefix="+into+string(filepath.Separator)); err != nil {
		return err
	}
	return dropBuilt(into)
}

// dropBuilt removes output of the build that is in the commit: the other branch has none, either.
func dropBuilt(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || !built(path) {
			return err
		}
		if err := os.RemoveAll(path); err != nil {
			return err
		}
		return filepath.SkipDir
	})
}

// repository is the git repository of the given project. It is only read.
type repository struct {
	ctx        context.Context
	dir, index string
}

func (g repository) run(args ...string) (string, error) {
	cmd := exec.CommandContext(g.ctx, "git", args...)
	cmd.Dir = g.dir
	// A git hook that runs odfix sets variables that name its own repository.
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") })
	cmd.Env = append(env, "GIT_INDEX_FILE="+g.index, "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
	cmd.WaitDelay = time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	var out bytes.Buffer
	cmd.Stdout = &out
	err := child.Run(cmd)
	if errors.Is(err, exec.ErrNotFound) {
		return "", errors.New("git is not installed, or not in the PATH")
	}
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
	}
	return strings.TrimSpace(out.String()), nil
}
