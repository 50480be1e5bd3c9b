package githubtest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/internal/githubtest"
)

func TestDeliveriesAreRecordedAndSentAgain(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	w.must(w.Drain(w.ctx))
	w.hooks.answer(500)
	p := w.pull()
	w.must(w.Drain(w.ctx))
	w.hooks.answer(0)
	app := w.asApp()
	all, _, err := app.Apps.ListHookDeliveries(w.ctx, nil)
	w.must(err)
	at := slices.IndexFunc(all, func(d *github.HookDelivery) bool { return d.GetEvent() == "pull_request" })
	failed := all[at]
	if failed.GetStatusCode() != 500 || failed.GetStatus() != "Invalid HTTP Response: 500" || failed.GetRedelivery() || failed.GetAction() != "opened" {
		t.Errorf("%v", failed)
	}
	var accepted *github.AcceptedError
	if _, _, err := app.Apps.RedeliverHookDelivery(w.ctx, failed.GetID()); !errors.As(err, &accepted) {
		t.Errorf("a redelivery is accepted, which go-github takes for an error: %T %v", err, err)
	}
	w.must(w.Drain(w.ctx))
	got := w.hooks.all()
	last := got[len(got)-1]
	if last.guid != failed.GetGUID() || last.event != "pull_request" {
		t.Errorf("redelivered %s %s", last.event, last.guid)
	}
	whole, _, err := app.Apps.GetHookDelivery(w.ctx, failed.GetID())
	w.must(err)
	var sent struct{ Number int }
	w.must(json.Unmarshal(*whole.Request.RawPayload, &sent))
	if sent.Number != p.Number || whole.Request.Headers["X-Github-Event"] != "pull_request" {
		t.Errorf("recorded request: %v", whole.Request)
	}
	again, _, err := app.Apps.ListHookDeliveries(w.ctx, &github.ListCursorOptions{PerPage: 1})
	w.must(err)
	if len(again) != 1 || !again[0].GetRedelivery() || again[0].GetGUID() != failed.GetGUID() || again[0].GetStatus() != "OK" {
		t.Errorf("%v", again)
	}
}

func TestDeliveriesByCursor(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	w.pull()
	w.must(w.Drain(w.ctx))
	app, opts, total := w.asApp(), &github.ListCursorOptions{PerPage: 2}, 0
	for {
		part, resp, err := app.Apps.ListHookDeliveries(w.ctx, opts)
		w.must(err)
		total += len(part)
		if resp.Cursor == "" {
			break
		}
		opts.Cursor = resp.Cursor
	}
	if want := len(w.app.Deliveries()); total != want || want < 3 {
		t.Errorf("%d of %d", total, want)
	}
}

func TestHeldWebhooks(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	w.must(w.Drain(w.ctx))
	w.app.Hold()
	before := len(w.hooks.all())
	p := w.pull()
	p.Close(w.ctx, w.dev)
	w.must(w.Drain(w.ctx))
	if got := len(w.hooks.all()); got != before {
		t.Errorf("%d arrived", got-before)
	}
	w.app.Release(func(held []*githubtest.Delivery) []*githubtest.Delivery {
		pulls := slices.DeleteFunc(held, func(d *githubtest.Delivery) bool { return d.Event != "pull_request" })
		slices.Reverse(pulls)
		return append(pulls, pulls[0]) // closed, opened, closed
	})
	w.must(w.Drain(w.ctx))
	var order []string
	for _, h := range w.hooks.all()[before:] {
		var p struct{ Action string }
		w.must(json.Unmarshal(h.body, &p))
		order = append(order, p.Action)
	}
	if strings.Join(order, " ") != "closed opened closed" {
		t.Errorf("order %v", order)
	}
	lost := 0
	for _, d := range w.app.Deliveries() {
		if d.StatusCode == 502 {
			lost++
		}
	}
	if lost == 0 {
		t.Error("what was dropped is not recorded as failed")
	}
}

func TestDuplicatesAndSlowReceivers(t *testing.T) {
	w := newWorld(t, githubtest.Config{Callback: 50 * time.Millisecond, Quirks: githubtest.Quirks{DuplicateHooks: true}})
	seen := map[string]int{}
	w.must(w.Drain(w.ctx))
	for _, h := range w.hooks.all() {
		seen[h.guid]++
	}
	if len(seen) != 1 || seen[w.hooks.all()[0].guid] != 2 {
		t.Errorf("%v", seen)
	}
	w.hooks.slow(w.ctx.Done())
	w.app.Ping()
	w.must(w.Drain(w.ctx))
	all := w.app.Deliveries()
	if d := all[len(all)-1]; d.StatusCode != 504 || d.Status != "timed out" {
		t.Errorf("%d %s", d.StatusCode, d.Status)
	}
}

func TestEventsNeedPermissionsAndSubscriptions(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	deaf, err := w.AddApp(githubtest.AppSpec{Name: "deaf", Key: key(), WebhookURL: w.app.WebhookURL, Permissions: permissions})
	w.must(err)
	poor, err := w.AddApp(githubtest.AppSpec{Name: "poor", Key: key(), WebhookURL: w.app.WebhookURL, Permissions: map[string]string{"contents": "read"}, Events: events})
	w.must(err)
	deaf.Install(w.owner)
	poor.Install(w.owner)
	p := w.pull()
	check, _, err := w.gh.Checks.CreateCheckRun(w.ctx, "acme", "demo", github.CreateCheckRunOptions{Name: "odfix", HeadSHA: p.HeadSha(),
		Actions: []*github.CheckRunAction{{Label: "Retry", Description: "d", Identifier: "retry"}}})
	w.must(err)
	w.must(p.Press(w.ctx, w.dev, check.GetID(), "retry"))
	if err := p.Rerequest(w.ctx, w.dev, check.GetID()); err == nil {
		t.Error("a run that goes on was asked for again")
	}
	_, _, err = w.gh.Checks.UpdateCheckRun(w.ctx, "acme", "demo", check.GetID(), github.UpdateCheckRunOptions{Name: "odfix", Conclusion: github.String("neutral")})
	w.must(err)
	w.must(p.Rerequest(w.ctx, w.dev, check.GetID()))
	if err := p.Press(w.ctx, w.dev, check.GetID(), "dance"); err == nil {
		t.Error("a button that is not there was pressed")
	}
	w.must(w.Drain(w.ctx))
	heard := func(a *githubtest.App) string {
		var names []string
		for _, d := range a.Deliveries() {
			names = append(names, d.Event+"."+d.Action)
		}
		slices.Sort(names)
		return strings.Join(slices.Compact(names), " ")
	}
	// Suites are requested of every App that writes checks, subscribed or not.
	if got, want := heard(deaf), "check_suite.requested installation.created"; got != want {
		t.Errorf("deaf: %s", got)
	}
	if got, want := heard(poor), "installation.created push."; got != want {
		t.Errorf("poor: %s", got)
	}
	want := "check_run.completed check_run.created check_run.requested_action check_run.rerequested check_suite.completed check_suite.requested installation.created pull_request.opened push."
	if got := heard(w.app); got != want {
		t.Errorf("the App itself: %s", got)
	}
}

func TestCommentEvents(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	p := w.pull()
	k := p.Comment(w.ctx, w.dev, "/odfix retry")
	k.Edit(w.ctx, "/odfix explain")
	w.must(w.Drain(w.ctx))
	var edited *github.IssueCommentEvent
	for _, h := range w.hooks.all() {
		if h.event != "issue_comment" {
			continue
		}
		e, err := github.ParseWebHook(h.event, h.body)
		w.must(err)
		edited = e.(*github.IssueCommentEvent)
	}
	if edited.GetAction() != "edited" || edited.GetChanges().GetBody().GetFrom() != "/odfix retry" || !edited.GetIssue().IsPullRequest() ||
		edited.GetComment().GetAuthorAssociation() != "MEMBER" || edited.GetInstallation().GetID() != w.inst.ID {
		t.Errorf("%v", edited)
	}
}

// go-github checks the signatures; the stand-in signs as GitHub does, old way too.
func TestSignatures(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	w.app.Ping()
	w.must(w.Drain(w.ctx))
	h := w.hooks.all()[0]
	if !strings.HasPrefix(h.header.Get("X-Hub-Signature"), "sha1=") || h.header.Get("X-GitHub-Hook-Installation-Target-ID") != fmt.Sprint(w.app.ID) {
		t.Errorf("headers %v", h.header)
	}
	r, err := http.NewRequestWithContext(w.ctx, "POST", "http://127.0.0.1/", strings.NewReader(string(h.body)))
	w.must(err)
	r.Header = h.header
	if _, err := github.ValidatePayload(r, []byte(secret)); err != nil {
		t.Error(err)
	}
	r.Body = http.NoBody
	if _, err := github.ValidatePayload(r, []byte(secret)); err == nil {
		t.Error("another body under the same signature passed")
	}
}
