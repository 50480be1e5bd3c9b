package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	gh "github.com/google/go-github/v60/github"
)

// FileNow is the current state of a small file on a branch.
type FileNow struct {
	Found     bool
	Unchanged bool // since the given ETag
	ETag      string
	Text      []byte
}

// ErrPath means that a path names no file of a repository. No request is sent for it.
var ErrPath = errors.New("the path is not one of a file in a repository")

// Unreadable reports whether GitHub refuses to send a file each time: for its path, or its size.
func Unreadable(err error) bool {
	var e *gh.ErrorResponse
	if !errors.As(err, &e) || e.Response == nil {
		return errors.Is(err, ErrPath) || errors.Is(err, ErrLarge)
	}
	code := e.Response.StatusCode
	return code/100 == 4 && code != http.StatusUnauthorized && code != http.StatusForbidden && code != http.StatusTooManyRequests
}

// contents is the address of a file. Each part of the path is escaped, so that no path leads to
// another address.
func contents(r Repo, ref, path string) (string, error) {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		if p == "" || p == "." || p == ".." || strings.ContainsRune(p, 0) {
			return "", fmt.Errorf("%w: %.200q", ErrPath, path)
		}
		parts[i] = url.PathEscape(p)
	}
	return fmt.Sprintf("repos/%s/%s/contents/%s?ref=%s", url.PathEscape(r.Owner), url.PathEscape(r.Name),
		strings.Join(parts, "/"), url.QueryEscape(ref)), nil
}

// SmallFile reads a file of at most 1 MiB on a branch.
func (c *Client) SmallFile(ctx context.Context, r Repo, ref, path, etag string) (FileNow, error) {
	return c.smallFile(ctx, c.on(r, readContents), r, ref, path, etag)
}

// OrganisationFile reads a file of the repository .github of the owner. If the App is not installed
// on that repository, a token for r reads it, which can read public repositories.
func (c *Client) OrganisationFile(ctx context.Context, r Repo, ref, path, etag string) (FileNow, error) {
	theirs := Repo{Owner: r.Owner, Name: ".github"}
	f, err := c.SmallFile(ctx, theirs, ref, path, etag)
	if err != nil || f.Found || f.Unchanged {
		return f, err
	}
	f, err = c.smallFile(ctx, c.on(r, readContents), theirs, ref, path, etag)
	if Forbidden(err) {
		return FileNow{}, nil // it is private, or there is none
	}
	return f, err
}

func (c *Client) smallFile(ctx context.Context, client *gh.Client, r Repo, ref, path, etag string) (FileNow, error) {
	u, err := contents(r, ref, path)
	if err != nil {
		return FileNow{}, err
	}
	req, err := client.NewRequest(http.MethodGet, u, nil)
	if err != nil {
		return FileNow{}, err
	}
	if etag != "" {
		req.Header.Set("If-None-Match", etag)
	}
	var content *gh.RepositoryContent
	var folder *json.UnmarshalTypeError // GitHub sends a list
	resp, err := client.Do(ctx, req, &content)
	switch {
	case resp != nil && resp.StatusCode == http.StatusNotModified:
		return FileNow{Unchanged: true, ETag: etag}, nil
	case missing(resp), errors.As(err, &folder) && folder.Value == "array":
		return FileNow{}, nil
	case err != nil:
		return FileNow{}, err
	case content.GetType() != "file":
		return FileNow{}, nil
	}
	if content.GetEncoding() == "none" { // GitHub sends no content of files beyond 1 MiB
		return FileNow{}, fmt.Errorf("%w: %s has more than 1 MiB", ErrLarge, path)
	}
	text, err := content.GetContent()
	return FileNow{Found: true, ETag: resp.Header.Get("ETag"), Text: []byte(text)}, err
}
