package investigate

import (
	"fmt"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/store"
)

// TestAttackRefusedCommands: a stranger's commands cost few requests to GitHub, all are in the
// audit log, and an hour later they are answered again. Other people's are answered meanwhile.
func TestAttackRefusedCommands(t *testing.T) {
	h := newHub(t, githubtest.Config{Limits: 100_000}, "demo.report.json")
	p := h.Pull(nil)
	stranger := h.AddUser("stranger")
	h.settle()
	say := func(who *githubtest.Account, n int) (roles, reactions int) {
		t.Helper()
		roles, reactions = h.requests("/permission"), h.requests("/reactions")
		for i := range n {
			p.Comment(h.Ctx, who, fmt.Sprint("/odfix explain ", i))
			h.settle()
		}
		return h.requests("/permission") - roles, h.requests("/reactions") - reactions
	}
	if roles, reactions := say(stranger, 4*mostRefusals); roles != mostRefusals || reactions != mostRefusals {
		t.Errorf("%d roles, %d reactions", roles, reactions)
	}
	refused := 0
	for _, a := range h.audit() {
		if a.Event == store.AuditAsked && a.Refused {
			refused++
		}
	}
	if refused != 4*mostRefusals {
		t.Errorf("%d are in the audit log", refused)
	}
	if roles, _ := say(h.Dev, mostRefusals+1); roles != mostRefusals+1 {
		t.Errorf("%d roles of a person who may", roles)
	}
	h.advance(time.Hour)
	if roles, reactions := say(stranger, 1); roles != 1 || reactions != 1 {
		t.Errorf("an hour later: %d roles, %d reactions", roles, reactions)
	}
}

// TestAttackManyStrangers: few people are remembered.
func TestAttackManyStrangers(t *testing.T) {
	r, now := newLastHour[person](), time.Unix(1000, 0)
	for i := range 2*mostRemembered + 10 {
		r.add(person{int64(i), "a"}, now)
	}
	if n := len(r.when); n == 0 || n > mostRemembered {
		t.Errorf("%d people", n)
	}
}
