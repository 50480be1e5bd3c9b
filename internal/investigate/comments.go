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
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/suite"
	"github.com/odfix/odfix/internal/verdict"
)

const kindComment = "comment"

// postAll posts the comments, and then completes the check run, which links to them.
func (t *publication) postAll(ctx context.Context) error {
	in, err := t.input(ctx)
	if err != nil {
		return err
	}
	plan, err := verdict.New(ctx, in)
	if err != nil {
		return err
	}
	if err := t.comments(ctx, plan.Comments); err != nil {
		return err
	}
	c := checkOf(plan.Check)
	for _, n := range t.ev.Notes {
		c.Summary += "\n" + noteLine(n)
	}
	c.Buttons = buttons
	return t.s.conclude(ctx, t.at, t.i, c, true)
}

// input reads what the plan needs from GitHub.
func (t *publication) input(ctx context.Context) (verdict.Input, error) {
	in := verdict.Input{Report: t.report, Head: map[string]string{}, Tested: map[string]string{},
		HeadSHA: t.i.HeadSHA, TestedSHA: t.ev.Tested, Config: t.cfg, Number: t.i.PullRequest}
	id, err := t.s.postedID(ctx, t.i, checkKey(t.i))
	if err == nil && id != 0 {
		var c github.CheckNow
		c, err = t.at.client.ReadCheck(ctx, t.at.repo, id)
		in.CheckURL = c.URL
	}
	touched := verdict.Touched(t.report, t.cfg)
	if err != nil || len(touched) == 0 {
		return in, err
	}
	files, err := t.at.client.Files(ctx, t.at.repo, t.i.PullRequest)
	for _, f := range files {
		in.Files = append(in.Files, verdict.File(f))
	}
	for _, path := range touched {
		err = errors.Join(err, t.text(ctx, in.Head, path, t.i.HeadSHA))
		if t.ev.Tested != t.i.HeadSHA {
			err = errors.Join(err, t.text(ctx, in.Tested, path, t.ev.Tested))
		}
	}
	return in, err
}

// text reads a file at a commit; a missing file is left out.
func (t *publication) text(ctx context.Context, into map[string]string, path, sha string) error {
	f, err := t.at.client.SmallFile(ctx, t.at.repo, sha, path, "")
	if errors.Is(err, github.ErrPath) {
		return nil
	}
	if err == nil && f.Found {
		into[path] = string(f.Text)
	}
	return err
}

// comments posts one comment for each cause: it updates the existing one, or creates one.
func (t *publication) comments(ctx context.Context, plan []verdict.Comment) error {
	if len(plan) == 0 {
		return nil
	}
	there, err := t.ownComments(ctx)
	if err != nil {
		return err
	}
	var now []verdict.Marker
	for _, c := range plan {
		now = append(now, c.Marker)
	}
	old := there.markers()
	for i, k := range verdict.Match(old, now) {
		var standing *ownComment
		if k >= 0 {
			standing = &there.first[k]
		}
		if err := t.post(ctx, plan[i], standing, there); err != nil {
			return err
		}
	}
	return nil
}

// ownComment is a comment of odfix, with its marker.
type ownComment struct {
	github.Comment
	marker verdict.Marker
}

// ownComments are the comments of odfix on a pull request.
type ownComments struct {
	first []ownComment // one for each cause
	parts []ownComment // the further ones of a review
}

func (s ownComments) markers() []verdict.Marker {
	var out []verdict.Marker
	for _, c := range s.first {
		out = append(out, c.marker)
	}
	return out
}

// ownComments reads the comments of odfix on the pull request.
func (t *publication) ownComments(ctx context.Context) (ownComments, error) {
	return ownCommentsOn(ctx, t.at, t.i.PullRequest)
}

func ownCommentsOn(ctx context.Context, at target, pull int64) (ownComments, error) {
	var out ownComments
	list, err := at.client.OwnComments(ctx, at.repo, pull)
	if err != nil {
		return out, err
	}
	inline, err := at.client.OwnReviewComments(ctx, at.repo, pull)
	for _, c := range append(list, inline...) {
		m, ok := verdict.FindMarker(c.Body)
		switch {
		case !ok:
		case m.Part > 1:
			out.parts = append(out.parts, ownComment{c, m})
		default:
			out.first = append(out.first, ownComment{c, m})
		}
	}
	return out, err
}

// post makes the comment about a cause what this investigation found.
func (t *publication) post(ctx context.Context, c verdict.Comment, old *ownComment, there ownComments) error {
	if old == nil {
		return t.write(ctx, c)
	}
	said := there.all(*old)
	if bodies, ok := c.Rewrite(spots(said)); ok {
		return t.refresh(ctx, bodies, said)
	}
	if !same(old.Body, c.Plain) {
		if err := rewrite(ctx, t.at, *old, c.Plain); err != nil {
			return err
		}
	}
	return dropParts(ctx, t.at, old.marker, there)
}

// all are the first and the further comments about a cause.
func (s ownComments) all(first ownComment) []ownComment {
	return append([]ownComment{first}, suite.Filter(s.parts, func(p ownComment) bool {
		return p.marker.Fingerprint() == first.marker.Fingerprint()
	})...)
}

// spots are the current lines of comments, which later pushes move.
func spots(list []ownComment) []verdict.Standing {
	var out []verdict.Standing
	for _, c := range list {
		out = append(out, verdict.Standing{Path: c.Spot.Path, Line: c.Spot.Line, StartLine: c.Spot.StartLine})
	}
	return out
}

// refresh updates suggestions whose lines are still right.
func (t *publication) refresh(ctx context.Context, bodies []string, said []ownComment) error {
	for i, o := range said {
		if same(o.Body, bodies[i]) {
			continue
		}
		if err := rewrite(ctx, t.at, o, bodies[i]); err != nil {
			return err
		}
	}
	return nil
}

func same(a, b string) bool {
	plain := func(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }
	return plain(a) == plain(b)
}

// rewrite changes a comment. If somebody deleted it, it stays deleted.
func rewrite(ctx context.Context, at target, old ownComment, body string) error {
	update := at.client.UpdateComment
	if old.Inline {
		update = at.client.UpdateReviewComment
	}
	err := update(ctx, at.repo, old.ID, body)
	if errors.Is(err, github.ErrGone) || github.Forbidden(err) {
		return nil
	}
	return err
}

// dropParts deletes the further comments of a review, whose content is in the first one now. Those
// with replies stay.
func dropParts(ctx context.Context, at target, m verdict.Marker, there ownComments) error {
	for _, p := range there.parts {
		if p.marker.Fingerprint() != m.Fingerprint() || p.Answered {
			continue
		}
		if err := at.client.DeleteReviewComment(ctx, at.repo, p.ID); err != nil && !github.Forbidden(err) {
			return err
		}
	}
	return nil
}

var errEnough = errors.New("the repository has had as many comments today as its configuration allows")

// write creates a comment on the highest rung that GitHub accepts. If it was created before and
// does not exist, somebody deleted it, and it stays deleted.
func (t *publication) write(ctx context.Context, c verdict.Comment) error {
	key := fmt.Sprintf("comment/%d/%d/%s", t.i.Repository, t.i.PullRequest, c.Marker.Fingerprint())
	p := posting{at: t.at, pull: t.i.PullRequest, kind: kindComment, key: key}
	_, err := t.s.once(ctx, p, func() (int64, error) { return t.find(ctx, c.Marker) }, func() (int64, error) {
		if full, err := t.s.commentsUsed(ctx, t.i.Repository, t.cfg); err != nil || full {
			return 0, errors.Join(err, errEnough)
		}
		// Immediately before it is written: reading what the plan is made from took its time.
		if err := stillAt(ctx, t.at, t.i.PullRequest, t.i.HeadSHA); err != nil {
			return 0, err
		}
		return t.climbDown(ctx, c)
	})
	if github.Forbidden(err) || github.Unprocessable(err) || errors.Is(err, errEnough) || errors.Is(err, errNoRung) {
		t.s.log.Warn("nothing is said on the pull request", zap.String("investigation", t.i.ID), zap.Error(err))
		return nil // the check says it all
	}
	return err
}

var errMoved = errors.New("the head is another one now")

// find looks for a comment of this very cause that was written since we looked.
func (t *publication) find(ctx context.Context, m verdict.Marker) (int64, error) {
	there, err := t.ownComments(ctx)
	for _, c := range there.first {
		if c.marker.Fingerprint() == m.Fingerprint() {
			return c.ID, err
		}
	}
	return 0, err
}

// commentsUsed reports whether the repository's comments of the last day are used up. The claim
// that is being made counts.
func (s *Service) commentsUsed(ctx context.Context, repository int64, cfg config.Config) (bool, error) {
	n, err := store.Read(ctx, s.store, func(tx *store.Tx) (int64, error) {
		return tx.CountPosted(repository, kindComment, s.now().Add(-24*time.Hour))
	})
	return n > int64(cfg.Comments.MaxPerDay), err
}

var errNoRung = errors.New("GitHub accepts it in no form that the configuration allows")

// climbDown tries each rung until GitHub accepts one.
func (t *publication) climbDown(ctx context.Context, c verdict.Comment) (int64, error) {
	refused := errNoRung
	for k := &c; k != nil; k = k.Below {
		id, err := t.on(ctx, k)
		if err == nil {
			return id, nil
		}
		if !github.Forbidden(err) && !github.Unprocessable(err) && !errors.Is(err, github.ErrGone) && !errors.Is(err, errNoRung) {
			return 0, err
		}
		t.s.log.Info("GitHub refuses a rung", zap.String("investigation", t.i.ID), zap.String("rung", string(k.Rung)), zap.Error(err))
		refused = errors.Join(errNoRung, err)
	}
	return 0, refused
}

// on writes a comment on its rung.
func (t *publication) on(ctx context.Context, c *verdict.Comment) (int64, error) {
	client, repo, pull := t.at.client, t.at.repo, t.i.PullRequest
	switch c.Rung {
	case config.Suggestion:
		var list []github.Inline
		for _, k := range c.Inline {
			list = append(list, github.Inline(k))
		}
		return client.CreateReview(ctx, repo, pull, t.i.HeadSHA, list)
	case config.FileComment:
		return client.CommentOnFile(ctx, repo, pull, t.i.HeadSHA, c.Path, c.Body)
	case config.Comment:
		return client.CreateComment(ctx, repo, pull, c.Body)
	case config.Stacked:
		return t.stacked(ctx, c.Fix)
	case config.Commit:
		return t.committed(ctx, c.Fix)
	}
	return 0, errNoRung
}
