package investigate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/store"
)

// errForeign means that the operator's list of accounts does not have the installation.
var errForeign = errors.New("the operator of odfix does not list this account")

// InstallationEntry begins an entry of the list of accounts that is the id of an installation. All
// other entries are logins.
const InstallationEntry = "installation:"

// permit returns an error unless the operator lets odfix work for a repository now: a PausedError,
// or errForeign. It is asked before each job, before each request to GitHub, and while a runner
// works. So a pause needs nothing else to stop all of them.
func (s *Service) permit(ctx context.Context, installation, repository int64) error {
	accounts := s.accounts()
	return s.store.View(ctx, func(tx *store.Tx) error { return s.permitted(tx, accounts, installation, repository) })
}

// accounts is the operator's list. It is read before a transaction begins, since it may be a file.
func (s *Service) accounts() []string {
	if s.o.Accounts == nil {
		return nil
	}
	return s.o.Accounts()
}

// permitted is permit in a transaction.
func (s *Service) permitted(tx *store.Tx, accounts []string, installation, repository int64) error {
	p, err := tx.PauseOf(installation, repository)
	if err == nil {
		return &github.PausedError{Until: s.afterPause(p), Reason: p.Reason}
	}
	if !errors.Is(err, store.ErrNotFound) || s.o.Accounts == nil {
		return ignoreMissing(err)
	}
	if slices.Contains(accounts, InstallationEntry+strconv.FormatInt(installation, 10)) {
		return nil
	}
	login, err := tx.Account(installation)
	if ignoreMissing(err) != nil {
		return err
	}
	if login == "" || !slices.ContainsFunc(accounts, func(a string) bool { return strings.EqualFold(a, login) }) {
		return fmt.Errorf("%w: installation %d of %q", errForeign, installation, login)
	}
	return nil
}

// stopped reports whether permit refused.
func stopped(err error) bool {
	var paused *github.PausedError
	return errors.As(err, &paused) || errors.Is(err, errForeign)
}

// paused reports whether the operator has paused the work.
func paused(err error) bool {
	var p *github.PausedError
	return errors.As(err, &p)
}

// longestPause bounds the time between two attempts of a paused job, in Pace.Pause.
const longestPause = 10

// afterPause is when a paused job tries again. The longer the pause lasts, the rarer the attempts are:
// a pause may have thousands of jobs. Investigations do not depend on that, since revive gives them
// other jobs once a pause of more than Pace.Stall has ended.
func (s *Service) afterPause(p store.Pause) time.Time {
	now, step := s.now(), s.o.Pace.Pause
	return now.Add(min(max(now.Sub(p.Since)/10, step), longestPause*step))
}

// resumed returns a PausedError if queued investigations wait for the end of a pause.
func (s *Service) resumed(ctx context.Context) error {
	return s.store.View(ctx, func(tx *store.Tx) error {
		n, err := tx.Counts()
		if err != nil || n[store.Queued] == 0 {
			return err
		}
		list, err := tx.Pauses()
		newest := store.Pause{}
		for _, p := range list {
			if p.Since.After(newest.Since) {
				newest = p
			}
		}
		return cmp.Or[error](err, &github.PausedError{Until: s.afterPause(newest), Reason: "all that is queued is paused"})
	})
}

// logPauses logs what is paused, so that nobody looks for another reason.
func (s *Service) logPauses(ctx context.Context) error {
	list, err := store.Read(ctx, s.store, func(tx *store.Tx) ([]store.Pause, error) { return tx.Pauses() })
	for _, p := range list {
		s.log.Warn("paused by the operator", zap.String("scope", p.Scope()), zap.Int64("installation", p.Installation),
			zap.String("account", p.Account),
			zap.Int64("repository", p.Repository), zap.Time("since", p.Since), zap.String("reason", p.Reason))
	}
	return err
}
