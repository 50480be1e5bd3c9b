// Package post posts reports from a workflow run of GitHub Actions, with the run's own token: on the
// pull requests of the run, or as one issue about a detection.
//
// A report comes from a run of project code, so it is hostile. Invariants: package accept makes a
// new report of what the sources of the tested commit confirm. The pull request is never named by
// the report: it follows from the event's commit and GitHub's API. Nothing is called proved, since
// no independent runner has proved it. What the token may not do is left out, and said.
package post

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/accept"
	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/pull"
	"github.com/odfix/odfix/internal/verdict"
)

// Options are for Run. Token, Repository and Event are required.
type Options struct {
	Token      string // GITHUB_TOKEN
	API        string // GITHUB_API_URL; empty: github.com's
	Repository string // GITHUB_REPOSITORY: OWNER/NAME
	Event      Event
	SHA        string        // GITHUB_SHA: the commit of a push or of a nightly run
	Reports    []*job.Report // of this run; none: the event's run has them as artifacts
	Artifact   string        // how the names of artifacts with reports begin
	Args       []string      // the build's options that odfix fix got
	Say        func(format string, args ...any)
	Wait       time.Duration // between two questions whether GitHub has the test merge; 0: 3 seconds
}

// Result is what became of the reports.
type Result struct {
	Posted  int  // places that were written
	Refused bool // the token may not write, as in a pull request of a fork
}

// poster posts reports.
type poster struct {
	Options
	pull.Place
	result Result
}

// Run posts the reports. Errors are those of GitHub and of the network, and artifacts that are
// refused.
func Run(ctx context.Context, o Options) (Result, error) {
	client, err := github.NewWorkflowClient(github.WorkflowOptions{Token: o.Token, API: o.API})
	if err != nil {
		return Result{}, err
	}
	repo, err := github.RepoOf(o.Event.Repository.ID, o.Repository)
	if err != nil {
		return Result{}, err
	}
	if o.Wait <= 0 {
		o.Wait = 3 * time.Second
	}
	p := poster{Options: o, Place: pull.Place{Client: client, Repo: repo}}
	if o.Event.ofOtherRun() && o.Event.Run.Conclusion == "success" {
		return p.result, p.settle(ctx)
	}
	if len(o.Reports) == 0 {
		if p.Reports, err = p.download(ctx); err != nil {
			return p.result, err
		}
	}
	for _, r := range p.Reports {
		if err := p.report(ctx, r); err != nil {
			return p.result, err
		}
	}
	return p.result, nil
}

// report posts one report.
func (p *poster) report(ctx context.Context, r *job.Report) error {
	pulls, headSHA, err := p.pulls(ctx)
	if err != nil {
		return err
	}
	if len(pulls) == 0 && r.Detection != nil && !p.Event.ofOtherRun() {
		return p.issue(ctx, r)
	}
	if len(pulls) == 0 {
		p.Say("No open pull request has the commit %.10s as its head: nothing is posted.", headSHA)
	}
	for i := range pulls {
		err := p.onPull(ctx, &pulls[i], headSHA, r)
		switch {
		case errors.Is(err, pull.ErrMoved):
			p.Say("Pull request #%d is closed or has another head now: nothing is posted.", pulls[i].Number)
		case err != nil:
			return fmt.Errorf("pull request #%d: %w", pulls[i].Number, err)
		}
	}
	return nil
}

// pulls are the pull requests that the event is about, and the head that was tested.
func (p *poster) pulls(ctx context.Context) ([]github.Pull, string, error) {
	e := p.Event
	switch {
	case e.PullRequest.Number > 0:
		one, err := p.Client.Pull(ctx, p.Repo, e.PullRequest.Number)
		return []github.Pull{one}, e.PullRequest.Head.SHA, err
	case e.ofOtherRun():
		// The run's own list of pull requests is empty for forks.
		list, err := p.Client.PullsAt(ctx, p.Repo, e.Run.HeadSHA, e.Run.HeadRepository.Owner.Login, e.Run.HeadBranch)
		// Another pull request may have the same head: that of somebody who adopted the commit.
		list = slices.DeleteFunc(list, func(at github.Pull) bool {
			return e.Run.HeadRepository.ID == 0 || at.HeadRepository != e.Run.HeadRepository.ID || at.HeadRef != e.Run.HeadBranch
		})
		return list, e.Run.HeadSHA, err
	case e.Name == "push":
		list, err := p.Client.PullsAt(ctx, p.Repo, p.SHA, "", "")
		return list, p.SHA, err
	}
	return nil, p.SHA, nil
}

// onPull posts a report on a pull request.
func (p *poster) onPull(ctx context.Context, at *github.Pull, headSHA string, r *job.Report) error {
	if !at.Open || at.HeadSHA != headSHA {
		return pull.ErrMoved
	}
	cfg, err := p.config(ctx, at.BaseRef)
	if err != nil {
		return err
	}
	if len(cfg.Problems) > 0 {
		p.Say("Nothing is posted until .odfix.yml can be read: %q", cfg.Problems[0].String())
		return nil
	}
	if !cfg.Config.Enabled {
		p.Say("Nothing is posted: .odfix.yml disables odfix.")
		return nil
	}
	sha, err := p.tested(ctx, at, r)
	if err != nil {
		return err
	}
	accepted, err := p.accepted(ctx, sha, r, at.Number)
	if err != nil {
		return err
	}
	t := pull.Publication{Place: p.Place, Pull: at, HeadSHA: headSHA, Tested: sha, Report: accepted, Config: cfg.Config, Claimed: true,
		Once: searching, Log: zap.NewNop()}
	id, err := p.check(ctx, &t)
	if err != nil {
		return err
	}
	said, err := t.Post(ctx)
	if err != nil {
		return err
	}
	if id != 0 {
		c := pull.CheckOf(said)
		c.ExternalID, c.Status = checkMarker, "completed"
		if err := p.Client.UpdateCheck(ctx, p.Repo, id, c); err != nil {
			return err
		}
	}
	p.tell(at.Number, id != 0, t.Refused)
	return nil
}

// settle marks the comments of earlier heads as settled, if all of CI is green on this one.
func (p *poster) settle(ctx context.Context) error {
	pulls, headSHA, err := p.pulls(ctx)
	if err != nil || len(pulls) == 0 {
		return err
	}
	ci, err := pull.ReadCI(ctx, p.Place, headSHA)
	if err != nil {
		return err
	}
	pulls = slices.DeleteFunc(pulls, func(at github.Pull) bool { return !ci.Green(at.HeadRepository) })
	if len(pulls) == 0 {
		return nil
	}
	// If CI failed on this very commit before, another order made it green, not a fix.
	if id, err := p.Client.FindCheck(ctx, p.Repo, headSHA, checkMarker); err != nil || id != 0 {
		return err
	}
	for _, at := range pulls {
		n, err := pull.Settle(ctx, p.Place, at.Number, headSHA, "")
		if errors.Is(err, pull.ErrMoved) {
			continue // the new head's CI decides
		}
		if err != nil {
			return err
		}
		if n > 0 {
			p.result.Posted++
			p.Say("Pull request #%d: CI is green again, and its comments say so.", at.Number)
		}
	}
	return nil
}

// tell says what was posted.
func (p *poster) tell(number int64, checked bool, refused error) {
	switch {
	case github.Forbidden(refused) || !checked && refused == nil:
		p.result.Refused = true
		p.Say("Pull request #%d: the token of this run may not write all of it, as in a run of a fork's pull request. "+
			"The report is kept as an artifact, which a workflow_run workflow can post (docs/ci.md).", number)
	case refused != nil:
		p.Say("Pull request #%d: GitHub took no comment: %q", number, refused.Error())
	default:
		p.Say("Pull request #%d: the report is posted.", number)
	}
	if checked || refused == nil {
		p.result.Posted++
	}
}

// searching writes what is not there yet.
func searching(_ context.Context, _ verdict.Marker, find, write func() (int64, error)) (int64, error) {
	id, err := find()
	if err != nil || id != 0 {
		return id, err
	}
	return write()
}

// checkMarker identifies the check run of odfix among those of GitHub Actions.
const checkMarker = "odfix-action"

// check makes the check run, or finds it; 0: the token may not.
func (p *poster) check(ctx context.Context, t *pull.Publication) (int64, error) {
	id, err := p.Client.FindCheck(ctx, p.Repo, t.HeadSHA, checkMarker)
	if err == nil && id == 0 {
		id, err = p.Client.CreateCheck(ctx, p.Repo, github.Check{HeadSHA: t.HeadSHA, ExternalID: checkMarker, Status: "in_progress",
			Title: "odfix posts its report", Summary: "A moment."})
	}
	if github.Forbidden(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	now, err := p.Client.ReadCheck(ctx, p.Repo, id)
	t.CheckURL = now.URL
	return id, err
}

// mostWaits bounds how often GitHub is asked for the test merge.
const mostWaits = 20

// tested is the commit that the run tested. The report's claim counts only if it is a merge of the
// head.
func (p *poster) tested(ctx context.Context, at *github.Pull, r *job.Report) (string, error) {
	event := p.Event.Name
	if p.Event.ofOtherRun() {
		event = p.Event.Run.Event
	}
	claimed := r.Project.Revision
	if !commit.MatchString(claimed) {
		claimed = ""
	}
	var early pull.NotYetError
	for range mostWaits {
		sha, err := pull.Tested(ctx, p.Place, at, event, claimed)
		if !errors.As(err, &early) {
			return sha, err
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(p.Wait):
		}
		now, err := p.Client.Pull(ctx, p.Repo, at.Number)
		if err != nil {
			return "", err
		}
		*at = now
	}
	return at.HeadSHA, nil // GitHub has no test merge: a patch must fit the head
}

// accepted is what the sources of a commit confirm of a report.
func (p *poster) accepted(ctx context.Context, sha string, r *job.Report, number int64) (*job.Report, error) {
	sources, err := pull.Sources(ctx, p.Place, sha, "")
	if err != nil {
		return nil, err
	}
	defer sources.Close()
	s := accept.Scope{Language: accept.Java, Sources: sources, Dir: ".", Args: p.Args}
	if number > 0 {
		s.Base = pull.BaseOf(ctx, p.Place, number)
	}
	if r.Project.Language == accept.Jest {
		s.Language = accept.Jest
	}
	if rel, err := filepath.Rel(r.Project.Root, r.Project.Dir); err == nil && filepath.IsLocal(rel) {
		s.Dir = filepath.ToSlash(rel)
	}
	// Which tests failed is not known from elsewhere: the same run wrote its log.
	for _, t := range r.Tests {
		s.Tests = append(s.Tests, string(t.Test))
	}
	out, err := accept.Report(ctx, r, s)
	if err != nil {
		return nil, err
	}
	out.Project.Revision = sha
	withoutSentences(out)
	return out, nil
}

// withoutSentences removes sentences about patches and their proofs. No second runner has written them.
func withoutSentences(r *job.Report) {
	var proofs []*job.Proof
	for _, t := range r.Tests {
		for i := range t.Patches {
			t.Patches[i].Why = ""
			proofs = append(proofs, &t.Patches[i].Proof)
		}
	}
	if r.Combined != nil {
		proofs = append(proofs, &r.Combined.Proof)
	}
	if r.Alternative != nil {
		proofs = append(proofs, &r.Alternative.Proof)
	}
	for _, p := range proofs {
		for i := range p.Checks {
			p.Checks[i].Detail = ""
		}
	}
}

// config is the configuration of the base branch, which a pull request cannot change.
func (p *poster) config(ctx context.Context, base string) (config.Resolved, error) {
	var sources []config.Source
	for _, w := range []config.Where{config.Repository, config.Misnamed, config.GitHubFolder, config.Organisation} {
		if w == config.Misnamed && len(sources) > 0 {
			continue
		}
		read, ref, name := p.Client.SmallFile, base, ""
		if w == config.Organisation {
			read, ref, name = p.Client.OrganisationFile, "HEAD", fmt.Sprintf("%s/.github:%s", p.Repo.Owner, config.FileName)
		}
		f, err := read(ctx, p.Repo, ref, w.PathIn(), "")
		if w == config.Organisation && github.Forbidden(err) {
			continue // the run's token is for this repository
		}
		if err != nil {
			return config.Resolved{}, fmt.Errorf("configuration: %w", err)
		}
		if f.Found {
			sources = append(sources, config.Source{Where: w, File: name, Text: f.Text})
		}
	}
	return config.Resolve(sources...), nil
}
