package github

import (
	"context"
	"strings"

	gh "github.com/google/go-github/v60/github"
)

// OtherCheck is a failed check run of another App.
type OtherCheck struct {
	ID   int64
	Name string
	URL  string
}

// mostNotes bounds the annotations read of one check run.
const mostNotes = 500

// RedChecks returns the newest failed check runs on a commit that have annotations, without those
// of odfix.
func (c *Client) RedChecks(ctx context.Context, r Repo, sha string) ([]OtherCheck, error) {
	o := gh.ListCheckRunsOptions{Status: gh.String("completed"), Filter: gh.String("latest")}
	var out []OtherCheck
	err := c.checkRuns(ctx, r, sha, &o, func(k *gh.CheckRun) {
		if k.GetOutput().GetAnnotationsCount() > 0 && Red(k.GetConclusion()) && k.GetApp().GetID() != c.app.o.ID {
			out = append(out, OtherCheck{k.GetID(), k.GetName(), k.GetHTMLURL()})
		}
	})
	return out, err
}

// beginning is the part of an annotation's text that can name a test.
func beginning(s string) string {
	const most = 4 << 10
	return strings.Clone(s[:min(len(s), most)])
}

// Notes returns a check run's annotations of failures, with the beginnings of their texts.
func (c *Client) Notes(ctx context.Context, r Repo, id int64) ([]Annotation, error) {
	var o gh.ListOptions
	var out []Annotation
	err := pages(&o, func() (*gh.Response, error) {
		list, resp, err := c.on(r, readChecks).Checks.ListCheckRunAnnotations(ctx, r.Owner, r.Name, id, &o)
		for _, a := range list {
			if a.GetAnnotationLevel() == "failure" {
				out = append(out, Annotation{beginning(a.GetPath()), a.GetStartLine(), a.GetEndLine(), a.GetAnnotationLevel(),
					beginning(a.GetTitle()), beginning(a.GetMessage())})
			}
		}
		if len(out) >= mostNotes && resp != nil {
			resp.NextPage = 0
		}
		return resp, err
	})
	return out, err
}
