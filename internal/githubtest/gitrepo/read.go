package gitrepo

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Commit is what git knows of one.
type Commit struct {
	Sha       string
	Tree      string
	Parents   []string
	Author    Person
	Committer Person
	Message   string
}

const commitFormat = "--format=%H%x00%T%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00%B%x1e"

// Resolve finds the commit that a sha, branch, tag or full reference names.
func (r *Repo) Resolve(ctx context.Context, name string) (string, error) {
	if name == "" || strings.HasPrefix(name, "-") || strings.ContainsAny(name, "^~:@{ \x00") {
		return "", ErrNotFound
	}
	for _, try := range tries(name) {
		sha, err := r.text(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", try+"^{commit}")
		if err == nil {
			return sha, nil
		}
	}
	return "", ErrNotFound
}

// tries are the full names that a short one may stand for, the likeliest first:
// each costs a process.
func tries(name string) []string {
	all := []string{"refs/heads/" + name, "refs/tags/" + name, "refs/" + name, name}
	for _, prefix := range []string{"heads/", "tags/", "pull/"} {
		if strings.HasPrefix(name, prefix) {
			return []string{"refs/" + name, "refs/heads/" + name, "refs/tags/" + name}
		}
	}
	if len(name) == 40 && strings.Trim(name, "0123456789abcdef") == "" {
		return []string{name}
	}
	return all
}

// ReadCommit reads one commit.
func (r *Repo) ReadCommit(ctx context.Context, sha string) (Commit, error) {
	out, err := r.git(ctx, nil, "log", "-1", commitFormat, "--end-of-options", sha)
	if err != nil {
		return Commit{}, ErrNotFound
	}
	all, err := parseCommits(string(out))
	if err != nil || len(all) != 1 {
		return Commit{}, fmt.Errorf("git log of %s cannot be read: %v", sha, err)
	}
	return all[0], nil
}

// Log lists at most limit commits that tips reach and that not, if given, does
// not reach, newest first; path narrows it to commits that touch it.
func (r *Repo) Log(ctx context.Context, tip, not, path string, limit int) ([]Commit, error) {
	args := []string{"log", commitFormat, "--topo-order", "-n", strconv.Itoa(limit), "--end-of-options", tip}
	if not != "" {
		args = append(args, "^"+not)
	}
	args = append(args, "--")
	if path != "" {
		args = append(args, ":(literal)"+path)
	}
	out, err := r.git(ctx, nil, args...)
	if err != nil {
		return nil, err
	}
	return parseCommits(string(out))
}

func parseCommits(out string) ([]Commit, error) {
	var all []Commit
	for _, record := range strings.Split(out, "\x1e") {
		record = strings.TrimPrefix(record, "\n")
		if record == "" {
			continue
		}
		f := strings.Split(record, "\x00")
		if len(f) != 10 {
			return nil, fmt.Errorf("a commit with %d fields", len(f))
		}
		c := Commit{Sha: f[0], Tree: f[1], Parents: strings.Fields(f[2]), Message: strings.TrimRight(f[9], "\n")}
		c.Author = person(f[3], f[4], f[5])
		c.Committer = person(f[6], f[7], f[8])
		all = append(all, c)
	}
	return all, nil
}

func person(name, email, when string) Person {
	t, _ := time.Parse(time.RFC3339, when) // git wrote it
	return Person{name, email, t.UTC()}
}

// Entry is one line of a tree.
type Entry struct {
	Path string
	Mode string
	Type string
	Sha  string
	Size int64 // bytes, of blobs
}

// ReadTree lists a tree or a commit's tree, its folders too when it descends.
func (r *Repo) ReadTree(ctx context.Context, tree string, descend bool) ([]Entry, error) {
	args := []string{"ls-tree", "-z", "--long"}
	if descend {
		args = append(args, "-r", "-t")
	}
	out, err := r.git(ctx, nil, append(args, "--end-of-options", tree)...)
	if err != nil {
		return nil, ErrNotFound
	}
	var all []Entry
	for _, line := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		head, path, ok := strings.Cut(line, "\t")
		f := strings.Fields(head)
		if !ok || len(f) != 4 {
			continue // an empty tree
		}
		size, _ := strconv.ParseInt(f[3], 10, 64) // "-" of a folder is 0
		all = append(all, Entry{Path: path, Mode: f[0], Type: f[1], Sha: f[2], Size: size})
	}
	return all, nil
}

// Entry finds what lies at a path in a commit.
func (r *Repo) Entry(ctx context.Context, commit, path string) (Entry, error) {
	if path == "" {
		sha, err := r.text(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", commit+"^{tree}")
		if err != nil {
			return Entry{}, ErrNotFound
		}
		return Entry{Type: "tree", Mode: "040000", Sha: sha}, nil
	}
	out, err := r.git(ctx, nil, "ls-tree", "-z", "--long", "--full-tree", "--end-of-options", commit, "--", path)
	head, name, ok := strings.Cut(strings.TrimSuffix(string(out), "\x00"), "\t")
	f := strings.Fields(head)
	if err != nil || !ok || len(f) != 4 {
		return Entry{}, ErrNotFound
	}
	size, _ := strconv.ParseInt(f[3], 10, 64) // "-" of a folder is 0
	return Entry{Path: name, Mode: f[0], Type: f[1], Sha: f[2], Size: size}, nil
}

// Blob reads a file's bytes.
func (r *Repo) Blob(ctx context.Context, sha string) ([]byte, error) {
	out, err := r.git(ctx, nil, "cat-file", "blob", "--end-of-options", sha)
	if err != nil {
		// Older gits take no --end-of-options here; a sha never looks like an option.
		if out, err = r.git(ctx, nil, "cat-file", "blob", strings.TrimLeft(sha, "-")); err != nil {
			return nil, ErrNotFound
		}
	}
	return out, nil
}

// File reads the bytes at a path in a commit.
func (r *Repo) File(ctx context.Context, commit, path string) ([]byte, error) {
	e, err := r.Entry(ctx, commit, path)
	if err != nil || e.Type != "blob" {
		return nil, ErrNotFound
	}
	return r.Blob(ctx, e.Sha)
}

// Kind is the type of an object: commit, tree, blob or tag.
func (r *Repo) Kind(ctx context.Context, sha string) (string, error) {
	if strings.HasPrefix(sha, "-") {
		return "", ErrNotFound
	}
	kind, err := r.text(ctx, "cat-file", "-t", sha)
	if err != nil {
		return "", ErrNotFound
	}
	return kind, nil
}

// MergeBase is the best common ancestor.
func (r *Repo) MergeBase(ctx context.Context, a, b string) (string, error) {
	sha, err := r.text(ctx, "merge-base", a, b)
	if err != nil {
		return "", ErrNotFound
	}
	return sha, nil
}

// Count is how many commits tip reaches that not does not.
func (r *Repo) Count(ctx context.Context, tip, not string) (int, error) {
	out, err := r.text(ctx, "rev-list", "--count", tip, "^"+not)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(out)
}

// Merge makes the tree that merging b into a gives; ok is false where they conflict.
func (r *Repo) Merge(ctx context.Context, a, b string) (tree string, ok bool, err error) {
	out, err := r.git(ctx, nil, "merge-tree", "--write-tree", "--no-messages", a, b)
	tree, _, _ = strings.Cut(string(out), "\n")
	if err != nil && len(tree) == 40 {
		return "", false, nil
	}
	return tree, err == nil, err
}

// Checkout writes a commit's files into a folder.
func (r *Repo) Checkout(ctx context.Context, commit, dir string) error {
	full, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	_, err = r.withIndex(func(env []string) (string, error) {
		if _, err := r.gitWith(ctx, env, nil, "read-tree", commit); err != nil {
			return "", err
		}
		env = append(env, "GIT_DIR="+absolute(r.Dir), "GIT_WORK_TREE="+full)
		_, err := r.gitWith(ctx, env, nil, "-C", full, "checkout-index", "--all", "--force")
		return "", err
	})
	return err
}

// Archive packs a commit's files as "tar.gz" or "zip", below a folder.
func (r *Repo) Archive(ctx context.Context, commit, format, folder string) ([]byte, error) {
	return r.git(ctx, nil, "archive", "--format="+format, "--prefix="+folder+"/", commit)
}
