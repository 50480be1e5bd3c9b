package investigate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/pull"
	"github.com/odfix/odfix/internal/store"
)

// Delivered gets each delivery in the transaction that handles it, and the investigations that the
// delivery ended. Work that needs GitHub's API becomes a job.
func (s *Service) Delivered(tx *store.Tx, guid string, e *github.Event, ended []store.Investigation) error {
	for _, i := range ended {
		if err := tx.Enqueue(s.in(publishArgs{ID: i.ID}, 0)); err != nil {
			return err
		}
	}
	if removed, err := s.erasing(tx, e); err != nil || removed {
		return err
	}
	wanted := concerns(e) || pushes(e)
	if !wanted && succeeded(e) {
		var err error
		if wanted, err = mayBeSettled(tx, e.Repository.ID, e.Check.HeadSHA); err != nil {
			return err
		}
	}
	if !wanted {
		return nil
	}
	return tx.Enqueue(s.in(considerArgs{guid}, 0))
}

// succeeded reports whether the event says that a build of a CI system passed.
func succeeded(e *github.Event) bool {
	c := e.Check
	if c == nil || c.Conclusion != "success" {
		return false
	}
	return !ownCheck(e)
}

// ownCheck reports whether an event is about a check of odfix.
func ownCheck(e *github.Event) bool { return e.Name == "check_run" && e.Check.Name == github.CheckName }

// concerns reports whether an event can lead to an investigation.
func concerns(e *github.Event) bool {
	return e.Asked() || e.Check != nil && github.Red(e.Check.Conclusion) && !ownCheck(e)
}

// target is a repository and the client for its installation.
type target struct {
	client *github.Client
	repo   github.Repo
	inst   int64
}

func (t target) place() pull.Place { return pull.Place{Client: t.client, Repo: t.repo} }

func (s *Service) target(installation, repository int64, fullName string) (target, error) {
	r, err := github.RepoOf(repository, fullName)
	return target{s.app.For(installation), r, installation}, err
}

// targetOf is the target of an investigation, by the repository's current name.
func (s *Service) targetOf(ctx context.Context, i store.Investigation) (target, error) {
	r, err := store.Read(ctx, s.store, func(tx *store.Tx) (store.Repository, error) { return tx.Repository(i.Repository) })
	if err != nil {
		return target{}, fmt.Errorf("repository %d: %w", i.Repository, err)
	}
	return s.target(i.Installation, i.Repository, r.FullName)
}

// consider handles a stored delivery.
func (s *Service) consider(ctx context.Context, a considerArgs) error {
	d, err := store.Read(ctx, s.store, func(tx *store.Tx) (store.Delivery, error) { return tx.Delivery(a.GUID) })
	if errors.Is(err, store.ErrNotFound) {
		return nil // removed as old since
	}
	if err != nil {
		return err
	}
	var e github.Event
	if err := json.Unmarshal(d.Content, &e); err != nil {
		return fmt.Errorf("delivery %s: %w", a.GUID, err)
	}
	return s.inTurn(ctx, e.Installation, e.Repository.ID, func() error { return s.handle(ctx, &e, d.Received) })
}

func (s *Service) handle(ctx context.Context, e *github.Event, received time.Time) error {
	at, err := s.target(e.Installation, e.Repository.ID, e.Repository.FullName)
	if err != nil {
		return err
	}
	switch {
	case e.Asked():
		return s.asked(ctx, at, e, received)
	case pushes(e):
		return s.pushed(ctx, at, e)
	case e.Check == nil:
		return nil
	case e.Check.Conclusion == "success":
		return s.green(ctx, at, e.Check.HeadSHA)
	}
	return s.red(ctx, at, e.Check, received)
}

// firstOf sorts pull requests with one head: those that CI names, those of the branch that CI ran for,
// those of the repository itself, then the others, of which the forks take turns. Somebody else can have
// very many with that head.
func firstOf(pulls []store.PullRequest, c *github.CheckEvent, repository int64) []store.PullRequest {
	rank := func(p store.PullRequest) int {
		switch {
		case slices.Contains(c.PullRequests, p.Number):
			return 0
		case c.HeadRepository != 0 && p.HeadRepository == c.HeadRepository && p.HeadRef == c.HeadBranch:
			return 1
		case p.HeadRepository == repository:
			return 2
		}
		return 3
	}
	slices.SortFunc(pulls, func(a, b store.PullRequest) int { return cmp.Compare(a.Number, b.Number) })
	turn, earlier := map[int64]int{}, map[int64]int{}
	for _, p := range pulls {
		turn[p.Number] = earlier[p.HeadRepository]
		earlier[p.HeadRepository]++
	}
	slices.SortStableFunc(pulls, func(a, b store.PullRequest) int { return cmp.Or(rank(a)-rank(b), turn[a.Number]-turn[b.Number]) })
	return pulls
}

// mostPulls is how many pull requests with one head are investigated. The logs are read for each.
const mostPulls = 10

// red opens an investigation for each pull request whose head the red commit is, up to mostPulls.
func (s *Service) red(ctx context.Context, at target, c *github.CheckEvent, received time.Time) error {
	pulls, known, err := s.locate(ctx, at, c)
	if err != nil {
		return err
	}
	// The API can lag behind the webhook, and the pull request of a branch can be opened after its
	// first push is red. Those of somebody else may be there already, or may have been.
	own := func(p store.PullRequest) bool { return c.HeadRepository == 0 || p.HeadRepository == c.HeadRepository }
	if !known && !slices.ContainsFunc(pulls, own) && s.now().Sub(received) < s.o.Pace.Gather {
		return laterError{s.o.Pace.Look, "no pull request has this head yet"}
	}
	pulls = concerned(pulls, c, at.repo.ID)
	if n := len(pulls); n > mostPulls {
		s.log.Warn("too many pull requests have the same head; only some are investigated", zap.String("head", c.HeadSHA), zap.Int("pulls", n))
		pulls = firstOf(pulls, c, at.repo.ID)[:mostPulls]
	}
	for _, p := range pulls { // an error of one keeps no other from being opened
		err = errors.Join(err, s.open(ctx, at, p, c.Key))
	}
	return err
}

// concerned are the pull requests that a red run can count for: all, or those of its fork.
func concerned(pulls []store.PullRequest, c *github.CheckEvent, repository int64) []store.PullRequest {
	if c.HeadRepository == 0 || c.HeadRepository == repository {
		return pulls
	}
	return slices.DeleteFunc(pulls, func(p store.PullRequest) bool { return p.HeadRepository != c.HeadRepository })
}

// anyOfBranch reports whether one of these pull requests is of the branch that CI ran for, if that
// is known.
func anyOfBranch(pulls []store.PullRequest, c *github.CheckEvent) bool {
	return c.HeadRepository == 0 || c.HeadBranch == "" || slices.ContainsFunc(pulls, func(p store.PullRequest) bool {
		return p.HeadRepository == c.HeadRepository && p.HeadRef == c.HeadBranch
	})
}

// locate finds the open pull requests with this head: in the index, which knows forks, else through
// the API. known: the commit is or was the head of a pull request of the repository that CI ran
// for, of any if CI does not say. Somebody else's pull request with this head may be in the index, open
// or closed, and that of CI's branch not yet.
func (s *Service) locate(ctx context.Context, at target, c *github.CheckEvent) (pulls []store.PullRequest, known bool, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) (err error) {
		if pulls, err = tx.PullRequestsAt(at.repo.ID, c.HeadSHA); err == nil {
			known, err = tx.WasHead(at.repo.ID, c.HeadSHA, c.HeadRepository)
		}
		return err
	})
	if err != nil || len(pulls) == 0 && known && c.HeadRepository == 0 || len(pulls) > 0 && anyOfBranch(pulls, c) {
		return pulls, known, err
	}
	var found []github.Pull
	for _, n := range c.PullRequests {
		p, err := at.client.Pull(ctx, at.repo, n)
		if err != nil && !errors.Is(err, github.ErrGone) {
			return nil, false, err
		}
		if err == nil && p.Open && p.HeadSHA == c.HeadSHA {
			found = append(found, p)
		}
	}
	if len(found) == 0 {
		owner := ""
		if c.HeadRepository == at.repo.ID {
			owner = at.repo.Owner
		}
		if found, err = at.client.PullsAt(ctx, at.repo, c.HeadSHA, owner, c.HeadBranch); err != nil {
			return nil, false, err
		}
	}
	for _, p := range found {
		pr, err := s.learn(ctx, at, p)
		if err != nil {
			return nil, false, err
		}
		if !slices.ContainsFunc(pulls, func(o store.PullRequest) bool { return o.Number == pr.Number }) {
			pulls = append(pulls, pr)
		}
	}
	return pulls, known, nil
}

// learn saves a pull request as the API describes it in the index.
func (s *Service) learn(ctx context.Context, at target, p github.Pull) (store.PullRequest, error) {
	pr := store.PullRequest{Repository: at.repo.ID, Number: p.Number, HeadSHA: p.HeadSHA,
		HeadRepository: p.HeadRepository, HeadRef: p.HeadRef, BaseRef: p.BaseRef, Open: p.Open, Updated: p.Updated}
	err := s.store.Do(ctx, func(tx *store.Tx) error {
		left, err := tx.SavePullRequest(pr)
		for _, i := range left {
			err = errors.Join(err, tx.Enqueue(s.in(publishArgs{ID: i.ID}, 0)))
		}
		return err
	})
	return pr, err
}

// open opens the investigation of a head. If there is one, it checks whether more tests failed,
// unless the red job or run with this key was read.
func (s *Service) open(ctx context.Context, at target, p store.PullRequest, key string) error {
	cfg, err := s.config(ctx, at, p.BaseRef)
	if err != nil {
		return err
	}
	if len(cfg.Problems) > 0 {
		return s.badConfig(ctx, at, p, cfg)
	}
	if !cfg.Config.Enabled {
		return nil
	}
	return s.store.Do(ctx, func(tx *store.Tx) error {
		i, created, err := tx.OpenInvestigation(store.Push{
			Installation: at.inst, Repository: p.Repository, PullRequest: p.Number, HeadSHA: p.HeadSHA,
			Lifetime: lifetime(cfg.Config.Budgets),
		})
		if errors.Is(err, store.ErrStale) {
			return nil // there is a newer push, which has its own CI
		}
		if err != nil {
			return err
		}
		if created {
			s.log.Info("investigation opened", zap.String("investigation", i.ID),
				zap.String("repository", at.repo.Owner+"/"+at.repo.Name), zap.Int64("pull", p.Number), zap.String("head", p.HeadSHA))
		}
		again, after := i.State != store.Collecting, time.Duration(0)
		if !again && !created { // by then, the first job has ended, or waits for the end of the run
			after = s.o.Pace.Look
		}
		if again && key != "" {
			var known struct{ Read []string } // not its names of tests
			if err := tx.Evidence(i.ID, &known); ignoreMissing(err) != nil || slices.Contains(known.Read, key) {
				return ignoreMissing(err)
			}
		}
		return tx.Enqueue(s.in(collectArgs{ID: i.ID, Again: again, Later: !created, Key: key}, after))
	})
}

// lifetime is how long an investigation may take in all: twice the time of its jobs, and an hour to
// wait in the queue.
func lifetime(b config.Budgets) time.Duration {
	return 2*time.Duration(b.JobMinutes+b.ProofMinutes)*time.Minute + time.Hour
}
