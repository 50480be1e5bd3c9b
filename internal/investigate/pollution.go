package investigate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/pull"
	"github.com/odfix/odfix/internal/store"
)

// If the configuration asks for it, each push of a pull request starts a search for state that its
// tests newly leave changed, whether CI is red or green. This is not an investigation: nobody waits
// for it, no progress is shown, and it creates a check run only if there is something to mark.
type (
	polluteArgs struct { // find the state that the tests of a push leave changed
		push
		Minutes int `json:"minutes"`
	}
	annotateArgs struct { // create the check run
		push
		Check github.Check `json:"check"`
	}
)

// push is a head of a pull request.
type push struct {
	Installation int64  `json:"installation"`
	Repository   int64  `json:"repository"`
	FullName     string `json:"fullName"`
	Pull         int64  `json:"pull"`
	Head         string `json:"head"`
	// Again is when another search was requested, in microseconds; 0: the head's first.
	Again int64 `json:"again,omitempty"`
}

func (polluteArgs) Kind() string  { return "pollute" }
func (annotateArgs) Kind() string { return "annotate" }

// limit is the job's time. The queue repeats the job of a dead process soon after it.
func (a polluteArgs) limit() time.Duration {
	return time.Duration(a.Minutes)*time.Minute + 10*time.Minute
}

// Records of a search: it was given to a runner; its check run.
const (
	kindPollution      = "pollution"
	kindPollutionCheck = "pollution-check"
)

// pushes reports whether the event gives a pull request a new head.
func pushes(e *github.Event) bool {
	return e.PullRequest != nil && e.PullRequest.Open && (e.Action == "opened" || e.Action == "synchronize" || e.Action == "reopened")
}

// pushed gives a new head's tests to a runner, once, if the base branch's configuration asks for it
// and the author is trusted.
func (s *Service) pushed(ctx context.Context, at target, e *github.Event) error {
	p := e.PullRequest
	if p.HeadRepository != at.repo.ID && !trusted(p.Association, p.Author, p.HeadOwner) {
		return nil
	}
	cfg, err := s.config(ctx, at, p.BaseRef)
	if err != nil || len(cfg.Problems) > 0 || !cfg.Config.Enabled || !cfg.Config.Pollution.Annotate {
		return err // mistakes in the configuration are shown when CI is red
	}
	here := push{Installation: at.inst, Repository: at.repo.ID, FullName: e.Repository.FullName, Pull: p.Number, Head: p.HeadSHA}
	return s.store.Do(ctx, func(tx *store.Tx) error {
		full, err := s.used(tx, at.repo.ID, cfg.Config)
		if err != nil || full {
			return err
		}
		return s.enlist(tx, here, cfg.Config)
	})
}

// enlist queues a search for a runner, once.
func (s *Service) enlist(tx *store.Tx, here push, cfg config.Config) error {
	row := store.Posted{Key: here.key("pollution-run"), Repository: here.Repository, PullRequest: here.Pull,
		Kind: kindPollution, Holder: s.me}
	if _, claim, err := tx.ClaimPost(row, s.o.Pace.Patience); err != nil || claim != store.Yours {
		return err
	}
	if err := tx.Posted(row.Key, s.me, 0); err != nil {
		return err
	}
	return tx.Enqueue(s.in(polluteArgs{here, cfg.Budgets.JobMinutes}, 0))
}

// trusted reports whether the author of a pull request from a fork has contributed to the
// repository before, and owns the fork. Somebody else can push to another account's fork. For the
// search, this is the only check before the code runs: it does not wait for CI, whose runs of
// first-time contributors' code people approve on GitHub.
func trusted(association string, author, owner int64) bool {
	return owner != 0 && owner == author &&
		slices.Contains([]string{"OWNER", "MEMBER", "COLLABORATOR", "CONTRIBUTOR"}, association)
}

// used reports whether the day's investigations are used up. Searches are not counted themselves,
// so that red builds come first.
func (s *Service) used(tx *store.Tx, repository int64, cfg config.Config) (bool, error) {
	since := s.now().Add(-24 * time.Hour)
	checks, err := tx.CountPosted(repository, kindCheck, since)
	if err != nil {
		return false, err
	}
	runs, err := tx.CountPosted(repository, kindPollution, since)
	return checks+runs >= int64(cfg.Budgets.InvestigationsPerDay), err
}

// externalID identifies the check run of the head. Two pull requests can have the same head.
func (p push) externalID() string {
	return fmt.Sprintf("pollution-%d-%s", p.Pull, p.Head[:12]) + p.round("-")
}

func (p push) key(what string) string {
	return fmt.Sprintf("%s/%d/%d/%s", what, p.Repository, p.Pull, p.Head) + p.round("/")
}

func (p push) round(between string) string {
	if p.Again == 0 {
		return ""
	}
	return between + strconv.FormatInt(p.Again, 10)
}

// pullOfMarker is the pull request that an external ID of these checks names, or 0.
func pullOfMarker(externalID string) (pull int64) {
	kind, rest, _ := strings.Cut(externalID, "-")
	number, _, found := strings.Cut(rest, "-")
	if kind != "pollution" && kind != "approval" || !found {
		return 0
	}
	pull, _ = strconv.ParseInt(number, 10, 64)
	return pull
}

// fewerFirst sends a search back to the queue if another installation, which had fewer searches
// within the last hour, has one that could run. Searches that run are not stopped, however long
// they take. Each process counts its own; after its start, none. Many new installations all come
// before one that had a search.
func (s *Service) fewerFirst(ctx context.Context, installation int64) error {
	had := s.searches.count(installation, s.now())
	if had == 0 {
		return nil
	}
	due, err := store.Read(ctx, s.store, func(tx *store.Tx) ([]int64, error) { return tx.DueOf(polluteArgs{}.Kind()) })
	if err != nil {
		return err
	}
	for _, other := range due {
		if s.searches.count(other, s.now()) < had {
			return laterError{s.o.Pace.Look, "an installation that had fewer searches comes first"}
		}
	}
	return nil
}

// pollute runs the search for a push, and queues the check run if something is new.
func (s *Service) pollute(ctx context.Context, a polluteArgs) error {
	if err := s.fewerFirst(ctx, a.Installation); err != nil {
		return err
	}
	at, err := s.target(a.Installation, a.Repository, a.FullName)
	if err != nil {
		return err
	}
	p, err := at.client.Pull(ctx, at.repo, a.Pull)
	if errors.Is(err, github.ErrGone) || err == nil && (!p.Open || p.HeadSHA != a.Head) {
		return nil // the newer head has a job of its own
	}
	if err != nil {
		return err
	}
	cfg, err := s.config(ctx, at, p.BaseRef)
	if err != nil || len(cfg.Problems) > 0 || !cfg.Config.Enabled || !cfg.Config.Pollution.Annotate {
		return err
	}
	s.searches.add(a.Installation, s.now())
	look := polluting{push: a.push, pull: p, running: running{s: s, at: at, cfg: cfg.Config}}
	inTime, cancel := context.WithTimeout(ctx, time.Duration(a.Minutes)*time.Minute)
	defer cancel()
	check, found, err := look.all(inTime)
	switch {
	case err == nil && (found || a.Again != 0):
		return s.postCheck(ctx, a.push, check)
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err() // this process is stopped; another one repeats the job
	case stopped(err):
		return err
	case inTime.Err() != nil, errors.Is(err, pull.ErrMoved), !retriable(err, s.now()):
		s.log.Info("nothing is known of what tests leave changed", zap.String("repository", a.FullName),
			zap.Int64("pull", a.Pull), zap.Error(err))
		if a.Again == 0 || errors.Is(err, pull.ErrMoved) {
			return nil
		}
		return s.postCheck(ctx, a.push, unknownPolluters(err, inTime.Err() != nil))
	}
	return err
}

// postCheck queues the job that creates the check run.
func (s *Service) postCheck(ctx context.Context, here push, check github.Check) error {
	check.Name, check.HeadSHA, check.Status, check.ExternalID = github.PollutionName, here.Head, "completed", here.externalID()
	return s.store.Do(ctx, func(tx *store.Tx) error { return tx.Enqueue(s.in(annotateArgs{here, check}, 0)) })
}

// annotate creates the check run, if the head is still the same.
func (s *Service) annotate(ctx context.Context, a annotateArgs) error {
	at, err := s.target(a.Installation, a.Repository, a.FullName)
	if err != nil {
		return err
	}
	return s.inTurn(ctx, a.Installation, a.Repository, func() error {
		write := posting{at: at, pull: a.Pull, kind: kindPollutionCheck, key: a.key("pollution")}
		find := func() (int64, error) { return at.client.FindCheck(ctx, at.repo, a.Head, a.Check.ExternalID) }
		_, err := s.once(ctx, write, find, func() (int64, error) {
			if err := pull.StillAt(ctx, at.place(), a.Pull, a.Head); err != nil {
				return 0, err
			}
			return at.client.CreateCheck(ctx, at.repo, s.signed(a.Check))
		})
		if errors.Is(err, pull.ErrMoved) || github.Forbidden(err) || github.Unprocessable(err) {
			return nil // the pull request is gone, or the permission was removed
		}
		return err
	})
}
