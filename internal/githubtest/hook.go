package githubtest

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/odfix/odfix/internal/githubtest/description"
)

// maxPayload: GitHub drops webhooks beyond this.
const maxPayload = 25 << 20

// subscription says which permission an event asks for.
var subscription = map[string]string{
	"check_run": "checks:read", "check_suite": "checks:read", "workflow_run": "actions:read", "workflow_job": "actions:read",
	"status": "statuses:read", "push": "contents:read", "issue_comment": "issues:read", "pull_request": "pull_requests:read",
	"pull_request_review": "pull_requests:read", "pull_request_review_comment": "pull_requests:read",
	"pull_request_review_thread": "pull_requests:read",
}

// emit sends an event of a repository to every App that may hear of it.
func (s *Server) emit(r *Repository, event, action string, sender *Account, fields Object) {
	for _, a := range s.apps {
		a.hear(r, event, action, sender, fields)
	}
}

// emitTo sends an event that only the App it is about hears of.
func (a *App) emitTo(r *Repository, event, action string, sender *Account, fields Object) {
	for _, i := range a.installations {
		if i.covers(r) && i.suspended.IsZero() && rank(i.granted["checks"]) >= rank("write") {
			a.enqueue(event, action, i, r, payload(r, i, action, sender, fields))
		}
	}
}

func (a *App) hear(r *Repository, event, action string, sender *Account, fields Object) {
	if !slices.Contains(a.events, event) {
		return
	}
	for _, i := range a.installations {
		t := token{installation: i, permissions: i.granted}
		if i.covers(r) && i.suspended.IsZero() && t.allows(subscription[event]) {
			a.enqueue(event, action, i, r, payload(r, i, action, sender, fields))
		}
	}
}

func payload(r *Repository, i *Installation, action string, sender *Account, fields Object) Object {
	p := Object{"repository": r.hookView(), "sender": sender.view(), "installation": i.lite()}
	if action != "" {
		p["action"] = action
	}
	if r.owner.Type == "Organization" {
		p["organization"] = r.owner.organization()
	}
	maps.Copy(p, fields)
	return p
}

func (i *Installation) lite() Object {
	return Object{"id": i.ID, "node_id": nodeID("Integration", i.ID)}
}

// tell sends an event about an installation to its App, subscribed or not.
func (i *Installation) tell(event, action string, fields Object) {
	p := Object{"action": action, "installation": i.view(), "sender": i.Account.view()}
	maps.Copy(p, fields)
	i.app.enqueue(event, action, i, nil, p)
}

// Ping sends the event that GitHub sends first to a new webhook.
func (a *App) Ping() {
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	a.enqueue("ping", "", nil, nil, Object{"zen": "Keep it logically awesome.", "hook_id": a.ID, "hook": Object{
		"type": "App", "id": a.ID, "name": "web", "active": true, "events": append([]string{}, a.events...), "app_id": a.ID,
		"config":     Object{"content_type": "json", "insecure_ssl": "0", "secret": "********", "url": a.WebhookURL},
		"updated_at": stamp(a.created), "created_at": stamp(a.created), "deliveries_url": a.s.URL + "/app/hook/deliveries",
		"url": a.s.URL + "/app/hook", "ping_url": a.s.URL + "/app/hook/pings",
	}})
}

// enqueue makes a delivery of an event and checks it against the published schema.
func (a *App) enqueue(event, action string, i *Installation, r *Repository, body Object) {
	raw, err := json.Marshal(body)
	if err != nil || len(raw) > maxPayload || a.wake == nil {
		return
	}
	if err := description.CheckWebhook(event, raw); err != nil {
		a.s.mismatch("webhook", event+" "+action, err.Error())
	}
	d := &Delivery{ID: a.s.id("delivery"), GUID: guid(), Event: event, Action: action, Payload: raw, At: a.s.now()}
	if i != nil {
		d.Installation = i.ID
	}
	if r != nil {
		d.Repository = r.ID
	}
	a.push(d)
	if a.s.config.Quirks.DuplicateHooks {
		twin := *d
		twin.ID = a.s.id("delivery")
		a.push(&twin)
	}
}

func (a *App) push(d *Delivery) {
	a.deliveries = append(a.deliveries, d)
	a.queue = append(a.queue, d)
	a.rouse()
}

func (a *App) rouse() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

func guid() string {
	h := randomHex(16)
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// Delivery is one sending of one webhook.
type Delivery struct {
	ID           int64
	GUID         string
	Event        string
	Action       string
	Installation int64
	Repository   int64
	Payload      []byte
	At           time.Time
	Redelivery   bool

	Done       bool
	StatusCode int
	Status     string
	Duration   time.Duration

	requestHeaders, responseHeaders map[string]string
	response                        string
}

// Deliveries are all webhooks to the App so far, oldest first.
func (a *App) Deliveries() []Delivery {
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	var all []Delivery
	for _, d := range a.deliveries {
		all = append(all, *d)
	}
	return all
}

// Hold keeps webhooks back until Release.
func (a *App) Hold() {
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	a.held = true
}

// Release sends what was held back. A function may reorder, repeat or drop it:
// what it gives is sent; what is dropped stays recorded as failed.
func (a *App) Release(change func(held []*Delivery) []*Delivery) {
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	a.held = false
	if change != nil {
		before := a.queue
		a.queue = change(slices.Clone(before))
		for _, d := range before {
			if !slices.Contains(a.queue, d) {
				d.Done, d.StatusCode, d.Status = true, 502, "failed to connect to host"
			}
		}
	}
	a.rouse()
}
