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

	"github.com/odfix/odfix/internal/ci"
	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/store"
)

// collect finds the failing tests and queues the investigation for a runner.
func (s *Service) collect(ctx context.Context, a collectArgs) error {
	i, err := s.investigation(ctx, a.ID)
	if err != nil {
		return ignoreMissing(err)
	}
	if i.State != store.Collecting {
		if !a.Again && !a.Later && a.Key == "" {
			return nil // it has been done, and was interrupted before its end
		}
		a.Again = true // also if it became one of a later delivery while it waited
		if i, err = s.newestOf(ctx, i); err != nil {
			return err
		}
		if !a.looksAnyway { // else others may have ended because this one will look
			if read, err := s.wasRead(ctx, i, a.Key); read || err != nil {
				return err
			}
		}
	}
	if err = s.collectInTurn(ctx, i, a); errors.Is(err, errNoLook) {
		return nil
	}
	return err
}

// newestOf is the newest investigation of the same head: CI may have become red again meanwhile.
func (s *Service) newestOf(ctx context.Context, i store.Investigation) (store.Investigation, error) {
	all, err := store.Read(ctx, s.store, func(tx *store.Tx) ([]store.Investigation, error) {
		return tx.Investigations(i.Repository, i.PullRequest)
	})
	for _, x := range all { // the newest first
		if x.HeadSHA == i.HeadSHA {
			return x, nil
		}
	}
	return i, err
}

func (s *Service) collectInTurn(ctx context.Context, i store.Investigation, a collectArgs) error {
	if !i.State.Ended() && (i.State != store.Collecting || i.ID != a.ID) { // its logs are not read again and again meanwhile
		return s.inTurn(ctx, i.Installation, i.Repository, func() error {
			return s.oneComesBack(ctx, a, laterError{6 * s.o.Pace.Look, "the current investigation ends first"})
		})
	}
	later, err := s.later(ctx, i, a)
	if err != nil {
		return err
	}
	return s.inTurn(ctx, i.Installation, i.Repository, func() error {
		// Before GitHub is asked for what is only needed with the logs.
		if stay := s.unread(i); stay > 0 && later {
			return s.oneComesBack(ctx, a, laterError{stay, whyUnread})
		} else if stay > 0 {
			return laterError{stay, whyUnread}
		}
		if later {
			if err := s.lookAgain(ctx, i, a); err != nil {
				return err
			}
		}
		return s.collectOne(ctx, i, a, later)
	})
}

func (s *Service) collectOne(ctx context.Context, i store.Investigation, a collectArgs, later bool) error {
	at, p, cfg, err := s.current(ctx, i)
	if err != nil || p == nil {
		return err
	}
	s.heads.saw(looksOf(i, a.Key), p.Author.ID, s.now())
	if i.State != store.Collecting {
		return s.collectMore(ctx, at, i, p, a.Key, cfg.Config)
	}
	runs, err := runsOn(ctx, at, p, cfg.Config, nil)
	if err != nil {
		return err
	}
	age := s.now().Sub(i.Created)
	rest := s.o.Pace.Gather - age
	early := rest > 0
	// Why to wait for the run's other jobs. A delivery about the red end of the run ends the wait
	// earlier; a run that is cancelled, or passes in spite of a red job, has none. All logs are read
	// once until the check is queued, and once when the wait ends.
	var wait error
	if early && runs.underWay() {
		if wait, err = s.waitFor(ctx, a, rest); err != nil {
			return err
		}
		if id, err := s.postedID(ctx, i, checkKey(i)); err != nil || id != 0 {
			return cmp.Or(err, wait)
		}
	}
	ev, whole, err := s.gatherInTurn(ctx, at, p, runs, cfg.Config.CI)
	if err != nil {
		return err
	}
	if later {
		s.heads.read(looksOf(i, a.Key), s.now())
	}
	if early && !whole && len(ev.Tests) == 0 {
		return laterError{min(rest, max(age, s.o.Pace.Look)), "GitHub does not have the log yet"}
	}
	return s.begin(ctx, at, i, p, ev, cfg.Config, wait)
}

// collectMore reads jobs that became red after those of an investigation that has ended. If tests
// failed that are not known, it reads all of CI again: tests of several jobs form one investigation.
func (s *Service) collectMore(ctx context.Context, at target, i store.Investigation, p *github.Pull, key string, cfg config.Config) error {
	known, err := s.evidence(ctx, i)
	if err != nil {
		return err
	}
	runs, err := runsOn(ctx, at, p, cfg, known.Read)
	if err != nil {
		return err
	}
	ev := evidence{Read: runs.ended}
	if len(runs.red) > 0 || key == "" { // other CI systems have no jobs here, but perhaps annotations
		var whole bool
		if ev, whole, err = s.gatherInTurn(ctx, at, p, runs, cfg.CI); err != nil {
			return err
		}
		if looks := s.heads.read(looksOf(i, key), s.now()); !whole && len(ev.Tests) == 0 && looks < mostDoublings {
			return laterError{s.o.Pace.Look, "GitHub does not have the log yet"}
		}
	} else {
		s.heads.nothing(looksOf(i, key), s.now())
	}
	ev.leaveOut(cfg, s.now())
	if len(known.Read) > 0 && known.add(evidence{Tests: slices.Concat(ev.Tests, ev.Spare)}) {
		if runs, err = runsOn(ctx, at, p, cfg, nil); err != nil {
			return err
		}
		if ev, _, err = s.gatherInTurn(ctx, at, p, runs, cfg.CI); err != nil {
			return err
		}
		ev.leaveOut(cfg, s.now())
	}
	return s.more(ctx, i, ev, cfg)
}

// waitFor is how a job waits for the other jobs of a run: the oldest one of the investigation that waits
// comes back after the rest of the time, also if its process was killed meanwhile. The others end. One
// that runs may have looked already, and not every job will look.
func (s *Service) waitFor(ctx context.Context, a collectArgs, rest time.Duration) (wait, err error) {
	older, err := s.waitingBefore(ctx, a)
	if slices.ContainsFunc(older, willLook) {
		return errNoLook, err
	}
	return laterError{rest, "other jobs of the run are under way"}, err
}

// investigation reads one.
func (s *Service) investigation(ctx context.Context, id string) (store.Investigation, error) {
	return store.Read(ctx, s.store, func(tx *store.Tx) (store.Investigation, error) { return tx.Investigation(id) })
}

// investigations reads those of a pull request, the newest first.
func (s *Service) investigations(ctx context.Context, repository, pull int64) ([]store.Investigation, error) {
	return store.Read(ctx, s.store, func(tx *store.Tx) ([]store.Investigation, error) { return tx.Investigations(repository, pull) })
}

func ignoreMissing(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// current asks GitHub whether the investigation's commit is still the pull request's head. If it is
// not, the pull request is nil, the index is up to date, and the investigation has ended.
func (s *Service) current(ctx context.Context, i store.Investigation) (target, *github.Pull, config.Resolved, error) {
	at, err := s.targetOf(ctx, i)
	if err != nil {
		return at, nil, config.Resolved{}, err
	}
	p, err := at.client.Pull(ctx, at.repo, i.PullRequest)
	if errors.Is(err, github.ErrGone) {
		return at, nil, config.Resolved{}, s.end(ctx, i, store.Cancelled, "the pull request does not exist any more")
	}
	if err != nil {
		return at, nil, config.Resolved{}, err
	}
	if _, err := s.learn(ctx, at, p); err != nil {
		return at, nil, config.Resolved{}, err
	}
	if p.HeadSHA != i.HeadSHA || !p.Open {
		if i, err = s.investigation(ctx, i.ID); err == nil && !i.State.Ended() {
			err = laterError{s.o.Pace.Look, "GitHub's API does not yet show what a webhook reported"}
		}
		return at, nil, config.Resolved{}, err
	}
	cfg, err := s.config(ctx, at, p.BaseRef)
	return at, &p, cfg, err
}

// end ends an investigation and queues the job that ends its check run.
func (s *Service) end(ctx context.Context, i store.Investigation, to store.State, reason string) error {
	err := s.store.Do(ctx, func(tx *store.Tx) error {
		_, err := tx.Move(i.ID, store.Change{To: to, Reason: reason, From: i.State})
		if err != nil && !errors.Is(err, store.ErrState) {
			return err
		}
		return tx.Enqueue(s.in(publishArgs{ID: i.ID}, 0))
	})
	s.log.Info("investigation ended", zap.String("investigation", i.ID), zap.String("state", string(to)), zap.String("reason", reason))
	return err
}

// begin queues the check of an investigation and then the investigation, if there are tests to
// investigate. wait is why only the check is queued for now, or nil.
func (s *Service) begin(ctx context.Context, at target, i store.Investigation, p *github.Pull, ev evidence, cfg config.Config,
	wait error) error {
	ev.leaveOut(cfg, s.now())
	if wait != nil && len(ev.Tests) == 0 {
		return wait
	}
	if err := s.keep(ctx, i, ev); err != nil {
		return err
	}
	if len(ev.Tests) == 0 {
		return s.end(ctx, i, store.Cancelled, "no test failed that odfix looks into")
	}
	if full, err := s.spent(ctx, i, cfg); err != nil || full {
		if full {
			err = s.end(ctx, i, store.Cancelled, "the repository has had as many investigations today as its configuration allows")
		}
		return err
	}
	if held, err := s.held(ctx, at, i, p, &ev); err != nil || held {
		return err
	}
	if _, err := s.check(ctx, at, i, s.signed(queuedCheck(ev))); err != nil && !github.Forbidden(err) {
		return err
	}
	if wait != nil {
		return wait
	}
	order, err := json.Marshal(ev.Order)
	if err != nil {
		return err
	}
	err = s.store.Do(ctx, func(tx *store.Tx) error {
		// The job of another delivery may have queued it meanwhile, and a runner may have taken it.
		if _, err := tx.Move(i.ID, store.Change{To: store.Queued, From: store.Collecting}); err != nil {
			return err
		}
		if err := errors.Join(ev.save(tx, i.ID), tx.SaveOrder(i.ID, order), tx.CountForAuthor(i.ID, p.Author.ID)); err != nil {
			return err
		}
		return tx.Enqueue(s.in(runArgs{i.ID}, 0))
	})
	if errors.Is(err, store.ErrState) { // it may be superseded: the check run must not stay queued
		return s.store.Do(ctx, func(tx *store.Tx) error { return tx.Enqueue(s.in(publishArgs{ID: i.ID}, 0)) })
	}
	return err
}

// keep saves the evidence of an investigation that may end before it is queued, so that later
// deliveries about the same push open no further round. Strangers can cause very many, so it saves
// digests of the tests' names only. A runner may have taken it meanwhile: then what that has saved
// stays.
func (s *Service) keep(ctx context.Context, i store.Investigation, ev evidence) error {
	return s.store.Do(ctx, func(tx *store.Tx) error {
		now, err := tx.Locked(i.ID)
		if err != nil || now.State != store.Collecting {
			return ignoreMissing(err)
		}
		return ev.digested().save(tx, i.ID)
	})
}

// mostNotes bounds the notes about what was left out.
const mostNotes = 50

// leaveOut removes the tests that the configuration ignores.
func (ev *evidence) leaveOut(cfg config.Config, now time.Time) {
	var named []ci.JestTest
	for _, e := range cfg.Ignore {
		named = append(named, ci.JestTestOf(string(e.Test)))
	}
	ev.Tests = slices.DeleteFunc(ev.Tests, func(t string) bool {
		rule, ignored := ev.ignored(cfg, named, t, now)
		if ignored && len(ev.Notes) < mostNotes {
			ev.Notes = append(ev.Notes, fmt.Sprintf("%s is left alone until %s: %s", t, rule.Until, rule.Reason))
		}
		return ignored
	})
	if ev.Order != nil {
		ev.Order.Failed = slices.Clone(ev.Tests)
	}
}

// ignored is the entry because of which odfix ignores a test. Sources of Jest name a test with its
// file or without; named are the entries' tests.
func (ev *evidence) ignored(cfg config.Config, named []ci.JestTest, test string, now time.Time) (config.Ignore, bool) {
	rule, is := cfg.Ignored(test, now)
	if is || ev.Tool != ci.Jest {
		return rule, is
	}
	of := ci.JestTestOf(test)
	for i := 0; i < len(named) && !is; i++ {
		if named[i].Same(of) {
			rule, is = cfg.Ignored(string(cfg.Ignore[i].Test), now)
		}
	}
	return rule, is
}

// spent reports whether the repository has used up its investigations of the last day. Each of them
// has a check run, so check runs of others are counted.
func (s *Service) spent(ctx context.Context, i store.Investigation, cfg config.Config) (bool, error) {
	var counted bool
	var n int64
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		if counted, err = tx.HasPosted(checkKey(i)); err == nil {
			n, err = tx.CountPosted(i.Repository, kindCheck, s.now().Add(-24*time.Hour))
		}
		return err
	})
	return !counted && n >= int64(cfg.Budgets.InvestigationsPerDay), err
}

// more opens another round if CI's later jobs have failing tests that the investigation, which has
// ended, does not know.
func (s *Service) more(ctx context.Context, i store.Investigation, ev evidence, cfg config.Config) error {
	return s.store.Do(ctx, func(tx *store.Tx) error {
		if now, err := tx.Locked(i.ID); err != nil || !now.State.Ended() {
			return ignoreMissing(err)
		}
		var known evidence
		if err := ignoreMissing(tx.Evidence(i.ID, &known)); err != nil {
			return err
		}
		fresh := known.add(ev)
		if err := known.save(tx, i.ID); err != nil || !fresh {
			return err
		}
		next, created, err := tx.OpenInvestigation(store.Push{
			Installation: i.Installation, Repository: i.Repository, PullRequest: i.PullRequest, HeadSHA: i.HeadSHA,
			Lifetime: lifetime(cfg.Budgets), Again: true,
		})
		if errors.Is(err, store.ErrStale) || err == nil && !created {
			return nil
		}
		if err != nil {
			return err
		}
		return tx.Enqueue(s.in(collectArgs{ID: next.ID}, 0))
	})
}
