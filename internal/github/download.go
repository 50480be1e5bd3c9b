package github

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	gh "github.com/google/go-github/v60/github"
)

// ErrGone means that GitHub does not have the object (404), or no longer (410).
var ErrGone = errors.New("GitHub does not have it, or no longer")

// ErrLarge means that a download is larger than its limit. It is refused as a whole.
var ErrLarge = errors.New("the download is larger than its limit")

// noFurther bounds redirects of downloads. They have no credentials, and none leads from HTTPS to
// HTTP.
func (a *App) noFurther(r *http.Request, via []*http.Request) error {
	if len(via) > 3 || r.URL.Scheme != "https" && via[0].URL.Scheme == "https" {
		return http.ErrUseLastResponse
	}
	return nil
}

// download writes the content of a temporary address. The request has no credentials, since the
// host is not the API's.
func (c *Client) download(ctx context.Context, from *url.URL, w io.Writer, most int64) error {
	if from.Scheme != "https" && c.app.api.Scheme == "https" || from.Host == "" {
		return fmt.Errorf("the address %s://%s of a download is not encrypted", from.Scheme, from.Host)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, from.String(), nil)
	if err != nil {
		return errors.New("the address of a download is not valid")
	}
	resp, err := c.app.plain.Do(r)
	if err != nil {
		return withoutQuery(err)
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusGone || resp.StatusCode == http.StatusNotFound:
		return ErrGone
	case resp.StatusCode != http.StatusOK:
		return fmt.Errorf("a download from %s answered %s", from.Host, resp.Status)
	case resp.ContentLength > most:
		return fmt.Errorf("%w: %d MiB", ErrLarge, resp.ContentLength>>20)
	}
	n, err := io.Copy(w, io.LimitReader(resp.Body, most+1))
	if err == nil && n > most {
		err = fmt.Errorf("%w: more than %d MiB", ErrLarge, most>>20)
	}
	return withoutQuery(err)
}

// withoutQuery removes signatures in addresses from an error.
func withoutQuery(err error) error {
	var e *url.Error
	if !errors.As(err, &e) {
		return err
	}
	if u, perr := url.Parse(e.URL); perr == nil {
		u.RawQuery = ""
		e.URL = u.String()
	}
	return e
}

// link is the address of a download, from the results of a method of go-github.
func link(u *url.URL, resp *gh.Response, err error) (*url.URL, error) {
	if resp != nil && (resp.StatusCode == http.StatusGone || resp.StatusCode == http.StatusNotFound) {
		return nil, ErrGone
	}
	if err != nil {
		return nil, err
	}
	if u == nil || u.Host == "" {
		return nil, errors.New("GitHub gave no address for a download")
	}
	return u, nil
}

// JobLog writes a job's log.
func (c *Client) JobLog(ctx context.Context, r Repo, job int64, w io.Writer, most int64) error {
	u, err := link(c.on(r, readActions).Actions.GetWorkflowJobLogs(ctx, r.Owner, r.Name, job, 0))
	if err != nil {
		return err
	}
	return c.download(ctx, u, w, most)
}

// Artifact writes an artifact's zip file.
func (c *Client) Artifact(ctx context.Context, r Repo, id int64, w io.Writer, most int64) error {
	u, err := link(c.on(r, readActions).Actions.DownloadArtifact(ctx, r.Owner, r.Name, id, 0))
	if err != nil {
		return err
	}
	return c.download(ctx, u, w, most)
}

// Source writes a commit's sources as a gzip-compressed tar. Its token can only read this
// repository, so the archive's address gives access to nothing else.
func (c *Client) Source(ctx context.Context, r Repo, sha string, w io.Writer, most int64) error {
	if !isSHA(sha) {
		return fmt.Errorf("%q is not a commit", sha)
	}
	u, err := link(c.on(r, readContents).Repositories.GetArchiveLink(ctx, r.Owner, r.Name, gh.Tarball,
		&gh.RepositoryContentGetOptions{Ref: sha}, 0))
	if err != nil {
		return err
	}
	return c.download(ctx, u, w, most)
}
