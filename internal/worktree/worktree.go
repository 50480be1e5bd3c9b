// Package worktree asks git about a checkout: its commit, and what has changed since another one.
package worktree

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/odfix/odfix/internal/job"
)

// limit is the time limit for git.
const limit = time.Minute

// Revision returns the git commit that is checked out in a folder. It returns "" if the folder is
// not the top of a work tree, has no commit yet, or if there is no git.
func Revision(ctx context.Context, dir string) string {
	if _, err := os.Stat(filepath.Join(dir, ".git")); err != nil {
		return ""
	}
	commit, _ := commit(ctx, dir, "HEAD")
	return commit
}

// BranchPoint returns the commit at which the checked out branch left the default branch of the
// remote "origin". Without such a remote, or on its default branch, it is the checked out commit. It
// returns "" if the folder is in no work tree, has no commit yet, or if there is no git.
func BranchPoint(ctx context.Context, dir string) string {
	if at, err := git(ctx, dir, "merge-base", "HEAD", "refs/remotes/origin/HEAD"); err == nil {
		return strings.TrimSpace(at)
	}
	at, _ := commit(ctx, dir, "HEAD")
	return at
}

// ChangedFiles returns the files that differ from a revision, including files that are not tracked
// yet. Paths are relative to the top of the work tree, with '/'. Its errors are of type *job.Error if
// a person can do something about them.
func ChangedFiles(ctx context.Context, dir, rev string) ([]string, error) {
	since, err := known(ctx, dir, rev)
	if err != nil {
		return nil, err
	}
	tracked, err := git(ctx, dir, "diff", "--name-only", "--no-ext-diff", "-z", since, "--")
	if err != nil {
		return nil, err
	}
	top, err := git(ctx, dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	fresh, err := git(ctx, strings.TrimRight(top, "\r\n"), "ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return nil, err
	}
	var out []string
	for _, f := range strings.Split(tracked+fresh, "\x00") {
		if f != "" {
			out = append(out, path.Clean(f))
		}
	}
	return out, nil
}

// Diff returns the change of the tracked files since a revision as a unified diff. A renamed file is
// a removed one and a new one. Errors are as of ChangedFiles.
func Diff(ctx context.Context, dir, rev string) (string, error) {
	since, err := known(ctx, dir, rev)
	if err != nil {
		return "", err
	}
	return git(ctx, dir, "-c", "diff.suppressBlankEmpty=false", "diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "-U3",
		"--submodule=short", "--src-prefix=a/", "--dst-prefix=b/", since, "--")
}

// known is the commit of a revision that a person has named.
func known(ctx context.Context, dir, rev string) (string, error) {
	if _, err := git(ctx, dir, "rev-parse", "--is-inside-work-tree"); err != nil {
		return "", &job.Error{Code: "no-git", Message: dir +
			" is not in a git work tree, so changes are not known: " + err.Error(), Hint: "Leave out --changed-since."}
	}
	at, err := commit(ctx, dir, rev)
	if err != nil {
		return "", &job.Error{Code: "no-such-revision", Message: fmt.Sprintf("git knows no revision %q", rev),
			Hint: "Name a commit, a branch or a tag; in a shallow clone, fetch it first (git fetch origin " +
				strings.TrimPrefix(rev, "origin/") + ")."}
	}
	return at, nil
}

func commit(ctx context.Context, dir, rev string) (string, error) {
	at, err := git(ctx, dir, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	return strings.TrimSpace(at), err
}

// git runs git. It neither fetches nor asks, and no monitor or tool for diffs of the work tree's own
// configuration runs. Filters of that configuration may.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir, "-c", "core.fsmonitor=false", "-c",
		"diff.relative=false"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		return "", errors.New(cmp.Or(first, err.Error()))
	}
	return string(out), nil
}
