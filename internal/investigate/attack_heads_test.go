package investigate

import (
	"testing"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/store"
)

// TestAttackLongEvidence: of an investigation's evidence, a job about a later red job decodes only
// what was read. The rest, which can be long, may even be something else.
func TestAttackLongEvidence(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	i := store.Investigation{ID: h.queuedOfAnother(), State: store.Done}
	h.Must(h.db.Do(h.Ctx, func(tx *store.Tx) error {
		return tx.SaveEvidence(i.ID, map[string]any{"read": []string{"job/1"}, "tests": 1, "known": "x"})
	}))
	for key, want := range map[string]bool{"job/1": true, "job/2": false} {
		if read, err := h.s.wasRead(h.Ctx, i, key); read != want || err != nil {
			t.Error(key, read, err)
		}
	}
}
