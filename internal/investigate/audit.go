package investigate

import (
	"context"
	"fmt"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/store"
)

// RecordWrites records what the App changes on GitHub in the audit log: before the request, and again
// with its answer.
func RecordWrites(s *store.Store, log *zap.Logger) github.WriteLog {
	return func(ctx context.Context, w github.Write) error {
		why, _ := ctx.Value(causeKey{}).(cause)
		if why.minor {
			return nil
		}
		a := store.Audit{Event: store.AuditWriting, Installation: w.Installation, Repository: w.Repository, Write: w.ID, Method: w.Method,
			Path: w.Path, Investigation: why.investigation, Delivery: why.delivery}
		if w.Answered {
			a.Event, a.Status, a.URL, a.RemoteID, a.SHA = store.AuditWrote, w.Status, w.URL, w.RemoteID, w.SHA
		}
		err := record(ctx, s, a)
		if err != nil {
			log.Error("a write to GitHub is not recorded", zap.String("path", w.Path), zap.Bool("answered", w.Answered), zap.Error(err))
			return fmt.Errorf("the audit log cannot be written: %w", err)
		}
		return nil
	}
}

func record(ctx context.Context, s *store.Store, a store.Audit) error {
	return s.Do(ctx, func(tx *store.Tx) error {
		_, err := tx.Record(a)
		return err
	})
}

// cause is why a step runs, for the audit log.
type cause struct {
	investigation, delivery string
	minor                   bool // an update of a check that is recorded already
}

type causeKey struct{}

// because returns a context with the cause that a job's arguments name.
func because(ctx context.Context, args any) context.Context {
	var c cause
	switch a := args.(type) {
	case considerArgs:
		c.delivery = a.GUID
	case collectArgs:
		c.investigation = a.ID
	case runArgs:
		c.investigation = a.ID
	case publishArgs:
		c.investigation = a.ID
	}
	return context.WithValue(ctx, causeKey{}, c)
}

// minor is a context for updates that show progress.
func minor(ctx context.Context) context.Context {
	return context.WithValue(ctx, causeKey{}, cause{minor: true})
}

// recordRequest records what a person asked for. A repetition of the step records nothing new.
func (s *Service) recordRequest(ctx context.Context, w request, may bool) error {
	why, _ := ctx.Value(causeKey{}).(cause)
	a := store.Audit{Event: store.AuditAsked, Installation: w.at.inst, Repository: w.at.repo.ID, FullName: w.at.repo.Owner + "/" + w.at.repo.Name,
		PullRequest: w.pull, Commit: w.head, Login: w.by, Command: w.command, Delivery: why.delivery, Refused: !may}
	if w.rest != "" {
		a.Command += " " + w.rest
	}
	if why.delivery != "" {
		a.ID = "asked/" + why.delivery
	}
	return record(ctx, s.store, a)
}
