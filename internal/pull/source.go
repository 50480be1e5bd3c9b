package pull

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/odfix/odfix/internal/accept"
	"github.com/odfix/odfix/internal/archive"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/pause"
)

// maxSource bounds the archive of a commit's sources.
const maxSource = 1 << 30

// treeLimits bound the sources that are read here. They are on disk, and their names in memory, as
// long as a runner works on them.
var treeLimits = archive.Limits{Bytes: 1 << 30, Members: 100_000}

// NotYetError says that GitHub does not show something yet.
type NotYetError struct{ Why string }

func (e NotYetError) Error() string { return e.Why }

// Tested is the commit that CI tested: the test merge if CI ran on the pull request, else the head.
// GitHub's test merge changes with the base branch, so another merge that CI names comes first, if it
// merges this head into a commit of the base branch.
func Tested(ctx context.Context, at Place, p *github.Pull, event, named string) (string, error) {
	if event != "pull_request" && event != "pull_request_target" {
		return p.HeadSHA, nil
	}
	if named != "" && named != p.MergeSHA {
		if is, err := merges(ctx, at, p, named); is || err != nil {
			return named, err
		}
	}
	if !p.MergeKnown {
		return "", NotYetError{"GitHub has not made the test merge yet"}
	}
	if p.MergeSHA == "" {
		return p.HeadSHA, nil // there is a conflict since, and so no test merge
	}
	parents, err := at.Client.Parents(ctx, at.Repo, p.MergeSHA)
	if err != nil && !errors.Is(err, github.ErrGone) {
		return "", err
	}
	if !slices.Contains(parents, p.HeadSHA) {
		return "", NotYetError{"the test merge is of an older head"}
	}
	return p.MergeSHA, nil
}

// merges reports whether a commit merges the head into a commit of the base branch. GitHub shows the
// commits of forks, too, so anyone can make a merge of the head and a commit of their own.
func merges(ctx context.Context, at Place, p *github.Pull, sha string) (bool, error) {
	parents, err := at.Client.Parents(ctx, at.Repo, sha)
	if err == nil && len(parents) == 2 && parents[1] == p.HeadSHA {
		var shared string
		shared, err = at.Client.MergeBase(ctx, at.Repo, p.BaseRef, parents[0])
		return err == nil && shared == parents[0], known(err)
	}
	return false, known(err)
}

// known is the error without that of an object that GitHub does not have.
func known(err error) error {
	if errors.Is(err, github.ErrGone) {
		return nil
	}
	return err
}

// Sources reads a commit's sources while it downloads their archive. It unpacks nothing: the tree is
// in one file in dir. Close it.
func Sources(ctx context.Context, at Place, sha, dir string) (*archive.Tree, error) {
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := at.Client.Source(ctx, at.Repo, sha, w, maxSource)
		w.CloseWithError(err) // nil is io.EOF
		done <- err
	}()
	tree, err := archive.OpenTree(ctx, r, dir, treeLimits)
	r.CloseWithError(errRead)
	if down := <-done; down != nil && !errors.Is(down, errRead) {
		err = down
	}
	if err != nil {
		err = fmt.Errorf("the sources of %s: %w", sha, err)
	}
	if err != nil && tree != nil {
		return nil, errors.Join(err, tree.Close())
	}
	return tree, err
}

// Packed writes a commit's sources as GitHub packs them, for jobs of the App's installations. Nothing
// is unpacked.
func Packed(app *github.App) func(ctx context.Context, installation int64, s job.Source, w io.Writer) error {
	return func(ctx context.Context, installation int64, s job.Source, w io.Writer) error {
		repo := github.Repo{ID: s.Repository, Owner: s.Owner, Name: s.Name}
		return app.For(installation).Source(ctx, repo, s.SHA, w, maxSource)
	}
}

// errRead ends a download whose rest is not needed: padding after the archive, or the rest of a
// refused one.
var errRead = errors.New("no more is wanted")

// Base is the base branch of a pull request, and the default branch.
type Base struct {
	ctx    context.Context
	at     Place
	number int64
	refs   []string      // nil: not known yet
	pause  time.Duration // before a file is asked for again
}

var _ accept.Base = (*Base)(nil)

// BaseOf returns the base branch of a pull request. Requests end with the context.
func BaseOf(ctx context.Context, at Place, number int64) *Base {
	return &Base{ctx: ctx, at: at, number: number, pause: readPause}
}

// Texts implements accept.Base. The author of a pull request can choose a base branch that does not have
// the file, and another one later.
func (b *Base) Texts(file string) ([]string, error) {
	if b.refs == nil {
		p, err := b.at.Client.Pull(b.ctx, b.at.Repo, b.number)
		if err != nil {
			return nil, err
		}
		b.refs = slices.Compact([]string{p.BaseRef, p.DefaultBranch})
	}
	var out []string
	for _, ref := range b.refs {
		text, exists, err := b.text(ref, file)
		if err != nil {
			return nil, err
		}
		if exists {
			out = append(out, text)
		}
	}
	return out, nil
}

// Attempts to read a file, and the pause before the second one. Each next pause is twice as long.
const (
	mostReads = 3
	readPause = time.Second
)

// text reads a file of a branch. A path or a file that GitHub refuses has an empty text. Other errors, such
// as rate limits, are returned, because a later attempt of the whole job can succeed.
func (b *Base) text(ref, file string) (text string, exists bool, err error) {
	for n := range mostReads {
		if n > 0 && !pause.For(b.ctx, b.pause<<(n-1)) {
			return "", false, b.ctx.Err()
		}
		var f github.FileNow
		f, err = b.at.Client.SmallFile(b.ctx, b.at.Repo, ref, file, "")
		if err == nil {
			return string(f.Text), f.Found, nil
		}
		if github.Unreadable(err) {
			return "", true, nil
		}
		if _, limited := github.Until(err, time.Now()); limited {
			break
		}
	}
	return "", false, err
}
