package post

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/verdict"
	"github.com/odfix/odfix/templates"
)

// issueMarker is the first line of the issue that detections keep up to date.
const issueMarker = "<!-- odfix:detect -->"

// issue opens, updates or closes the one issue about the repository's order-dependent tests.
func (p *poster) issue(ctx context.Context, r *job.Report) error {
	if r.Error != nil {
		p.Say("The search failed, so the issue stays as it is.")
		return nil
	}
	accepted, err := p.accepted(ctx, p.SHA, r, 0)
	if err != nil {
		return err
	}
	old, err := p.oldIssue(ctx)
	if err != nil {
		return err
	}
	now, err := p.issueNow(ctx, r, accepted)
	if err != nil {
		return err
	}
	switch {
	case old == nil && !now.Open:
		p.Say("No order-dependent test was found, and there is no issue to close.")
		return nil
	case old == nil:
		now.Number, err = p.Client.OpenIssue(ctx, p.Repo, now)
	case !old.Open && !now.Open:
		p.Say("No order-dependent test was found; issue #%d is closed already.", old.Number)
		return nil
	default:
		now.Number = old.Number
		err = p.Client.UpdateIssue(ctx, p.Repo, now)
	}
	if github.Forbidden(err) {
		p.result.Refused = true
		p.Say("The token of this run may not write issues: give the job `issues: write`.")
		return nil
	}
	if err == nil {
		p.result.Posted++
		p.Say("Issue #%d is up to date (%s).", now.Number, map[bool]string{true: "open", false: "closed"}[now.Open])
	}
	return err
}

// oldIssue is the newest issue with the marker, an open one first; nil: there is none.
func (p *poster) oldIssue(ctx context.Context) (*github.Issue, error) {
	all, err := p.Client.OwnIssues(ctx, p.Repo)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(i github.Issue) bool { return !strings.HasPrefix(i.Body, issueMarker) })
	if len(all) == 0 {
		return nil, nil
	}
	if i := slices.IndexFunc(all, func(i github.Issue) bool { return i.Open }); i > 0 {
		return &all[i], nil
	}
	return &all[0], nil
}

// issueNow is the issue as the report asks for it.
func (p *poster) issueNow(ctx context.Context, r, accepted *job.Report) (github.Issue, error) {
	if r.Detection != nil { // of it, the texts need only that there is one
		of := *accepted
		of.Detection, accepted = &job.Detection{}, &of
	}
	found := slices.ContainsFunc(accepted.Tests, func(t job.TestReport) bool { return t.Verdict.OrderDependent() })
	plan, err := verdict.New(ctx, verdict.Input{
		Report: accepted, Config: config.Defaults(), HeadSHA: p.SHA, TestedSHA: p.SHA, Of: "this repository", Claimed: true,
	})
	if err != nil {
		return github.Issue{}, err
	}
	body := fmt.Sprintf("%s\n%s\n\n", issueMarker, templates.Prose(templates.Searched(r)))
	if found {
		body += plan.Check.Summary + "\n" + plan.Check.Text
	} else {
		body += "The last search found no order-dependent test.\n"
	}
	return github.Issue{Title: "Tests that depend on the order in which tests run", Body: body, Open: found}, nil
}
