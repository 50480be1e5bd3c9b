package gitrepo

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Person is the author or the committer of a commit.
type Person struct {
	Name  string
	Email string
	When  time.Time
}

// Change is the change of one path. An empty Mode means "100644". Without Content and Sha, the
// path is removed.
type Change struct {
	Path    string
	Mode    string
	Content []byte
	Sha     string // of a blob that the repository has
}

// Snapshot makes a tree of the files in dir, without those that .gitignore files name.
func (r *Repo) Snapshot(ctx context.Context, dir string) (string, error) {
	return r.withIndex(ctx, func(env []string) error {
		return r.inWorkTree(ctx, env, dir, "add", "--all", ".")
	})
}

// Tree makes a tree from a base (a commit or tree, or "" for an empty one) and changes.
func (r *Repo) Tree(ctx context.Context, base string, changes []Change) (string, error) {
	info, err := r.indexInfo(ctx, changes)
	if err != nil {
		return "", err
	}
	return r.withIndex(ctx, func(env []string) error {
		if base != "" {
			if _, err := r.gitWith(ctx, env, nil, "read-tree", base); err != nil {
				return err
			}
		}
		_, err := r.gitWith(ctx, env, info, "update-index", "-z", "--index-info")
		return err
	})
}

// Checkout writes a commit's files into a folder.
func (r *Repo) Checkout(ctx context.Context, commit, dir string) error {
	_, err := r.withIndex(ctx, func(env []string) error {
		if _, err := r.gitWith(ctx, env, nil, "read-tree", commit); err != nil {
			return err
		}
		return r.inWorkTree(ctx, env, dir, "checkout-index", "--all", "--force")
	})
	return err
}

// withIndex calls a function with the environment for an empty index, and writes the tree of it.
func (r *Repo) withIndex(ctx context.Context, fill func(env []string) error) (string, error) {
	dir, err := os.MkdirTemp(r.Dir, "index-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }() // the repository's folder is removed anyway
	env := []string{"GIT_INDEX_FILE=" + filepath.Join(dir, "index")}
	if err := fill(env); err != nil {
		return "", err
	}
	out, err := r.gitWith(ctx, env, nil, "write-tree")
	return strings.TrimSpace(string(out)), err
}

func (r *Repo) inWorkTree(ctx context.Context, env []string, dir string, args ...string) error {
	full, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	env = append(env, "GIT_DIR="+r.Dir, "GIT_WORK_TREE="+full)
	_, err = r.gitWith(ctx, env, nil, append([]string{"-C", full}, args...)...)
	return err
}

func (r *Repo) indexInfo(ctx context.Context, changes []Change) ([]byte, error) {
	var b bytes.Buffer
	for _, c := range changes {
		if !goodPath(c.Path) {
			return nil, fmt.Errorf("%q is no path in a repository", c.Path)
		}
		mode, sha := c.Mode, c.Sha
		mode = cmp.Or(mode, "100644")
		switch {
		case sha == "" && c.Content == nil:
			mode, sha = "0", strings.Repeat("0", 40)
		case sha == "":
			var err error
			if sha, err = r.WriteBlob(ctx, c.Content); err != nil {
				return nil, err
			}
		}
		fmt.Fprintf(&b, "%s %s\t%s\x00", mode, sha, c.Path)
	}
	return b.Bytes(), nil
}

func goodPath(p string) bool {
	if p == "" || path.IsAbs(p) || path.Clean(p) != p || strings.ContainsAny(p, "\x00") {
		return false
	}
	return !slices.ContainsFunc(strings.Split(p, "/"), func(part string) bool {
		return part == ".." || strings.EqualFold(part, ".git")
	})
}

// WriteBlob stores a file's bytes.
func (r *Repo) WriteBlob(ctx context.Context, content []byte) (string, error) {
	out, err := r.git(ctx, content, "hash-object", "-w", "--stdin")
	return strings.TrimSpace(string(out)), err
}

// Commit makes a commit of a tree. No branch contains it yet.
func (r *Repo) Commit(ctx context.Context, tree, message string, by Person, parents ...string) (string, error) {
	args := []string{"commit-tree", tree}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	var env []string
	for _, role := range []string{"AUTHOR", "COMMITTER"} {
		env = append(env, "GIT_"+role+"_NAME="+by.Name, "GIT_"+role+"_EMAIL="+by.Email,
			"GIT_"+role+"_DATE="+by.When.UTC().Format(time.RFC3339))
	}
	out, err := r.gitWith(ctx, env, []byte(message), args...)
	return strings.TrimSpace(string(out)), err
}

// SetRef points a full reference name at a commit.
func (r *Repo) SetRef(ctx context.Context, ref, sha string) error {
	_, err := r.git(ctx, nil, "update-ref", "--", ref, sha)
	return err
}

// Commit is a commit as git stores it.
type Commit struct {
	Sha       string
	Tree      string
	Parents   []string
	Author    Person
	Committer Person
	Message   string
}

const commitFormat = "--format=%H%x00%T%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00%B%x1e"

// Resolve finds the commit of a sha, a branch or a reference. "heads/x" is the branch x.
func (r *Repo) Resolve(ctx context.Context, name string) (string, error) {
	if name == "" || strings.HasPrefix(name, "-") || strings.ContainsAny(name, "^~:@{ \x00") {
		return "", ErrNotFound
	}
	sha, err := r.text(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if err != nil {
		return "", ErrNotFound
	}
	return sha, nil
}

// ReadCommit reads one commit.
func (r *Repo) ReadCommit(ctx context.Context, sha string) (Commit, error) {
	all, err := r.Log(ctx, sha, "", 1)
	if err != nil || len(all) != 1 {
		return Commit{}, ErrNotFound
	}
	return all[0], nil
}

// Log lists at most limit commits that tip contains, newest first, without those that not contains.
func (r *Repo) Log(ctx context.Context, tip, not string, limit int) ([]Commit, error) {
	args := []string{"log", commitFormat, "--topo-order", "-n", strconv.Itoa(limit), "--end-of-options", tip}
	if not != "" {
		args = append(args, "^"+not)
	}
	out, err := r.git(ctx, nil, append(args, "--")...)
	if err != nil {
		return nil, err
	}
	var all []Commit
	for _, record := range strings.Split(strings.TrimRight(string(out), "\n"), "\x1e") {
		f := strings.Split(strings.TrimPrefix(record, "\n"), "\x00")
		if len(f) != 10 {
			continue // the end
		}
		all = append(all, Commit{Sha: f[0], Tree: f[1], Parents: strings.Fields(f[2]), Author: person(f[3:6]), Committer: person(f[6:9]),
			Message: strings.TrimRight(f[9], "\n")})
	}
	return all, nil
}

func person(f []string) Person {
	t, _ := time.Parse(time.RFC3339, f[2]) // git wrote it
	return Person{f[0], f[1], t.UTC()}
}

// Entry is a file or folder in a tree.
type Entry struct {
	Path string
	Mode string
	Type string // blob, tree or commit
	Sha  string
	Size int64 // bytes, of blobs
}

// ReadTree lists a tree, or the tree of a commit. Given a path, it lists that path only; without
// one, it lists all files and folders, at any depth.
func (r *Repo) ReadTree(ctx context.Context, tree, path string) ([]Entry, error) {
	args := []string{"ls-tree", "-z", "--long", "--full-tree"}
	if path == "" {
		args = append(args, "-r", "-t")
	}
	args = append(args, "--end-of-options", tree)
	if path != "" {
		args = append(args, "--", path)
	}
	out, err := r.git(ctx, nil, args...)
	if err != nil {
		return nil, ErrNotFound
	}
	var all []Entry
	for _, line := range strings.Split(string(out), "\x00") {
		head, path, ok := strings.Cut(line, "\t")
		f := strings.Fields(head)
		if !ok || len(f) != 4 {
			continue // the end
		}
		size, _ := strconv.ParseInt(f[3], 10, 64) // "-" of a folder is 0
		all = append(all, Entry{Path: path, Mode: f[0], Type: f[1], Sha: f[2], Size: size})
	}
	return all, nil
}

// File finds the file at a path in a commit.
func (r *Repo) File(ctx context.Context, commit, path string) (Entry, []byte, error) {
	all, err := r.ReadTree(ctx, commit, path)
	if err != nil || path == "" || len(all) != 1 || all[0].Type != "blob" {
		return Entry{}, nil, ErrNotFound
	}
	content, err := r.git(ctx, nil, "cat-file", "blob", all[0].Sha)
	return all[0], content, err
}

var shaPattern = regexp.MustCompile(`^[0-9a-f]{40}$`)

// Has reports whether the repository has an object of that kind: commit, tree or blob.
func (r *Repo) Has(ctx context.Context, sha, kind string) bool {
	if !shaPattern.MatchString(sha) {
		return false
	}
	got, err := r.text(ctx, "cat-file", "-t", sha)
	return err == nil && got == kind
}

// MergeBase is the best common ancestor.
func (r *Repo) MergeBase(ctx context.Context, a, b string) (string, error) {
	sha, err := r.text(ctx, "merge-base", a, b)
	if err != nil {
		return "", ErrNotFound
	}
	return sha, nil
}

// Count counts the commits that tip contains and not does not.
func (r *Repo) Count(ctx context.Context, tip, not string) (int, error) {
	out, err := r.text(ctx, "rev-list", "--count", tip, "^"+not)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(out)
}

// Merge makes the tree of merging b into a. ok is false if they conflict.
func (r *Repo) Merge(ctx context.Context, a, b string) (tree string, ok bool, err error) {
	out, err := r.git(ctx, nil, "merge-tree", "--write-tree", "--no-messages", a, b)
	tree, _, _ = strings.Cut(string(out), "\n")
	if err != nil && len(tree) == 40 {
		return "", false, nil
	}
	return tree, err == nil, err
}

// Archive packs a commit's files below a folder, as "tar.gz".
func (r *Repo) Archive(ctx context.Context, commit, folder string) ([]byte, error) {
	return r.git(ctx, nil, "archive", "--format=tar.gz", "--prefix="+folder+"/", commit)
}
