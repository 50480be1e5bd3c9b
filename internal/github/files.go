package github

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	gh "github.com/google/go-github/v60/github"
)

// FileNow is the current state of a small file on a branch.
type FileNow struct {
	Found     bool
	Unchanged bool // since the given ETag
	ETag      string
	Text      []byte
}

// SmallFile reads a file of at most 1 MiB on a branch.
func (c *Client) SmallFile(ctx context.Context, r Repo, ref, path, etag string) (FileNow, error) {
	u := fmt.Sprintf("repos/%s/%s/contents/%s?ref=%s", r.Owner, r.Name, path, url.QueryEscape(ref))
	req, err := c.gh.NewRequest(http.MethodGet, u, nil)
	if err != nil {
		return FileNow{}, err
	}
	if etag != "" {
		req.Header.Set("If-None-Match", etag)
	}
	var content *gh.RepositoryContent
	resp, err := c.gh.Do(ctx, req, &content)
	switch {
	case resp != nil && resp.StatusCode == http.StatusNotModified:
		return FileNow{Unchanged: true, ETag: etag}, nil
	case missing(resp):
		return FileNow{}, nil
	case err != nil:
		return FileNow{}, err
	case content.GetType() != "file":
		return FileNow{}, nil
	}
	text, err := content.GetContent()
	return FileNow{Found: true, ETag: resp.Header.Get("ETag"), Text: []byte(text)}, err
}
