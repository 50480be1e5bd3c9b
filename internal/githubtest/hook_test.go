package githubtest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/internal/githubtest"
)

func TestDeliveriesAreRecordedAndSentAgain(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	w.must(w.Drain(w.ctx))
	w.hooks.answer(500)
	w.pull()
	w.must(w.Drain(w.ctx))
	w.hooks.answer(0)
	app := w.asApp()
	all, _, err := app.Apps.ListHookDeliveries(w.ctx, nil)
	w.must(err)
	at := slices.IndexFunc(all, func(d *github.HookDelivery) bool { return d.GetEvent() == "pull_request" })
	failed := all[at]
	if failed.GetStatusCode() != 500 || failed.GetStatus() != "Invalid HTTP Response: 500" ||
		failed.GetRedelivery() || failed.GetAction() != "opened" {
		t.Errorf("%v", failed)
	}
	var accepted *github.AcceptedError
	if _, _, err := app.Apps.RedeliverHookDelivery(w.ctx, failed.GetID()); !errors.As(err, &accepted) {
		t.Errorf("go-github returns AcceptedError for a redelivery: %T %v", err, err)
	}
	w.must(w.Drain(w.ctx))
	got := w.hooks.all()
	last := got[len(got)-1]
	if last.guid != failed.GetGUID() || last.event != "pull_request" {
		t.Errorf("redelivered %s %s", last.event, last.guid)
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
	_, err := w.pull().Push(w.ctx, "More", githubtest.Change{Files: map[string]string{"more.txt": "x\n"}})
	w.must(err)
	w.must(w.Drain(w.ctx))
	if got := len(w.hooks.all()); got != before {
		t.Errorf("%d arrived", got-before)
	}
	w.app.Release(func(held []*githubtest.Delivery) []*githubtest.Delivery {
		pulls := slices.DeleteFunc(held, func(d *githubtest.Delivery) bool { return d.Event != "pull_request" })
		slices.Reverse(pulls)
		return append(pulls, pulls[0]) // synchronize, opened, synchronize
	})
	w.must(w.Drain(w.ctx))
	var order []string
	for _, h := range w.hooks.all()[before:] {
		var p struct{ Action string }
		w.must(json.Unmarshal(h.body, &p))
		order = append(order, p.Action)
	}
	if strings.Join(order, " ") != "synchronize opened synchronize" {
		t.Errorf("order %v", order)
	}
	lost := 0
	for _, d := range w.app.Deliveries() {
		if d.StatusCode == 502 {
			lost++
		}
	}
	if lost == 0 {
		t.Error("a dropped delivery is not recorded as failed")
	}
}

func TestDuplicates(t *testing.T) {
	w := newWorld(t, githubtest.Config{Quirks: githubtest.Quirks{DuplicateHooks: true}})
	seen := map[string]int{}
	w.must(w.Drain(w.ctx))
	for _, h := range w.hooks.all() {
		seen[h.guid]++
	}
	if len(seen) != 1 || seen[w.hooks.all()[0].guid] != 2 {
		t.Errorf("%v", seen)
	}
}

func TestEventsNeedPermissionsAndSubscriptions(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	silent, err := w.AddApp(githubtest.AppSpec{Name: "silent", WebhookURL: w.app.WebhookURL, Permissions: permissions})
	w.must(err)
	poor, err := w.AddApp(githubtest.AppSpec{Name: "poor", WebhookURL: w.app.WebhookURL,
		Permissions: map[string]string{"contents": "read"}, Events: events})
	w.must(err)
	silent.Install(w.owner)
	poor.Install(w.owner)
	p := w.pull()
	check, _, err := w.gh.Checks.CreateCheckRun(w.ctx, "acme", "demo", github.CreateCheckRunOptions{Name: "odfix", HeadSHA: p.HeadSha(),
		Actions: []*github.CheckRunAction{{Label: "Retry", Description: "d", Identifier: "retry"}}})
	w.must(err)
	w.must(p.Press(w.ctx, w.dev, check.GetID(), "retry"))
	if err := p.Rerequest(w.ctx, w.dev, check.GetID()); err == nil {
		t.Error("a run was requested again before it completed")
	}
	_, _, err = w.gh.Checks.UpdateCheckRun(w.ctx, "acme", "demo", check.GetID(),
		github.UpdateCheckRunOptions{Name: "odfix", Conclusion: github.String("neutral")})
	w.must(err)
	w.must(p.Rerequest(w.ctx, w.dev, check.GetID()))
	if err := p.Press(w.ctx, w.dev, check.GetID(), "dance"); err == nil {
		t.Error("a button that does not exist was pressed")
	}
	w.must(w.Drain(w.ctx))
	received := func(a *githubtest.App) string {
		var names []string
		for _, d := range a.Deliveries() {
			names = append(names, d.Event+"."+d.Action)
		}
		slices.Sort(names)
		return strings.Join(slices.Compact(names), " ")
	}
	// Requests for suites go to every App that can write checks, subscribed or not.
	if got, want := received(silent), "check_suite.requested installation.created"; got != want {
		t.Errorf("silent: %s", got)
	}
	if got, want := received(poor), "installation.created push."; got != want {
		t.Errorf("poor: %s", got)
	}
	want := "check_run.completed check_run.created check_run.requested_action check_run.rerequested " +
		"check_suite.completed check_suite.requested installation.created pull_request.opened push."
	if got := received(w.app); got != want {
		t.Errorf("the App itself: %s", got)
	}
}

func TestCommentEvents(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	p := w.pull()
	p.Comment(w.ctx, w.dev, "/odfix retry")
	w.must(w.Drain(w.ctx))
	var made *github.IssueCommentEvent
	for _, h := range w.hooks.all() {
		if h.event != "issue_comment" {
			continue
		}
		e, err := github.ParseWebHook(h.event, h.body)
		w.must(err)
		made = e.(*github.IssueCommentEvent)
	}
	if made.GetAction() != "created" || made.GetComment().GetBody() != "/odfix retry" || !made.GetIssue().IsPullRequest() ||
		made.GetComment().GetAuthorAssociation() != "MEMBER" || made.GetInstallation().GetID() != w.inst.ID {
		t.Errorf("%v", made)
	}
}

// go-github checks the signatures. The stand-in also sends the old SHA-1 signature, as GitHub does.
func TestSignatures(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	w.must(w.Drain(w.ctx))
	h := w.hooks.all()[0]
	if !strings.HasPrefix(h.header.Get("X-Hub-Signature"), "sha1=") ||
		h.header.Get("X-GitHub-Hook-Installation-Target-ID") != fmt.Sprint(w.app.ID) {
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
