// Package pull is what odfix reads of a pull request and posts on it: the tested commit and its
// sources, a comment for each cause, and the check's texts. The App and `odfix post` share it.
//
// Invariants: a comment is only written while the report's commit is the pull request's head. odfix
// changes only its own comments, which it finds by their markers.
package pull

import (
	"context"
	"errors"

	"go.uber.org/zap"
	"golang.org/x/sync/semaphore"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/verdict"
)

// Place is a repository and the client for it.
type Place struct {
	Client *github.Client
	Repo   github.Repo
}

// Errors of writes that are not made.
var (
	ErrMoved  = errors.New("the head is another one now")
	ErrNoRung = errors.New("GitHub accepts it in no form that the configuration allows")
	ErrEnough = errors.New("the repository has had as many comments today as its configuration allows")
)

// Once writes to GitHub unless that was done before. Find looks for the earlier write; 0: none. The
// publication calls Once just after it found none, so Once need not call find for a write that
// nobody has begun.
type Once func(ctx context.Context, m verdict.Marker, find, write func() (int64, error)) (int64, error)

// Publication is a report that is being posted.
type Publication struct {
	Place
	Pull     *github.Pull
	HeadSHA  string // the head that the report is about
	Tested   string // the commit that was tested
	Report   *job.Report
	Config   config.Config
	CheckURL string // the check run's page; empty: none
	// Claimed: the patches were proved only by a run of the pull request's own code.
	Claimed bool
	// HelpURL, Notes and Commands are as in verdict.Input.
	HelpURL  string
	Notes    []string
	Commands bool
	Once     Once
	Log      *zap.Logger
	// Reading calls a function that holds up to MaxInput in memory, of which the plan is made, when there
	// is room for that, and Plans limits how many plans are made at once, each of which may take more;
	// nil: nothing does. The plan itself is small.
	Reading func(ctx context.Context, do func() error) error
	Plans   *semaphore.Weighted

	// Refused is why GitHub took a comment in no form; nil: it took all.
	Refused error
}

// Post posts the comments, and returns the content of the check run, which links to them.
func (t *Publication) Post(ctx context.Context) (verdict.Check, error) {
	plan, err := t.plan(ctx)
	if err != nil {
		return verdict.Check{}, err
	}
	return plan.Check, t.comments(ctx, plan.Comments)
}

func (t *Publication) plan(ctx context.Context) (plan verdict.Plan, err error) {
	do := func() error {
		in, err := t.input(ctx)
		if err == nil {
			plan, err = t.planOf(ctx, in)
		}
		return err
	}
	if t.Reading == nil {
		err = do()
	} else {
		err = t.Reading(ctx, do)
	}
	return plan, err
}

func (t *Publication) planOf(ctx context.Context, in verdict.Input) (verdict.Plan, error) {
	if t.Plans != nil {
		if err := t.Plans.Acquire(ctx, 1); err != nil {
			return verdict.Plan{}, err
		}
		defer t.Plans.Release(1)
	}
	return verdict.New(ctx, in)
}

// CheckOf is a check run with the texts of the templates.
func CheckOf(v verdict.Check) github.Check {
	c := github.Check{Conclusion: v.Conclusion, Title: v.Title, Summary: v.Summary, Text: v.Text}
	for _, a := range v.Annotations {
		c.Notes = append(c.Notes, github.Annotation{Path: a.Path, Line: a.Start, EndLine: a.End, Level: a.Level,
			Title: a.Title, Message: a.Message})
	}
	return c
}

// StillAt is ErrMoved where the pull request is closed or has another head.
func StillAt(ctx context.Context, at Place, number int64, headSHA string) error {
	p, err := at.Client.Pull(ctx, at.Repo, number)
	if errors.Is(err, github.ErrGone) || err == nil && (p.HeadSHA != headSHA || !p.Open) {
		return ErrMoved
	}
	return err
}
