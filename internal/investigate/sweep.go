package investigate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/riverqueue/river"
	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/store"
)

// GitHub delivers a webhook once, so deliveries get lost. At the start and at intervals, odfix asks
// for those that it missed. As GitHub keeps them for three days, odfix also checks all open pull
// requests.
type (
	redeliverArgs struct{} // ask for missed deliveries
	sweepArgs     struct{} // begin a sweep
	sweepOneArgs  struct { // sweep a page of an installation's repositories
		Installation int64 `json:"installation"`
		Page         int   `json:"page,omitempty"` // the first is 0
		// Done are the repositories of the page that earlier jobs have swept. Of the repository In,
		// they have seen the pull requests up to number Seen.
		Done []int64 `json:"done,omitempty"`
		In   int64   `json:"in,omitempty"`
		Seen int64   `json:"seen,omitempty"`
		// Tries counts jobs of the page that ended because repositories could not be read.
		Tries int `json:"tries,omitempty"`
	}
)

func (redeliverArgs) Kind() string { return "redeliver" }
func (sweepArgs) Kind() string     { return "sweep" }
func (sweepOneArgs) Kind() string  { return "sweep-installation" }

const (
	// kept is how long GitHub keeps deliveries, less some time for clocks.
	kept = 71 * time.Hour
	// mostAgain bounds how many deliveries are asked for at once.
	mostAgain = 500
	// overlap is how far before the last look for missed deliveries the next one begins: the clocks
	// of GitHub and odfix differ, and a delivery takes time.
	overlap = 10 * time.Minute
	// deliveriesRead is the mark up to which odfix has looked for missed deliveries.
	deliveriesRead = "deliveries"
)

// redeliver asks GitHub for the deliveries that odfix missed since it last asked for all of them.
func (s *Service) redeliver(ctx context.Context, _ redeliverArgs) error {
	begun := s.now()
	read, err := store.Read(ctx, s.store, func(tx *store.Tx) (time.Time, error) { return tx.Mark(deliveriesRead) })
	if err != nil {
		return err
	}
	since := begun.Add(-kept)
	if last := read.Add(-overlap); last.After(since) {
		since = last
	}
	missed, err := s.app.Missed(ctx, since)
	if err != nil {
		return err
	}
	slices.Reverse(missed) // the oldest first, which GitHub forgets first
	for n, id := range missed[:min(len(missed), mostAgain)] {
		if err := s.app.Redeliver(ctx, id); err != nil {
			if github.Unprocessable(err) || errors.Is(err, github.ErrGone) {
				continue // too old by now
			}
			s.log.Info("missed deliveries are asked for", zap.Int("so far", n))
			return err
		}
	}
	if len(missed) > 0 {
		s.log.Info("missed deliveries are asked for", zap.Int("count", min(len(missed), mostAgain)), zap.Int("of", len(missed)))
	}
	if len(missed) > mostAgain { // by then, those that were asked for have arrived
		return laterError{s.o.Pace.Look, "more deliveries were missed"}
	}
	return s.store.Do(ctx, func(tx *store.Tx) error { return tx.SetMark(deliveriesRead, begun) })
}

// sweep queues a job for every installation that is not being swept.
func (s *Service) sweep(ctx context.Context, _ sweepArgs) error {
	list, err := s.app.Installations(ctx)
	if err != nil {
		return err
	}
	err = s.store.Do(ctx, func(tx *store.Tx) error {
		for _, i := range list {
			known := store.Installation{ID: i.ID, AccountID: i.AccountID, Account: i.Account, Permissions: i.Permissions,
				Suspended: i.Suspended, Updated: i.Updated}
			if err := tx.SaveInstallation(known); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	var due []int64
	for _, i := range list {
		if !i.Suspended && s.permit(ctx, i.ID, 0) == nil { // jobs of a paused installation would pile up
			due = append(due, i.ID)
		}
	}
	return s.store.Do(ctx, func(tx *store.Tx) error {
		under, err := sweeps(tx)
		var jobs []river.InsertManyParams
		for _, id := range due {
			if _, busy := under[id]; !busy {
				jobs = append(jobs, s.in(sweepOneArgs{Installation: id}, 0))
			}
		}
		return errors.Join(err, tx.Enqueue(jobs...))
	})
}

// sweeps are the sweeps under way: the last page of each installation that has a job.
func sweeps(tx *store.Tx) (map[int64]int, error) {
	list, err := tx.Unfinished(sweepOneArgs{}.Kind())
	out := map[int64]int{}
	for _, text := range list {
		var a sweepOneArgs
		if err := json.Unmarshal(text, &a); err != nil {
			return nil, err
		}
		out[a.Installation] = max(out[a.Installation], a.Page)
	}
	return out, err
}

const (
	// pageSize is how many repositories one job sweeps at most.
	pageSize = 30
	// sweepTime is how long one job sweeps at most. Another one goes on where it ended.
	sweepTime = 4 * time.Minute
	// A job ends if this many repositories cannot be read in a row, since GitHub may have trouble.
	// Jobs of the same page begin again that often, and after that time.
	mostUnread  = 3
	unreadPause = 5 * time.Minute
)

// errSweepTime ends a job that has swept for long enough.
var errSweepTime = errors.New("the sweep goes on in another job")

// sweepOne updates the index for one page of an installation's repositories, and opens
// investigations of red heads that have none. Then it queues the next page.
func (s *Service) sweepOne(ctx context.Context, a sweepOneArgs) error {
	return s.inTurn(ctx, a.Installation, 0, func() error { return s.sweepPage(ctx, a) })
}

func (s *Service) sweepPage(ctx context.Context, a sweepOneArgs) error {
	client := s.app.For(a.Installation)
	repos, more, err := client.Repositories(ctx, a.Page+1, pageSize)
	if err != nil {
		return err
	}
	err = s.store.Do(ctx, func(tx *store.Tx) (err error) {
		for _, r := range repos {
			save := store.Repository{ID: r.ID, Installation: a.Installation, FullName: r.Owner + "/" + r.Name}
			err = errors.Join(err, tx.SaveRepository(save))
		}
		return err
	})
	if err != nil {
		return err
	}
	began, unread := s.now(), 0
	pause := func() error {
		if s.now().Sub(began) > sweepTime {
			return errSweepTime
		}
		return client.Spare()
	}
	for _, r := range repos {
		if slices.Contains(a.Done, r.ID) || stopped(s.permit(ctx, a.Installation, r.ID)) {
			continue
		}
		if a.In != r.ID {
			a.In, a.Seen = r.ID, 0
		}
		a.Seen, err = s.sweepListed(ctx, target{client, r.Repo, a.Installation}, r.Open, a.Seen, pause)
		until, limited := github.Until(err, s.now())
		switch {
		case limited && !paused(err):
			return s.sweepOn(ctx, a.Page, a, until.Sub(s.now())) // what is done is not repeated
		case errors.Is(err, errSweepTime):
			return s.sweepOn(ctx, a.Page, a, 0)
		case paused(err) || ctx.Err() != nil:
			return errors.Join(err, ctx.Err())
		case err != nil: // it does not keep the others from being swept
			s.log.Warn("a repository is not swept", zap.Int64("repository", r.ID), zap.Error(err))
			if unread++; unread >= mostUnread && a.Tries < mostUnread {
				a.Tries++
				return s.sweepOn(ctx, a.Page, a, unreadPause)
			}
		default:
			a.Done, unread = append(a.Done, r.ID), 0
		}
	}
	if !more {
		return nil
	}
	return s.sweepOn(ctx, a.Page, sweepOneArgs{Installation: a.Installation, Page: a.Page + 1}, 0)
}

// sweepOn queues the next job of a sweep, after one of a page. If a later page has a job, this job
// runs a second time, since its process died when it was done.
func (s *Service) sweepOn(ctx context.Context, page int, next sweepOneArgs, after time.Duration) error {
	return s.store.Do(ctx, func(tx *store.Tx) error {
		under, err := sweeps(tx)
		if err != nil || under[next.Installation] > page {
			return err
		}
		return tx.Enqueue(s.in(next, after))
	})
}

// sweepListed sweeps a repository, if it has or had something open. Most have not, and cost no
// request. Otherwise it goes on after the pull request with the number seen, as long as pause
// returns no error, and returns the number of the last one that it has seen.
func (s *Service) sweepListed(ctx context.Context, at target, open int, seen int64, pause func() error) (int64, error) {
	if open == 0 {
		return 0, s.closeGone(ctx, at, nil)
	}
	if err := pause(); err != nil {
		return seen, err
	}
	return s.sweepRepository(ctx, at, seen, pause)
}

// recent is how long after its last change a pull request is swept.
const recent = 14 * 24 * time.Hour

func (s *Service) sweepRepository(ctx context.Context, at target, seen int64, pause func() error) (int64, error) {
	pulls, err := at.client.OpenPulls(ctx, at.repo)
	if err != nil {
		return seen, err
	}
	slices.SortFunc(pulls, func(a, b github.Pull) int { return cmp.Compare(a.Number, b.Number) })
	swept := fewOfEachHead(pulls, at.repo.ID)
	for _, p := range pulls {
		if p.Number <= seen {
			continue
		}
		pr, err := s.learn(ctx, at, p)
		if err != nil {
			return seen, err
		}
		if s.now().Sub(p.Updated) <= recent && swept[p.Number] {
			if err := s.sweepPull(ctx, at, pr, pause); err != nil {
				return seen, err
			}
		}
		seen = p.Number
	}
	return seen, s.closeGone(ctx, at, pulls)
}

// fewOfEachHead are the numbers of the pull requests that are swept: up to mostPulls with each head.
func fewOfEachHead(pulls []github.Pull, repository int64) map[int64]bool {
	byHead := map[string][]store.PullRequest{}
	for _, p := range pulls {
		byHead[p.HeadSHA] = append(byHead[p.HeadSHA], store.PullRequest{Number: p.Number, HeadRepository: p.HeadRepository, HeadRef: p.HeadRef})
	}
	out := map[int64]bool{}
	for _, list := range byHead {
		list = firstOf(list, &github.CheckEvent{}, repository)
		for _, p := range list[:min(mostPulls, len(list))] {
			out[p.Number] = true
		}
	}
	return out
}

// sweepPull handles the head of a pull request, if it has no investigation.
func (s *Service) sweepPull(ctx context.Context, at target, pr store.PullRequest, pause func() error) error {
	if looked, err := s.lookedAt(ctx, pr); err != nil || looked {
		return err
	}
	if err := pause(); err != nil {
		return err
	}
	return s.sweepHead(ctx, at, pr)
}

// sweepHead handles a head without an investigation. If CI is red, it opens one. If CI is green, it
// settles comments about older heads.
func (s *Service) sweepHead(ctx context.Context, at target, p store.PullRequest) error {
	red, err := isRed(ctx, at, p)
	if err != nil {
		return err
	}
	if red {
		return s.open(ctx, at, p, "")
	}
	said, err := store.Read(ctx, s.store, func(tx *store.Tx) (bool, error) { return mayBeSettled(tx, p.Repository, p.HeadSHA) })
	if err != nil || !said {
		return err
	}
	return s.green(ctx, at, p.HeadSHA)
}

// isRed reports whether a workflow failed, or a check run of another CI system.
func isRed(ctx context.Context, at target, p store.PullRequest) (bool, error) {
	runs, err := allRuns(ctx, at, p.HeadSHA, p.HeadRef, "")
	if err != nil {
		return false, err
	}
	if slices.ContainsFunc(runs, func(r github.Run) bool { return failed(r) && r.Concerns(at.repo.ID, p.HeadRepository) }) {
		return true, nil
	}
	checks, err := at.client.RedChecks(ctx, at.repo, p.HeadSHA)
	return len(checks) > 0, err
}

// lookedAt reports whether this head has an investigation.
func (s *Service) lookedAt(ctx context.Context, p store.PullRequest) (bool, error) {
	list, err := s.investigations(ctx, p.Repository, p.Number)
	return slices.ContainsFunc(list, func(i store.Investigation) bool { return i.HeadSHA == p.HeadSHA }), err
}

// closeGone updates pull requests that are open in the index and that GitHub does not list as open.
func (s *Service) closeGone(ctx context.Context, at target, open []github.Pull) error {
	listed := map[int64]bool{}
	for _, p := range open {
		listed[p.Number] = true
	}
	known, err := store.Read(ctx, s.store, func(tx *store.Tx) ([]store.PullRequest, error) { return tx.OpenPullRequests(at.repo.ID) })
	for _, k := range known {
		if listed[k.Number] || err != nil {
			continue
		}
		var p github.Pull
		if p, err = at.client.Pull(ctx, at.repo, k.Number); errors.Is(err, github.ErrGone) {
			err = nil
			continue
		}
		if err == nil {
			_, err = s.learn(ctx, at, p)
		}
	}
	return err
}
