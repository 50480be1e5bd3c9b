package investigate

import (
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/store"
)

// TestConfigPushed: a push during a read of the configuration lets the next look read it again;
// without one, the copy serves.
func TestConfigPushed(t *testing.T) {
	push := false
	h := newHubWith(t, func(h *hub) {
		h.adjust = func(o *Options) {
			o.Pace = Pace{}
			o.Accounts = func() []string { // it is asked before each request
				if push {
					push = false
					h.Must(h.db.Do(h.Ctx, func(tx *store.Tx) error { return tx.ForgetConfig(h.Repo.ID, "acme/shop") }))
				}
				return []string{InstallationEntry + "51000001"}
			}
		}
	})
	at, err := h.s.target(h.Inst.ID, h.Repo.ID, "acme/shop")
	h.Must(err)
	look := func() (requests int) {
		before := len(h.Requests())
		_, err := h.s.configFile(h.Ctx, at, at.repo, "main", config.Repository)
		h.Must(err)
		for _, r := range h.Requests()[before:] {
			if strings.Contains(r.Path, "/contents/") {
				requests++
			}
		}
		h.advance(time.Minute)
		return requests
	}
	for n, want := range []int{1, 1, 0} {
		push = n == 0
		if got := look(); got != want {
			t.Errorf("look %d: %d requests", n, got)
		}
	}
	h.advance(DefaultPace.Config)
	for n, want := range []int{1, 1, 0} {
		push = n == 0
		if got := look(); got != want {
			t.Errorf("look %d at an old copy: %d requests", n, got)
		}
	}
}
