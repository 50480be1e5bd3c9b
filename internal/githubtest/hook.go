package githubtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/odfix/odfix/internal/githubtest/description"
)

// maxPayload is the size up to which GitHub sends webhooks.
const maxPayload = 25 << 20

// subscription maps an event to the permission that an App needs to receive it.
var subscription = map[string]string{
	"check_run": "checks:read", "check_suite": "checks:read", "workflow_run": "actions:read", "workflow_job": "actions:read",
	"push": "contents:read", "issue_comment": "issues:read", "pull_request": "pull_requests:read",
}

// emit sends an event of a repository to every App that is subscribed to it and may receive it.
func (s *Server) emit(r *Repository, event, action string, sender *Account, fields Object) {
	for _, a := range s.apps {
		if slices.Contains(a.events, event) {
			a.emit(r, event, action, subscription[event], sender, fields)
		}
	}
}

// emit sends an event of a repository to one App, if its installation has the permission.
func (a *App) emit(r *Repository, event, action, permission string, sender *Account, fields Object) {
	for _, i := range a.installations {
		t := token{installation: i, permissions: i.granted}
		if !i.covers(r) || !i.suspended.IsZero() || !t.allows(permission) {
			continue
		}
		p := Object{"action": action, "repository": r.hookView(), "sender": sender.view(),
			"installation": Object{"id": i.ID, "node_id": nodeID("Integration", i.ID)}}
		if action == "" {
			delete(p, "action")
		}
		if r.owner.Type == "Organization" {
			p["organization"] = r.owner.organization()
		}
		maps.Copy(p, fields)
		a.enqueue(event, action, i, r, p)
	}
}

// emit sends an event about an installation to its App. Such events need no subscription.
func (i *Installation) emit(action string) {
	repositories := views(i.repositories(), func(r *Repository) Object {
		return Object{"id": r.ID, "node_id": nodeID("Repository", r.ID), "name": r.Name, "full_name": r.FullName(), "private": r.Private}
	})
	i.app.enqueue("installation", action, i, nil,
		Object{"action": action, "installation": i.view(), "sender": i.Account.view(), "repositories": repositories})
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
	h := random(16)
	d := Delivery{GUID: fmt.Sprintf("%x-%x-%x-%x-%x", h[:4], h[4:6], h[6:8], h[8:10], h[10:]), Event: event,
		Action: action, Installation: i.ID, Payload: raw}
	if r != nil {
		d.Repository = r.ID
	}
	a.push(d)
	if a.s.config.Quirks.DuplicateHooks {
		a.push(d)
	}
}

func (a *App) push(d Delivery) {
	d.ID, d.At = a.s.id("delivery"), a.s.now()
	a.deliveries = append(a.deliveries, &d)
	a.queue = append(a.queue, &d)
	a.wakeSender()
}

func (a *App) wakeSender() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// Delivery is one attempt to deliver a webhook.
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
}

// Deliveries returns all webhooks to the App so far, oldest first.
func (a *App) Deliveries() []Delivery {
	defer a.s.lock()()
	var all []Delivery
	for _, d := range a.deliveries {
		all = append(all, *d)
	}
	return all
}

// Hold keeps webhooks back until Release.
func (a *App) Hold() {
	defer a.s.lock()()
	a.held = true
}

// Release sends the webhooks that were held back. change, unless nil, returns those to send, in
// any order. The others are recorded as failed.
func (a *App) Release(change func(held []*Delivery) []*Delivery) {
	defer a.s.lock()()
	a.held = false
	if change != nil {
		before := a.queue
		a.queue = change(slices.Clone(before))
		for _, d := range before {
			if !slices.Contains(a.queue, d) {
				d.Done, d.StatusCode, d.Status = true, 502, notReached
			}
		}
	}
	a.wakeSender()
}
