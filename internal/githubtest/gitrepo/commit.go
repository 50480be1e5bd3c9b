package gitrepo

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"time"
)

// Person signs a commit.
type Person struct {
	Name  string
	Email string
	When  time.Time
}

// Change is what happens to one path. Mode is git's ("100644" when empty); a
// nil Content removes the path, unless Sha names a blob that is there already.
type Change struct {
	Path    string
	Mode    string
	Content []byte
	Sha     string
}

// Snapshot makes a tree of the files below dir, leaving out what its
// .gitignore files say, as a first commit of them would.
func (r *Repo) Snapshot(ctx context.Context, dir string) (string, error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return r.withIndex(func(env []string) (string, error) {
		env = append(env, "GIT_DIR="+absolute(r.Dir), "GIT_WORK_TREE="+full)
		if _, err := r.gitWith(ctx, env, nil, "-C", full, "add", "--all", "."); err != nil {
			return "", err
		}
		return r.writeTree(ctx, env)
	})
}

func absolute(dir string) string {
	if full, err := filepath.Abs(dir); err == nil {
		return full
	}
	return dir
}

// Tree makes a tree of base (a commit or tree, or "" for an empty one) and changes.
func (r *Repo) Tree(ctx context.Context, base string, changes []Change) (string, error) {
	return r.withIndex(func(env []string) (string, error) {
		if base != "" {
			if _, err := r.gitWith(ctx, env, nil, "read-tree", base); err != nil {
				return "", err
			}
		}
		info, err := r.indexInfo(ctx, changes)
		if err != nil {
			return "", err
		}
		if _, err := r.gitWith(ctx, env, info, "update-index", "-z", "--index-info"); err != nil {
			return "", err
		}
		return r.writeTree(ctx, env)
	})
}

func (r *Repo) indexInfo(ctx context.Context, changes []Change) ([]byte, error) {
	var b bytes.Buffer
	for _, c := range changes {
		if !goodPath(c.Path) {
			return nil, fmt.Errorf("%q is no path in a repository", c.Path)
		}
		mode, sha := c.Mode, c.Sha
		if mode == "" {
			mode = "100644"
		}
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
	for _, part := range strings.Split(p, "/") {
		if part == ".." || strings.EqualFold(part, ".git") {
			return false
		}
	}
	return true
}

func (r *Repo) withIndex(use func(env []string) (string, error)) (string, error) {
	dir, err := os.MkdirTemp(r.Dir, "index-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a scratch file inside the repository that goes with it
	return use([]string{"GIT_INDEX_FILE=" + filepath.Join(absolute(dir), "index")})
}

func (r *Repo) writeTree(ctx context.Context, env []string) (string, error) {
	out, err := r.gitWith(ctx, env, nil, "write-tree")
	return strings.TrimSpace(string(out)), err
}

// WriteBlob stores a file's bytes.
func (r *Repo) WriteBlob(ctx context.Context, content []byte) (string, error) {
	out, err := r.git(ctx, content, "hash-object", "-w", "--stdin")
	return strings.TrimSpace(string(out)), err
}

// Commit makes a commit of a tree; it belongs to no branch yet.
func (r *Repo) Commit(ctx context.Context, tree, message string, author, committer Person, parents ...string) (string, error) {
	args := []string{"commit-tree", tree}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	env := append(signature("AUTHOR", author), signature("COMMITTER", committer)...)
	out, err := r.gitWith(ctx, env, []byte(message), args...)
	return strings.TrimSpace(string(out)), err
}

func signature(role string, p Person) []string {
	return []string{"GIT_" + role + "_NAME=" + p.Name, "GIT_" + role + "_EMAIL=" + p.Email,
		"GIT_" + role + "_DATE=" + p.When.UTC().Format(time.RFC3339)}
}

// SetRef points a full reference name at a commit.
func (r *Repo) SetRef(ctx context.Context, ref, sha string) error {
	_, err := r.git(ctx, nil, "update-ref", "--", ref, sha)
	return err
}

// DeleteRef removes a full reference name.
func (r *Repo) DeleteRef(ctx context.Context, ref string) error {
	_, err := r.git(ctx, nil, "update-ref", "-d", "--", ref)
	return err
}

// GoodRef says whether git takes the name for a full reference.
func (r *Repo) GoodRef(ctx context.Context, ref string) bool {
	if strings.HasPrefix(ref, "-") {
		return false
	}
	_, err := r.git(ctx, nil, "check-ref-format", ref)
	return err == nil
}

// Ref is a reference and the object it points at.
type Ref struct {
	Name string
	Sha  string
	Type string
}

// Refs lists the references that start with a prefix, such as "refs/heads/".
func (r *Repo) Refs(ctx context.Context, prefix string) ([]Ref, error) {
	out, err := r.text(ctx, "for-each-ref", "--format=%(refname) %(objectname) %(objecttype)")
	if err != nil {
		return nil, err
	}
	var refs []Ref
	for _, line := range strings.Split(out, "\n") {
		f := strings.Fields(line)
		if len(f) == 3 && strings.HasPrefix(f[0], prefix) {
			refs = append(refs, Ref{f[0], f[1], f[2]})
		}
	}
	sort.Slice(refs, func(i, j int) bool { return refs[i].Name < refs[j].Name })
	return refs, nil
}
