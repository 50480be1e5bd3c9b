package work

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/store"
)

// Claim implements Tasks.
func (s *Server) Claim(ctx context.Context, worker string, wait time.Duration) (*Claim, error) {
	for end := time.Now().Add(wait); ; {
		heard := s.offer.heard()
		s.reap(ctx)
		c, err := s.take(ctx, worker)
		left := time.Until(end)
		if c != nil || err != nil || left <= 0 {
			return c, err
		}
		select {
		case <-heard:
		case <-time.After(min(s.o.Poll, left)):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (s *Server) take(ctx context.Context, worker string) (*Claim, error) {
	token := rand.Text() + rand.Text()
	if err := s.asks(ctx, worker); err != nil {
		return nil, err
	}
	var t store.Task
	err := s.o.Store.Do(ctx, func(tx *store.Tx) error {
		connected, err := tx.Workers(s.o.Silence)
		if err == nil {
			t, err = tx.TakeTask(worker, token, apart(worker, connected))
		}
		if err == nil {
			_, err = record(tx, t, store.Audit{Event: store.AuditStarted})
		}
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var c content
	if err := json.Unmarshal(t.Content, &c); err != nil {
		return nil, err
	}
	return &Claim{ID: t.ID, Token: token, Job: c.Job, Installation: t.Installation, JDK: c.JDK, Commit: c.Source.SHA,
		Left: int(t.Limit / time.Second), Beat: max(int(s.o.Beat/time.Second), 1)}, nil
}

// known is an error of the store as one of this package.
func known(err error) error {
	switch {
	case errors.Is(err, store.ErrTaskToken):
		return ErrDenied
	case errors.Is(err, store.ErrTaskEnded):
		return ErrOver
	}
	return err
}

// held is the task of a token, and what is known about its job.
func (s *Server) held(ctx context.Context, id, token string) (store.Task, content, error) {
	var c content
	t, err := store.Read(ctx, s.o.Store, func(tx *store.Tx) (store.Task, error) { return tx.HeldTask(id, token) })
	if err == nil {
		err = json.Unmarshal(t.About, &c)
	}
	return t, c, known(err)
}

// Held implements Tasks.
func (s *Server) Held(ctx context.Context, id, token string) (Held, error) {
	_, c, err := s.held(ctx, id, token)
	return Held{MaxReport: c.Job.MaxReport}, err
}

// Source implements Tasks.
func (s *Server) Source(ctx context.Context, id, token string, w io.Writer) error {
	t, c, err := s.held(ctx, id, token)
	if err != nil {
		return err
	}
	more := false
	if err := s.o.Store.Do(ctx, func(tx *store.Tx) (err error) {
		more, err = tx.FetchTask(id, mostFetches)
		return err
	}); err != nil {
		return err
	}
	if !more {
		return ErrRefused
	}
	return s.o.Source(ctx, t.Installation, c.Source, w)
}

// Take implements Tasks.
func (s *Server) Take(ctx context.Context, id, token string, first int64, all []Message) (Status, error) {
	var status Status
	err := s.o.Store.Do(ctx, func(tx *store.Tx) error {
		t, err := tx.BeatTask(id, token)
		if err != nil {
			return err
		}
		if first > t.Received+1 {
			return &GapError{t.Received + 1}
		}
		status = Status{Next: t.Received + 1, Cancelled: t.Stop}
		fresh := all[min(t.Received+1-first, int64(len(all))):]
		if len(fresh) == 0 {
			return nil
		}
		status.Next += int64(len(fresh))
		return receive(tx, t, token, status.Next-1, fresh)
	})
	if err == nil && len(all) > 0 {
		s.ring(id)
	}
	return status, known(err)
}

// receive stores the events of messages, and the report that ends them.
func receive(tx *store.Tx, t store.Task, token string, received int64, all []Message) error {
	var events [][]byte
	last := slices.IndexFunc(all, func(m Message) bool { return m.Report != nil })
	before := all
	if last >= 0 {
		before = all[:last]
	}
	var contacted []job.Contact // the last list: each replaces the one before
	for _, m := range before {
		if m.Event == nil && len(m.Contacted) == 0 {
			continue
		}
		if len(m.Contacted) > 0 {
			contacted = m.Contacted
		}
		text, err := json.Marshal(m)
		if err != nil {
			return err
		}
		if len(text) <= maxEvent {
			events = append(events, text)
		}
	}
	if contacted != nil {
		if err := recordContacts(tx, t, contacted); err != nil {
			return err
		}
	}
	if err := tx.ReceiveTask(t.ID, received, newest(events), mostEvents); err != nil || last < 0 {
		return err
	}
	return end(tx, t, token, store.TaskDone, ending{Report: all[last].Report}.text())
}

// newest are the last events of a post, as many as a worker keeps for one.
func newest(events [][]byte) [][]byte {
	size := 0
	for i := len(events) - 1; i >= 0; i-- {
		if size += len(events[i]); size > maxWaiting || len(events)-i > mostEvents {
			return events[i+1:]
		}
	}
	return events
}

// Fail implements Tasks. A task whose worker has a problem of its own is offered again.
func (s *Server) Fail(ctx context.Context, id, token string, e *job.Error) error {
	// Texts of workers are foreign input, and people see them.
	short := &job.Error{Code: cut(e.Code, 100), Message: cut(e.Message, 2000), Hint: cut(e.Hint, 2000), Detail: cut(e.Detail, 16<<10)}
	err := s.o.Store.Do(ctx, func(tx *store.Tx) error {
		if slices.Contains([]string{CodeSource, CodeDisk, CodeStopping, dispatch.CodeFull}, e.Code) {
			again, err := tx.ReofferTask(id, token, mostAttempts, s.o.Wait)
			if again || err != nil {
				return err
			}
		}
		t, err := tx.HeldTask(id, token)
		if err != nil {
			return err
		}
		return end(tx, t, token, store.TaskFailed, ending{Error: short}.text())
	})
	if err == nil {
		s.o.Log.Info("task failed", zap.String("task", id), zap.String("code", short.Code), zap.String("message", short.Message))
		s.ring(id)
		s.offer.ring()
	}
	return known(err)
}

// cut is the beginning of a foreign text. It has no U+0000, which PostgreSQL refuses.
func cut(s string, most int) string {
	s = s[:min(len(s), most)]
	return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", " "), "")
}
