package investigate

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/store"
)

func (h *hub) audit() []store.Audit {
	h.t.Helper()
	list, err := store.Read(h.Ctx, h.db, func(tx *store.Tx) ([]store.Audit, error) {
		return tx.AuditPage(store.AuditQuery{}, store.Audit{}, 10000)
	})
	h.Must(err)
	return list
}

// TestAttackUnseenRequests: who asked, what began, and what was written is in the audit log, also what
// was refused. Nothing that was written is missing, and no content is there.
func TestAttackUnseenRequests(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	stranger := h.AddUser("stranger")
	p := h.Pull(nil)
	h.red(p, "demo.log")
	h.settled(p, 1)
	p.Comment(h.Ctx, stranger, "/odfix retry \x1b[2J please")
	p.Comment(h.Ctx, h.Dev, "/odfix retry")
	list := h.settled(p, 2)
	asked, writes, urls := map[string]bool{}, map[string]store.Audit{}, 0
	var opened []string
	for _, a := range h.audit() {
		if a.Installation != h.Inst.ID || a.Repository != h.Repo.ID {
			t.Errorf("%+v", a)
		}
		switch a.Event {
		case store.AuditAsked:
			asked[a.Login] = a.Refused
			if a.Delivery == "" || a.PullRequest != int64(p.Number) || !strings.HasPrefix(a.Command, "retry") {
				t.Errorf("%+v", a)
			}
		case store.AuditOpened:
			opened = append(opened, a.Investigation+" "+a.Login)
		case store.AuditWriting:
			writes[a.Write] = a
		case store.AuditWrote:
			before, ok := writes[a.Write]
			if !ok || before.Path != a.Path || a.Status < 200 || a.Status > 299 || a.Investigation == "" && a.Delivery == "" {
				t.Errorf("%+v, before it %+v", a, before)
			}
			if delete(writes, a.Write); a.URL != "" && strings.HasPrefix(a.Path, "/repos/acme/shop/") && a.RemoteID > 0 {
				urls++
			}
		default:
			t.Errorf("%+v", a)
		}
	}
	if len(asked) != 2 || !asked["stranger"] || asked["dev"] {
		t.Errorf("asked: %v", asked)
	}
	want := []string{list[0].ID + " dev", list[1].ID + " "}
	if slices.Sort(opened); !slices.Equal(opened, slices.Sorted(slices.Values(want))) {
		t.Errorf("opened: %q, want %q", opened, want)
	}
	s := h.Posted(p)
	if len(writes) > 0 || urls < len(s.Checks)+len(s.Causes()) {
		t.Errorf("%d writes without an answer, %d with an address, %d checks, %d comments", len(writes), urls, len(s.Checks), len(s.Causes()))
	}
	text, err := json.Marshal(h.audit())
	h.Must(err)
	if strings.Contains(string(text), "suggestion") || strings.Contains(string(text), "ghs_") {
		t.Error("it holds a content or a token")
	}
}

// TestAttackLateRemoval: a removal that arrives after the repository was added again removes nothing.
func TestAttackLateRemoval(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	p := h.Pull(nil)
	h.red(p, "demo.log")
	h.settle()
	change := func(guid, action string, i github.InstallationEvent) {
		i.Account, i.Updated = "acme", h.now()
		h.receive(guid, &github.Event{Name: "installation_repositories", Action: action, Installation: h.Inst.ID, Installed: &i})
		h.settle()
	}
	repositories := []github.Repository{{ID: h.Repo.ID, FullName: "acme/shop"}}
	before := h.rows()
	change("added", "added", github.InstallationEvent{Added: repositories})
	change("late", "removed", github.InstallationEvent{Gone: repositories})
	after := h.rows()
	delete(before, "delivery")
	delete(after, "delivery")
	if !maps.Equal(before, after) || before["report"] == 0 {
		t.Errorf("there were %v, and are %v", before, after)
	}
	r, err := store.Read(h.Ctx, h.db, func(tx *store.Tx) (store.Repository, error) { return tx.Repository(h.Repo.ID) })
	if err != nil || r.Removed {
		t.Errorf("%+v, %v", r, err)
	}
	h.Inst.Leave(h.Repo)
	change("removed again", "removed", github.InstallationEvent{Gone: repositories})
	if after := h.rows(); after["report"]+after["investigation"] > 0 {
		t.Errorf("after it was removed: %v", after)
	}
}

// receive stores an event as a delivery.
func (h *hub) receive(guid string, e *github.Event) {
	h.t.Helper()
	_, err := Intake{h.db}.Receive(h.Ctx, github.Delivery{GUID: guid, Digest: guid, Event: e})
	h.Must(err)
}

// rows are the tables with rows, without those of the queue and of migrations.
func (h *hub) rows() map[string]int {
	h.t.Helper()
	out := map[string]int{}
	for _, table := range []string{"investigation", "report", "evidence", "draft", "finding", "delivery", "task", "audit", "posted",
		"pull_request", "pull_request_head", "config_cache", "repository"} {
		var n int
		h.Must(h.queue.QueryRowContext(h.Ctx, "SELECT count(*) FROM "+table).Scan(&n))
		if n > 0 {
			out[table] = n
		}
	}
	return out
}

// TestAttackRemoved: when the App is removed from an account or a repository, also while a runner
// works, the runner stops, and nothing about it stays but the audit log. Late deliveries begin nothing.
func TestAttackRemoved(t *testing.T) {
	for name, c := range map[string]struct {
		event  string
		action string
		during bool
	}{"installation": {"installation", "deleted", false}, "repository": {"installation_repositories", "removed", false},
		"while a runner works": {"installation", "deleted", true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHub(t, githubtest.Config{}, "demo.report.json")
			var before []store.Audit
			remove := func() {
				before = h.audit()
				h.Inst.Leave(h.Repo)
				e := &github.Event{Name: c.event, Action: c.action, Installation: h.Inst.ID,
					Installed: &github.InstallationEvent{Account: "acme", Removed: c.action == "deleted", Updated: h.now(),
						Gone: []github.Repository{{ID: h.Repo.ID, FullName: "acme/shop"}}}}
				h.receive("removal", e)
				h.settle()
			}
			if c.during {
				h.runner.During = func(ctx context.Context) error {
					remove()
					<-ctx.Done()
					return nil
				}
			}
			p := h.Pull(nil)
			h.red(p, "demo.log")
			h.settle()
			if !c.during {
				if had := h.rows(); had["report"] == 0 || had["posted"] == 0 || had["audit"] == 0 {
					t.Fatalf("%v", had)
				}
				remove()
			}
			late := &github.Event{Name: "workflow_run", Action: "completed", Installation: h.Inst.ID,
				Repository: github.Repository{ID: h.Repo.ID, FullName: "acme/shop"},
				Check:      &github.CheckEvent{HeadSHA: p.HeadSha(), Conclusion: "failure", Name: "CI"}}
			if c.action == "deleted" {
				h.receive("late", late)
				h.settle()
			}
			left := h.rows()
			delete(left, "audit")
			if c.action != "deleted" {
				delete(left, "delivery") // that of the removal names no repository
			}
			if len(left) > 0 {
				t.Errorf("left: %v", left)
			}
			after := h.audit()
			removed := false
			for _, r := range after {
				if r.Event == store.AuditRemoved {
					removed = true
					if r.Login != "" || r.FullName != "" {
						t.Errorf("%+v", r)
					}
				}
			}
			gone := slices.DeleteFunc(slices.Clone(before), func(b store.Audit) bool {
				return slices.ContainsFunc(after, func(r store.Audit) bool { return r.ID == b.ID })
			})
			if len(before) == 0 || len(gone) > 0 || !removed {
				t.Errorf("of %d records of the audit log %d are gone; a record of the removal: %v", len(before), len(gone), removed)
			}
			if c.during && h.runner.Stopped() != 1 {
				t.Errorf("%d runners were stopped", h.runner.Stopped())
			}
		})
	}
}
