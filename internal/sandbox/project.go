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
)

// folders makes the two states of the project: that of the base branch, and
// that of the pull request's branch.
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

// prepare makes the example what the scenario's base branch has.
func (sc Scenario) prepare(dir string) error {
	for _, e := range sc.edits {
		file := filepath.Join(dir, filepath.FromSlash(e.path))
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if !bytes.Contains(b, []byte(e.from)) {
			return fmt.Errorf("scenario %s: %s does not say %s", sc.Name, e.path, e.from)
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

// copyProject copies a folder without its git repository and without what Maven
// built. Links are copied as links.
func copyProject(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case d.Name() == ".git" || d.IsDir() && built(path):
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case d.IsDir():
			return os.MkdirAll(target, 0o755)
		case d.Type()&fs.ModeSymlink != 0:
			link, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(link, target)
		case !d.Type().IsRegular():
			return nil // sockets and the like are no part of a project
		}
		return copyFile(path, target, d)
	})
}

// built: the folder is what Maven builds into.
func built(dir string) bool {
	_, err := os.Stat(filepath.Join(filepath.Dir(dir), "pom.xml"))
	return err == nil && filepath.Base(dir) == "target"
}

func copyFile(from, to string, d fs.DirEntry) error {
	info, err := d.Info()
	if err != nil {
		return err
	}
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, info.Mode().Perm()|0o600)
}

// committed puts the files of a commit of dir's repository, as far as they lie
// below dir, into a folder. The repository's own index is left alone. Where there
// is no repository, or no commit in it yet, all of the folder counts as the base.
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

// dropBuilt removes what Maven built, where somebody committed it: the other
// branch has none of it, either.
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

// repository is somebody's, which is only read.
type repository struct {
	ctx        context.Context
	dir, index string
}

func (g repository) run(args ...string) (string, error) {
	cmd := exec.CommandContext(g.ctx, "git", args...)
	cmd.Dir = g.dir
	// A hook that runs us has variables that name its own repository.
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") })
	cmd.Env = append(env, "GIT_INDEX_FILE="+g.index, "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
	cmd.WaitDelay = time.Second
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return "", errors.New("git is not installed, or not in the PATH")
	}
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(said.String()))
	}
	return strings.TrimSpace(string(out)), nil
}
