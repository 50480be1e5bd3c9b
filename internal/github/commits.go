package github

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	gh "github.com/google/go-github/v60/github"
)

// Change is the content of a new commit.
type Change struct {
	Parent  string
	Message string
	Files   map[string]string // whole contents, by path
	Removed []string
}

// ErrNotFile means that a path is there, and is no regular file.
var ErrNotFile = errors.New("the commit has something else than a regular file there")

// Commit makes a commit. No branch contains it yet. Existing files keep their mode. The error is
// ErrNotFile if the parent has a symbolic link, say, where a file is to be changed, or may have one.
func (c *Client) Commit(ctx context.Context, r Repo, ch Change) (string, error) {
	modes, err := c.modes(ctx, r, ch.Parent)
	if err != nil {
		return "", err
	}
	var entries []*gh.TreeEntry
	for _, path := range slices.Sorted(maps.Keys(ch.Files)) {
		if !mayBeFile(modes, path) {
			return "", fmt.Errorf("%s: %w", path, ErrNotFile)
		}
		// Base64, since a file can have other bytes than UTF-8.
		text := base64.StdEncoding.EncodeToString([]byte(ch.Files[path]))
		blob, _, err := c.on(r, writeContents).Git.CreateBlob(ctx, r.Owner, r.Name,
			&gh.Blob{Content: gh.String(text), Encoding: gh.String("base64")})
		if err != nil {
			return "", err
		}
		mode := cmp.Or(modes[path], "100644")
		entries = append(entries, &gh.TreeEntry{Path: gh.String(path), Mode: gh.String(mode), Type: gh.String("blob"), SHA: blob.SHA})
	}
	for _, path := range ch.Removed {
		entries = append(entries, &gh.TreeEntry{Path: gh.String(path), Mode: gh.String("100644"), Type: gh.String("blob")})
	}
	tree, _, err := c.on(r, writeContents).Git.CreateTree(ctx, r.Owner, r.Name, ch.Parent, entries)
	if err != nil {
		return "", err
	}
	k, _, err := c.on(r, writeContents).Git.CreateCommit(ctx, r.Owner, r.Name,
		&gh.Commit{Message: gh.String(ch.Message), Tree: tree, Parents: []*gh.Commit{{SHA: gh.String(ch.Parent)}}}, nil)
	return k.GetSHA(), err
}

// mayBeFile reports whether a path is that of a regular file, or of nothing yet, and those above it
// are folders.
func mayBeFile(modes map[string]string, path string) bool {
	if mode := modes[path]; mode != "" && mode != "100644" && mode != "100755" {
		return false
	}
	for i, c := range path {
		if mode := modes[path[:i]]; c == '/' && mode != "" && mode != "040000" {
			return false
		}
	}
	return true
}

// modes returns the modes of what a commit holds. If GitHub's list is incomplete, the error is
// ErrNotFile, since nobody knows what the rest is.
func (c *Client) modes(ctx context.Context, r Repo, sha string) (map[string]string, error) {
	t, resp, err := c.on(r, readContents).Git.GetTree(ctx, r.Owner, r.Name, sha, true)
	if err = gone(resp, err); err != nil {
		return nil, err
	}
	out := map[string]string{}
	if t.GetTruncated() {
		return nil, fmt.Errorf("the list of the commit's files is not complete: %w", ErrNotFile)
	}
	for _, e := range t.Entries {
		out[e.GetPath()] = e.GetMode()
	}
	return out, nil
}

// MakeBranch makes a branch for a commit, or moves an existing one. It refuses branches without
// odfix's prefix.
func (c *Client) MakeBranch(ctx context.Context, r Repo, branch, sha string) error {
	if !strings.HasPrefix(branch, "odfix/") {
		return fmt.Errorf("%q is not a branch of odfix", branch)
	}
	ref := &gh.Reference{Ref: gh.String("refs/heads/" + branch), Object: &gh.GitObject{SHA: gh.String(sha)}}
	_, _, err := c.on(r, writeContents).Git.CreateRef(ctx, r.Owner, r.Name, ref)
	if Unprocessable(err) {
		_, _, err = c.on(r, writeContents).Git.UpdateRef(ctx, r.Owner, r.Name, ref, true)
	}
	return err
}

// Advance moves a branch to a commit on top of it. It fails if the branch has another new commit.
func (c *Client) Advance(ctx context.Context, r Repo, branch, sha string) error {
	_, resp, err := c.on(r, writeContents).Git.UpdateRef(ctx, r.Owner, r.Name,
		&gh.Reference{Ref: gh.String("refs/heads/" + branch), Object: &gh.GitObject{SHA: gh.String(sha)}}, false)
	return gone(resp, err)
}

// OwnPull returns the open pull request from a branch of the repository; 0: none.
func (c *Client) OwnPull(ctx context.Context, r Repo, branch string) (int64, error) {
	list, err := c.pulls(ctx, r, gh.PullRequestListOptions{State: "open", Head: r.Owner + ":" + branch})
	for _, p := range list {
		if p.HeadRef == branch && p.HeadRepository == r.ID {
			return p.Number, err
		}
	}
	return 0, err
}

// OpenPull opens a pull request between two branches of the repository.
func (c *Client) OpenPull(ctx context.Context, r Repo, head, base, title, body string) (int64, error) {
	if head == base {
		return 0, errors.New("a pull request needs two branches")
	}
	p, _, err := c.on(r, writePulls).PullRequests.Create(ctx, r.Owner, r.Name,
		&gh.NewPullRequest{Title: gh.String(Cut(title, 250)), Head: gh.String(head), Base: gh.String(base),
			Body: gh.String(CutMarkdown(body, maxComment))})
	return int64(p.GetNumber()), err
}
