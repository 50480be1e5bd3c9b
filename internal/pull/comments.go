package pull

import (
	"context"
	"errors"
	"strings"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/suite"
	"github.com/odfix/odfix/internal/verdict"
)

// input reads what the plan needs from GitHub.
func (t *Publication) input(ctx context.Context) (verdict.Input, error) {
	in := verdict.Input{Report: t.Report, Head: map[string]string{}, Tested: map[string]string{}, Read: map[string]bool{},
		HeadSHA: t.HeadSHA, TestedSHA: t.Tested, Config: t.Config, Number: t.Pull.Number, CheckURL: t.CheckURL, Claimed: t.Claimed,
		HelpURL: t.HelpURL, Notes: t.Notes, Commands: t.Commands}
	touched := verdict.Touched(ctx, t.Report, t.Config)
	if len(touched) == 0 {
		return in, nil
	}
	files, err := t.Client.Files(ctx, t.Repo, t.Pull.Number)
	for _, f := range files {
		in.Files = append(in.Files, verdict.File(f))
	}
	left := maxTexts
	for _, path := range touched {
		read, why := t.text(ctx, in.Head, path, t.HeadSHA, &left)
		if err = errors.Join(err, why); read && t.Tested != t.HeadSHA {
			read, why = t.text(ctx, in.Tested, path, t.Tested, &left)
			err = errors.Join(err, why)
		}
		in.Read[path] = read
	}
	return in, err
}

// maxTexts bounds the files that a publication reads, in bytes.
const maxTexts = 16 << 20

// MaxInput bounds what a publication reads, in bytes: the files, and their patches.
const MaxInput = maxTexts + github.MostPatches

// text reads a file at a commit, if it is there. read is false if the path cannot be looked for, or if
// the file has more than what is left.
func (t *Publication) text(ctx context.Context, into map[string]string, path, sha string, left *int) (read bool, err error) {
	if *left <= 0 {
		return false, nil
	}
	f, err := t.Client.SmallFile(ctx, t.Repo, sha, path, "")
	if errors.Is(err, github.ErrPath) {
		return false, nil
	}
	if err != nil || !f.Found {
		return err == nil, err
	}
	if *left -= len(f.Text); *left < 0 {
		return false, nil
	}
	into[path] = string(f.Text)
	return true, nil
}

// comments posts one comment for each cause: it updates the existing one, or creates one.
func (t *Publication) comments(ctx context.Context, plan []verdict.Comment) error {
	if len(plan) == 0 {
		return nil
	}
	there, err := OwnComments(ctx, t.Place, t.Pull.Number)
	if err != nil {
		return err
	}
	var now []verdict.Marker
	for _, c := range plan {
		now = append(now, c.Marker)
	}
	old := there.markers()
	for i, k := range verdict.Match(old, now) {
		var standing *OwnComment
		if k >= 0 {
			standing = &there.First[k]
		}
		if err := t.post(ctx, plan[i], standing, there); err != nil {
			return err
		}
	}
	return nil
}

// OwnComment is a comment of odfix, with its marker.
type OwnComment struct {
	github.Comment
	Marker verdict.Marker
}

// Own are the comments of odfix on a pull request.
type Own struct {
	First []OwnComment // one for each cause
	parts []OwnComment // the further ones of a review
}

func (s Own) markers() []verdict.Marker {
	var out []verdict.Marker
	for _, c := range s.First {
		out = append(out, c.Marker)
	}
	return out
}

// OwnComments reads the comments of odfix on a pull request.
func OwnComments(ctx context.Context, at Place, number int64) (Own, error) {
	var out Own
	list, err := at.Client.OwnComments(ctx, at.Repo, number)
	if err != nil {
		return out, err
	}
	inline, err := at.Client.OwnReviewComments(ctx, at.Repo, number)
	for _, c := range append(list, inline...) {
		m, ok := verdict.FindMarker(c.Body)
		switch {
		case !ok:
		case m.Part > 1:
			out.parts = append(out.parts, OwnComment{c, m})
		default:
			out.First = append(out.First, OwnComment{c, m})
		}
	}
	return out, err
}

// post makes the comment about a cause what this investigation found.
func (t *Publication) post(ctx context.Context, c verdict.Comment, old *OwnComment, there Own) error {
	if old == nil {
		return t.write(ctx, c)
	}
	said := there.all(*old)
	if bodies, ok := c.Rewrite(spots(said)); ok {
		return t.refresh(ctx, bodies, said)
	}
	if !same(old.Body, c.Plain) {
		if err := Rewrite(ctx, t.Place, *old, c.Plain); err != nil {
			return err
		}
	}
	return DropParts(ctx, t.Place, old.Marker, there)
}

// all are the first and the further comments about a cause.
func (s Own) all(first OwnComment) []OwnComment {
	return append([]OwnComment{first}, suite.Filter(s.parts, func(p OwnComment) bool {
		return p.Marker.Fingerprint() == first.Marker.Fingerprint()
	})...)
}

// spots are the current lines of comments, which later pushes move.
func spots(list []OwnComment) []verdict.Standing {
	var out []verdict.Standing
	for _, c := range list {
		out = append(out, verdict.Standing{Path: c.Spot.Path, Line: c.Spot.Line, StartLine: c.Spot.StartLine})
	}
	return out
}

// refresh updates suggestions whose lines are still right.
func (t *Publication) refresh(ctx context.Context, bodies []string, said []OwnComment) error {
	for i, o := range said {
		if same(o.Body, bodies[i]) {
			continue
		}
		if err := Rewrite(ctx, t.Place, o, bodies[i]); err != nil {
			return err
		}
	}
	return nil
}

func same(a, b string) bool {
	plain := func(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }
	return plain(a) == plain(b)
}

// Rewrite changes a comment. If somebody deleted it, it stays deleted.
func Rewrite(ctx context.Context, at Place, old OwnComment, body string) error {
	update := at.Client.UpdateComment
	if old.Inline {
		update = at.Client.UpdateReviewComment
	}
	err := update(ctx, at.Repo, old.ID, body)
	if errors.Is(err, github.ErrGone) || github.Forbidden(err) {
		return nil
	}
	return err
}

// DropParts deletes the further comments of a review, whose content is in the first one now. Those
// with replies stay.
func DropParts(ctx context.Context, at Place, m verdict.Marker, there Own) error {
	for _, p := range there.parts {
		if p.Marker.Fingerprint() != m.Fingerprint() || p.Answered {
			continue
		}
		if err := at.Client.DeleteReviewComment(ctx, at.Repo, p.ID); err != nil && !github.Forbidden(err) {
			return err
		}
	}
	return nil
}

// write creates a comment on the highest rung that GitHub accepts. If it was created before and
// does not exist, somebody deleted it, and it stays deleted where Once remembers writes.
func (t *Publication) write(ctx context.Context, c verdict.Comment) error {
	_, err := t.Once(ctx, c.Marker, func() (int64, error) { return t.find(ctx, c.Marker) }, func() (int64, error) {
		// Immediately before it is written: reading what the plan is made from took its time.
		if err := StillAt(ctx, t.Place, t.Pull.Number, t.HeadSHA); err != nil {
			return 0, err
		}
		return t.climbDown(ctx, c)
	})
	if github.Forbidden(err) || github.Unprocessable(err) || errors.Is(err, ErrEnough) || errors.Is(err, ErrNoRung) {
		t.Log.Warn("nothing is said on the pull request", zap.Int64("pull", t.Pull.Number), zap.Error(err))
		t.Refused = err
		return nil // the check says it all
	}
	return err
}

// find looks for a comment of this very cause that was written since we looked.
func (t *Publication) find(ctx context.Context, m verdict.Marker) (int64, error) {
	there, err := OwnComments(ctx, t.Place, t.Pull.Number)
	for _, c := range there.First {
		if c.Marker.Fingerprint() == m.Fingerprint() {
			return c.ID, err
		}
	}
	return 0, err
}

// climbDown tries each rung until GitHub accepts one.
func (t *Publication) climbDown(ctx context.Context, c verdict.Comment) (int64, error) {
	refused := ErrNoRung
	for k := &c; k != nil; k = k.Below {
		id, err := t.on(ctx, k)
		if err == nil {
			return id, nil
		}
		if !github.Forbidden(err) && !github.Unprocessable(err) && !errors.Is(err, github.ErrGone) &&
			!errors.Is(err, github.ErrNotFile) && !errors.Is(err, ErrNoRung) {
			return 0, err
		}
		t.Log.Info("GitHub refuses a rung", zap.Int64("pull", t.Pull.Number), zap.String("rung", string(k.Rung)), zap.Error(err))
		refused = errors.Join(ErrNoRung, err)
	}
	return 0, refused
}

// on writes a comment on its rung.
func (t *Publication) on(ctx context.Context, c *verdict.Comment) (int64, error) {
	client, repo, number := t.Client, t.Repo, t.Pull.Number
	switch c.Rung {
	case config.Suggestion:
		var list []github.Inline
		for _, k := range c.Inline {
			list = append(list, github.Inline(k))
		}
		return client.CreateReview(ctx, repo, number, t.HeadSHA, list)
	case config.FileComment:
		return client.CommentOnFile(ctx, repo, number, t.HeadSHA, c.Path, c.Body)
	case config.Comment:
		return client.CreateComment(ctx, repo, number, c.Body)
	case config.Stacked:
		return t.stacked(ctx, c.Fix)
	case config.Commit:
		return t.committed(ctx, c.Fix)
	}
	return 0, ErrNoRung
}
