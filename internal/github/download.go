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

// ErrGone: GitHub has it no more (410), or never had it (404).
var ErrGone = errors.New("GitHub does not have it any more")

// ErrLarge: a download beyond its bound, which is refused as a whole.
var ErrLarge = errors.New("it is larger than odfix reads")

// noFurther bounds redirects of downloads; they carry no credentials, and a
// connection that was encrypted stays so.
func (a *App) noFurther(r *http.Request, via []*http.Request) error {
	if len(via) > 3 || r.URL.Scheme != "https" && via[0].URL.Scheme == "https" {
		return http.ErrUseLastResponse
	}
	return nil
}

// download writes what an address holds that GitHub gave for a minute. It is asked
// for without credentials: the host is another one than the API's.
func (c *Client) download(ctx context.Context, from *url.URL, w io.Writer, most int64) error {
	if from.Scheme != "https" && c.app.api.Scheme == "https" || from.Host == "" {
		return fmt.Errorf("GitHub names %s://%s for a download, which is not encrypted", from.Scheme, from.Host)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, from.String(), nil)
	if err != nil {
		return errors.New("GitHub names an address for a download that is none")
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

// withoutQuery keeps signatures in addresses out of logs.
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

// link is where a download is, from one of go-github's methods that redirect.
func link(u *url.URL, resp *gh.Response, err error) (*url.URL, error) {
	if resp != nil && (resp.StatusCode == http.StatusGone || resp.StatusCode == http.StatusNotFound) {
		return nil, ErrGone
	}
	if err != nil {
		return nil, err
	}
	if u == nil || u.Host == "" {
		return nil, errors.New("GitHub names no address for a download")
	}
	return u, nil
}

// JobLog writes a job's log.
func (c *Client) JobLog(ctx context.Context, r Repo, job int64, w io.Writer, most int64) error {
	u, err := link(c.gh.Actions.GetWorkflowJobLogs(ctx, r.Owner, r.Name, job, 0))
	if err != nil {
		return err
	}
	return c.download(ctx, u, w, most)
}

// Artifact writes an artifact's zip file.
func (c *Client) Artifact(ctx context.Context, r Repo, id int64, w io.Writer, most int64) error {
	u, err := link(c.gh.Actions.DownloadArtifact(ctx, r.Owner, r.Name, id, 0))
	if err != nil {
		return err
	}
	return c.download(ctx, u, w, most)
}

// Source writes a commit's sources as a gzip-compressed tar. The token that is used
// can do nothing but read this repository, so that no more than its sources
// can be had through the archive's address.
func (c *Client) Source(ctx context.Context, r Repo, sha string, w io.Writer, most int64) error {
	if !isSHA(sha) {
		return fmt.Errorf("%q is not a commit", sha)
	}
	u, err := link(c.reader(r.ID).Repositories.GetArchiveLink(ctx, r.Owner, r.Name, gh.Tarball, &gh.RepositoryContentGetOptions{Ref: sha}, 0))
	if err != nil {
		return err
	}
	return c.download(ctx, u, w, most)
}
