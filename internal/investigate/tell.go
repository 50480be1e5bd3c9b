package investigate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/store"
)

// tell says how an investigation ended: on its check, and on the pull request
// where there is something that a person can use.
func (s *Service) tell(ctx context.Context, a tellArgs, _ int) error {
	i, err := s.investigation(ctx, a.ID)
	if err != nil {
		return ignoreMissing(err)
	}
	if i.State == store.Reporting {
		return s.report(ctx, i)
	}
	at, err := s.sceneOf(ctx, i)
	if err != nil || !i.State.Ended() || i.State == store.Done {
		return err
	}
	s.observe(i, nil)
	c := endedCheck(i)
	c.Buttons = buttons
	return s.conclude(ctx, at, i, c, i.State == store.Failed || i.State == store.Expired)
}

func (s *Service) observe(i store.Investigation, r *job.Report) {
	if s.o.Observe == nil {
		return
	}
	e := Ended{State: i.State, Took: s.now().Sub(i.Created)}
	if r != nil {
		for _, t := range r.Tests {
			e.Verdicts = append(e.Verdicts, string(t.Verdict))
		}
	}
	s.o.Observe(e)
}

// report tells of a report. Before anything is written the head is looked at once
// more: what was found out is about that commit and no other.
func (s *Service) report(ctx context.Context, i store.Investigation) error {
	at, p, cfg, err := s.current(ctx, i)
	if err != nil || p == nil {
		return err
	}
	var r *job.Report
	var ev evidence
	err = s.store.View(ctx, func(tx *store.Tx) error {
		var err error
		if r, err = tx.Report(i.ID); err != nil {
			return err
		}
		return tx.Evidence(i.ID, &ev)
	})
	if err != nil {
		return err
	}
	t := telling{s: s, at: at, i: i, pull: p, cfg: cfg.Config, report: r, ev: ev}
	if err := t.all(ctx); err != nil {
		return err
	}
	err = s.store.Do(ctx, func(tx *store.Tx) error {
		i, err = tx.Move(i.ID, store.Change{To: store.Done})
		return err
	})
	if errors.Is(err, store.ErrState) {
		return nil // a push came while we told; its own investigation goes on from here
	}
	if err == nil {
		s.observe(i, r)
		s.log.Info("investigation told", zap.String("investigation", i.ID), zap.Duration("took", s.now().Sub(i.Created)))
	}
	return err
}

// telling is a report on its way to people.
type telling struct {
	s      *Service
	at     scene
	i      store.Investigation
	pull   *github.Pull
	cfg    config.Config
	report *job.Report
	ev     evidence
}

// all writes the comments first: the check that ends it all names them.
func (t *telling) all(ctx context.Context) error {
	for _, c := range t.comments() {
		if err := t.comment(ctx, c); err != nil {
			return err
		}
	}
	c := verdictCheck(t.report, t.ev)
	c.Buttons = buttons
	return t.s.conclude(ctx, t.at, t.i, c, true)
}

// said is one comment: a cause, and what there is to say of it.
type said struct {
	fingerprint string
	body        string
}

// comments are what to say besides the check: of causes with a proved patch.
func (t *telling) comments() []said {
	var out []said
	for _, p := range t.report.Chosen() {
		if !t.mayPatch(p.Files) {
			continue
		}
		f := fingerprint(t.report, p)
		out = append(out, said{f, marker(f) + "\n" + patchComment(t.report, p)})
	}
	return out
}

func (t *telling) mayPatch(files []string) bool {
	for _, f := range files {
		if !t.cfg.MayPatch(f) {
			return false
		}
	}
	return true
}

const kindComment = "comment"

// comment writes a comment, or brings the one there is up to date.
func (t *telling) comment(ctx context.Context, c said) error {
	s, at := t.s, t.at
	write := posting{at: at, pull: t.i.PullRequest, kind: kindComment, key: fmt.Sprintf("comment/%d/%d/%s", t.i.Repository, t.i.PullRequest, c.fingerprint)}
	fresh := false
	id, err := s.once(ctx, write, func() (int64, error) { return t.findComment(ctx, c.fingerprint) }, func() (int64, error) {
		if full, err := s.talkative(ctx, t.i.Repository, t.cfg); err != nil || full {
			return 0, errors.Join(err, errEnough)
		}
		fresh = true
		return at.client.CreateComment(ctx, at.repo, t.i.PullRequest, c.body)
	})
	if github.Forbidden(err) || errors.Is(err, errEnough) {
		s.log.Warn("no comment", zap.String("investigation", t.i.ID), zap.Error(err))
		return nil // the check says it all
	}
	if err != nil || fresh {
		return err
	}
	err = at.client.UpdateComment(ctx, at.repo, id, c.body)
	if errors.Is(err, github.ErrGone) || github.Forbidden(err) {
		return nil // whoever deleted it does not want to read it again
	}
	return err
}

var errEnough = errors.New("the repository has had as many comments today as its configuration allows")

func (s *Service) talkative(ctx context.Context, repository int64, cfg config.Config) (bool, error) {
	var n int64
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		n, err = tx.CountPosted(repository, kindComment, s.now().Add(-24*time.Hour))
		return err
	})
	return n > int64(cfg.Comments.MaxPerDay), err // the claim that is being made counts
}

func (t *telling) findComment(ctx context.Context, fingerprint string) (int64, error) {
	list, err := t.at.client.OwnComments(ctx, t.at.repo, t.i.PullRequest)
	for _, c := range list {
		if strings.HasPrefix(c.Body, marker(fingerprint)) {
			return c.ID, nil
		}
	}
	return 0, err
}
