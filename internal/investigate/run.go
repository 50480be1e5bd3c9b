package investigate

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"github.com/sourcegraph/conc"
	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/accept"
	"github.com/odfix/odfix/internal/archive"
	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/pause"
	"github.com/odfix/odfix/internal/pull"
	"github.com/odfix/odfix/internal/store"
)

// errTaken means that another job has taken the investigation, or that it has ended.
var errTaken = errors.New("another job has the investigation")

// run takes a queued investigation and gives it to a runner. There are as many of these jobs as
// queued investigations. Each takes the one whose turn it is, so that the many of one installation
// do not delay those of others. If another job takes it first, that job's own one is still queued,
// perhaps without another job. So this job takes the next one.
func (s *Service) run(ctx context.Context, a runArgs) error {
	for {
		if err := s.runNext(ctx, a); !errors.Is(err, errTaken) || ctx.Err() != nil {
			return err
		}
	}
}

func (s *Service) runNext(ctx context.Context, a runArgs) error {
	turn, err := store.Read(ctx, s.store, func(tx *store.Tx) (store.Investigation, error) {
		return tx.NextQueued(s.now().Add(-time.Hour))
	})
	if errors.Is(err, store.ErrNotFound) {
		return s.resumed(ctx)
	}
	if err != nil {
		return err
	}
	if turn.ID == a.ID {
		return s.runOne(ctx, a.ID)
	}
	err = s.runOne(ctx, turn.ID)
	if err == nil || errors.Is(err, errTaken) || ctx.Err() != nil {
		return err
	}
	// An investigation that cannot run does not delay others, whatever the reason. If the job's own
	// investigation has run already, the job stays for the one that waits.
	i, ierr := s.investigation(ctx, a.ID)
	if ierr != nil || i.State != store.Queued {
		return err
	}
	s.log.Info("the next investigation cannot run", zap.String("investigation", turn.ID), zap.Error(err))
	return s.runOne(ctx, a.ID)
}

// runOne holds a lease on the investigation while a runner works. It stops the runner when the
// lease is lost: to a newer push, when the pull request is closed, or at the deadline. errTaken: it is
// not queued any more.
func (s *Service) runOne(ctx context.Context, id string) error {
	i, err := s.investigation(ctx, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && i.State != store.Queued {
		return errTaken
	}
	if err != nil {
		return err
	}
	at, p, cfg, err := s.current(ctx, i)
	if errors.Is(err, errForeign) { // returned, so that the job goes on with its own
		return errors.Join(err, s.failed(ctx, i, "", err))
	}
	if err != nil || p == nil {
		return err
	}
	ev, err := s.ordered(ctx, i)
	if err != nil {
		return err
	}
	draft, err := s.draft(ctx, i.ID)
	if err != nil {
		return err
	}
	sha := ev.Tested // the draft is about this commit
	if draft == nil {
		if sha, err = s.tested(ctx, at, p, ev); err != nil {
			return err
		}
	}
	holder := s.me + "/" + newName()
	err = s.store.Do(ctx, func(tx *store.Tx) (err error) {
		i, err = tx.Take(i.ID, holder)
		return err
	})
	if errors.Is(err, store.ErrState) {
		return errTaken
	}
	if err != nil {
		return err
	}
	r := running{s: s, at: at, i: i, holder: holder, ev: ev, cfg: cfg.Config, sha: sha, draft: draft}
	if draft != nil {
		return r.confirm(ctx)
	}
	return r.toItsEnd(ctx)
}

// running is an investigation whose lease this process holds.
type running struct {
	s      *Service
	at     target
	i      store.Investigation
	holder string
	ev     evidence
	cfg    config.Config
	sha    string
	draft  *store.Draft // nil: this is the first runner
}

// toItsEnd runs the job and saves its report, or the reason why there is none. If this process is
// stopped, the investigation goes back to the queue.
func (r *running) toItsEnd(ctx context.Context) error {
	begun := r.s.now()
	report, err := r.ask(ctx)
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	lost := errors.Is(err, store.ErrLeaseLost)
	switch {
	case lost:
		r.s.log.Info("runner stopped", zap.String("investigation", r.i.ID))
		return r.lost(after)
	case ctx.Err() != nil, paused(err):
		return r.giveBack(after, err)
	case err != nil && retriable(err, r.s.now()) && !r.unanswered(err):
		return errors.Join(err, r.giveBack(after, err))
	case err != nil:
		return r.s.failed(after, r.i, r.holder, err)
	}
	r.s.log.Info("report", zap.String("investigation", r.i.ID), zap.Duration("took", r.s.now().Sub(begun)),
		zap.Bool("finished", report.Finished))
	return r.save(after, report)
}

// save saves the report. One with patches is a draft until a second runner has confirmed it.
func (r *running) save(ctx context.Context, report *job.Report) error {
	second := r.draft == nil && unconfirmed(report)
	r.ev.Confirmed = !second
	err := r.s.store.Do(ctx, func(tx *store.Tx) error {
		if second {
			if _, err := tx.SaveDraft(r.i.ID, r.holder, report); err != nil {
				return err
			}
			return errors.Join(r.ev.save(tx, r.i.ID), tx.Enqueue(r.s.in(runArgs{r.i.ID}, 0)))
		}
		if _, err := tx.SaveReport(r.i.ID, r.holder, report); err != nil {
			return err
		}
		return errors.Join(r.ev.save(tx, r.i.ID), tx.ForgetOrder(r.i.ID), tx.Enqueue(r.s.in(publishArgs{ID: r.i.ID}, 0)))
	})
	if errors.Is(err, store.ErrLeaseLost) {
		return nil
	}
	return err
}

// lost completes the check run again. The process that took the investigation has completed it, but
// a progress update of ours may have reopened it since. By now no update is under way.
func (r *running) lost(ctx context.Context) error {
	return r.s.store.Do(ctx, func(tx *store.Tx) error {
		i, err := tx.Investigation(r.i.ID)
		if err != nil || !i.State.Ended() || i.State == store.Done {
			return ignoreMissing(err)
		}
		return tx.Enqueue(r.s.in(publishArgs{ID: i.ID, Again: true}, 0))
	})
}

// retriable reports whether another attempt may succeed: after GitHub's limits, or a failed
// network. A runner's error or a refused archive would come again.
func retriable(err error, now time.Time) bool {
	var known *job.Error
	_, limited := github.Until(err, now)
	return limited || !errors.As(err, &known) && !errors.Is(err, archive.ErrRefused) && !errors.Is(err, github.ErrGone) &&
		!errors.Is(err, github.ErrLarge)
}

// giveBack puts the investigation back into the queue. An attempt that was paused does not count. One whose
// runners were all stopped is counted in the evidence, too.
func (r *running) giveBack(ctx context.Context, why error) error {
	err := r.s.store.Do(ctx, func(tx *store.Tx) error {
		if _, err := tx.Move(r.i.ID, store.Change{To: store.Queued, Holder: r.holder, Uncounted: paused(why)}); err != nil {
			return err
		}
		if errors.Is(why, dispatch.ErrUnanswered) {
			if err := countUnanswered(tx, r.i.ID); err != nil {
				return err
			}
		}
		return tx.Enqueue(r.s.in(runArgs{r.i.ID}, r.s.o.Pace.Look))
	})
	if errors.Is(err, store.ErrLeaseLost) {
		return nil
	}
	return err
}

// failed ends an investigation with an error, which its check run shows.
func (s *Service) failed(ctx context.Context, i store.Investigation, holder string, because error) error {
	s.log.Warn("investigation failed", zap.String("investigation", i.ID), zap.Error(because))
	err := s.store.Do(ctx, func(tx *store.Tx) error {
		if _, err := tx.Move(i.ID, store.Change{To: store.Failed, Reason: forPeople(because), Holder: holder}); err != nil {
			return err
		}
		return tx.Enqueue(s.in(publishArgs{ID: i.ID}, 0))
	})
	if errors.Is(err, store.ErrLeaseLost) || errors.Is(err, store.ErrState) {
		return nil
	}
	return err
}

// forPeople is the text of an error without details that are for logs.
func forPeople(err error) string {
	var known *job.Error
	switch {
	case errors.As(err, &known) && known.Hint != "":
		return known.Message + ". " + known.Hint
	case errors.As(err, &known):
		return known.Message
	case errors.Is(err, dispatch.ErrUnanswered):
		return "each runner that took the job was stopped before the job ended. Tests that end other processes can be the cause"
	case errors.Is(err, errForeign):
		return errForeign.Error()
	case errors.Is(err, github.ErrGone):
		return "GitHub does not have the commit's sources any more"
	case errors.Is(err, github.ErrLarge), errors.Is(err, archive.ErrRefused):
		return err.Error()
	}
	return "odfix could not do its work; the log of odfix has the reason"
}

// leaving is a context for a dispatcher. If the outer one is cancelled, this process stops, and the
// job may go on: another process waits for it.
func leaving(outer context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithoutCancel(outer), context.CancelFunc(func() {})
	if end, ok := outer.Deadline(); ok {
		ctx, cancel = context.WithDeadline(ctx, end)
	}
	ctx, stop := context.WithCancelCause(ctx)
	done := context.AfterFunc(outer, func() {
		if !errors.Is(outer.Err(), context.DeadlineExceeded) {
			stop(dispatch.ErrLeave)
		}
	})
	return ctx, func(cause error) {
		done()
		stop(cause)
		cancel()
	}
}

// ask reads the sources and dispatches the job. Meanwhile it renews the lease and shows progress
// on the check run.
func (r *running) ask(ctx context.Context) (*job.Report, error) {
	ctx, stop := leaving(ctx)
	defer stop(nil)
	p := newProgress(r)
	var side conc.WaitGroup
	side.Go(func() { r.keepLease(ctx, stop) })
	side.Go(func() { p.show(ctx) })
	report, err := r.dispatch(ctx, p)
	cause := context.Cause(ctx)
	stop(nil)
	side.Wait()
	switch {
	case errors.Is(cause, store.ErrLeaseLost):
		return nil, store.ErrLeaseLost
	case stopped(cause): // a runner that is stopped may answer with a part of its report
		return nil, cause
	}
	return report, err
}

func (r *running) dispatch(ctx context.Context, p *progress) (*job.Report, error) {
	sources, err := pull.Sources(ctx, r.at.place(), r.sha, r.s.o.Dir)
	if err != nil {
		return nil, err
	}
	defer sources.Close()
	notes := r.ev.Notes
	j, err := r.job(ctx, sources)
	if err != nil {
		return nil, err
	}
	if r.draft != nil {
		j = r.verification(j)
		r.ev.Notes = notes // they are those of the first job
	} else {
		j.Change = r.change(ctx)
	}
	var first []job.Contact // of the first job, if this is the second
	if r.draft != nil {
		first = r.ev.Contacted
	}
	begun, kept := r.s.now(), time.Time{}
	answer, err := r.s.o.Dispatcher.Run(ctx, j, func(e job.Event) {
		if len(e.Contacted) == 0 {
			p.event(e)
			return
		}
		r.ev.Contacted = slices.Concat(first, e.Contacted)
		if r.s.now().Sub(kept) > contactsPause {
			r.keepContacts(ctx)
			kept = r.s.now()
		}
	})
	r.keepContacts(ctx)
	if err != nil {
		return nil, err
	}
	report, err := accept.Report(ctx, answer, r.scope(ctx, sources, j))
	if err != nil {
		return nil, err
	}
	report.Started, report.Project.Revision = begun, r.sha
	r.ev.Tested = r.sha
	return report, nil
}

// contactsPause is between two times that hosts are kept while a job runs. A worker may send any
// number of lists of them.
const contactsPause = 10 * time.Second

// keepContacts logs the hosts that the jobs asked for, and keeps them with the investigation instead of
// an earlier list, if no other process has taken it since.
func (r *running) keepContacts(ctx context.Context) {
	if len(r.ev.Contacted) == 0 {
		return
	}
	r.s.log.Info("hosts that the job asked for", zap.String("investigation", r.i.ID), zap.Any("contacted", r.ev.Contacted))
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	err := r.s.store.Do(ctx, func(tx *store.Tx) error {
		now, err := tx.Locked(r.i.ID)
		if err != nil || now.Holder != r.holder {
			return ignoreMissing(err)
		}
		return r.ev.save(tx, r.i.ID)
	})
	if err != nil {
		r.s.log.Warn("hosts that a job asked for were not kept", zap.String("investigation", r.i.ID), zap.Error(err))
	}
}

// scope is what the report of a job may be about.
func (r *running) scope(ctx context.Context, sources fs.FS, j job.Job) accept.Scope {
	s := accept.Scope{Language: j.Language, Sources: sources, Base: pull.BaseOf(ctx, r.at.place(), r.i.PullRequest), Dir: j.Dir,
		Tests: r.ev.Tests, Args: j.BuildArgs}
	if j.Order != nil {
		s.OrderSource = j.Order.Source
	}
	return s
}

// keepLease renews the lease until the context ends. It ends the context when the lease is lost, or
// when the operator stops the work.
func (r *running) keepLease(ctx context.Context, stop context.CancelCauseFunc) {
	for last := time.Now(); pause.For(ctx, r.s.o.Pace.Beat); {
		i, err := r.renew(ctx)
		switch {
		case err == nil:
			last = time.Now()
			if err := r.s.permit(ctx, r.i.Installation, r.i.Repository); stopped(err) {
				stop(err)
				return
			}
		case errors.Is(err, store.ErrLeaseLost) && (i.State.Ended() || !i.Deadline.After(r.s.now())):
			stop(store.ErrLeaseLost)
			return
		case errors.Is(err, store.ErrLeaseLost), time.Since(last) > r.s.o.Pace.Silence && ctx.Err() == nil:
			// Another process has the lease: also if the database did not answer for so long. The
			// job is that one's.
			stop(errors.Join(store.ErrLeaseLost, dispatch.ErrLeave))
			return
		}
	}
}
