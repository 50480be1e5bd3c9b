package investigate

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/store"
)

// TestTheJobOfAnotherCommitIsAnotherOne: the base branch moved while no process had the investigation.
func TestTheJobOfAnotherCommitIsAnotherOne(t *testing.T) {
	keys := map[string]bool{}
	for _, sha := range []string{"a", "b", "a"} {
		r := asking(t)
		r.sha = sha
		j, err := r.job(t.Context(), demo)
		if err != nil || j.Source.SHA != sha {
			t.Fatal(j.Source, err)
		}
		keys[j.Key] = true
	}
	if len(keys) != 2 {
		t.Errorf("keys %v", keys)
	}
}

// TestDeadlineBeforeItIsFound: the lease is lost to the deadline, and nobody has ended the
// investigation yet. Its job is not left to another process, since there is none.
func TestDeadlineBeforeItIsFound(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	var cause error
	h.runner.During = func(ctx context.Context) error {
		h.advance(24 * time.Hour)
		<-ctx.Done()
		cause = context.Cause(ctx)
		h.Must(h.s.reap(h.Ctx, reapArgs{}))
		return nil
	}
	p := h.Pull(nil)
	h.red(p, "demo.log")
	list := h.settled(p, 1)
	if list[0].State != store.Expired || !errors.Is(cause, store.ErrLeaseLost) || errors.Is(cause, dispatch.ErrLeave) {
		t.Errorf("%s, %v", list[0].State, cause)
	}
}
