package github

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// ErrIgnored means that odfix does not use the delivery. It is answered and dropped.
var ErrIgnored = errors.New("")

type ignored string

func (i ignored) Error() string        { return string(i) }
func (i ignored) Is(target error) bool { return target == ErrIgnored }

// payload has the fields that odfix reads of every delivery.
type payload struct {
	Action       string        `json:"action"`
	Installation *installation `json:"installation"`
	Repository   *Repository   `json:"repository"`
	Sender       Sender        `json:"sender"`
}

// decoder reads one kind of event.
type decoder struct {
	actions []string // empty: the event has none
	// decode reads the body with open, and fills the fields of its kind.
	decode func(body []byte, e *Event, actions []string) error
}

// decoders are the events and actions that odfix uses.
var decoders = map[string]decoder{
	"workflow_run":              {[]string{"completed"}, decodeCheck},
	"workflow_job":              {[]string{"completed"}, decodeCheck},
	"check_run":                 {[]string{"completed", "rerequested", "requested_action"}, decodeCheck},
	"check_suite":               {[]string{"completed", "rerequested"}, decodeCheck},
	"status":                    {nil, decodeStatus},
	"pull_request":              {[]string{"opened", "reopened", "synchronize", "edited", "closed", "ready_for_review", "labeled"}, decodePullRequest},
	"issue_comment":             {[]string{"created"}, decodeComment},
	"push":                      {nil, decodePush},
	"installation":              {[]string{"created", "deleted", "suspend", "unsuspend", "new_permissions_accepted"}, decodeInstallation},
	"installation_repositories": {[]string{"added", "removed"}, decodeInstallation},
	"ping":                      {nil, decodePing},
}

// maxField bounds each stored text.
const maxField = 1000

// DecodeEvent reads the fields of a delivery that odfix uses. It returns ErrIgnored if odfix does
// not use the delivery. Another error means that the body is not from GitHub.
func DecodeEvent(name string, body []byte) (*Event, error) {
	d, known := decoders[name]
	if !known {
		if !json.Valid(body) {
			return nil, errors.New("the body is not JSON")
		}
		return nil, ignored("the event " + name)
	}
	e := &Event{Name: name}
	if err := d.decode(body, e, d.actions); err != nil {
		return nil, err
	}
	if e.Installed == nil && (e.Repository.ID == 0 || !strings.Contains(e.Repository.FullName, "/")) {
		return nil, errors.New("it names no repository")
	}
	e.clip()
	return e, nil
}

// open reads the body into a struct that embeds head, and fills the fields of every event. It
// returns ErrIgnored for an action that odfix does not use.
func open(body []byte, into any, head *payload, e *Event, actions []string) error {
	if err := unmarshal(body, into); err != nil {
		return err
	}
	if len(actions) > 0 && !slices.Contains(actions, head.Action) {
		return ignored(fmt.Sprintf("the event %s with action %q", e.Name, cut(head.Action)))
	}
	if head.Installation == nil || head.Installation.ID == 0 {
		return errors.New("it names no installation, so the webhook is a repository's or an organisation's; use the App's own")
	}
	e.Action, e.Installation, e.Sender = head.Action, head.Installation.ID, head.Sender
	if head.Repository != nil {
		e.Repository = *head.Repository
	}
	return nil
}

func decodePing(body []byte, _ *Event, _ []string) error {
	if !json.Valid(body) {
		return errors.New("the body is not JSON")
	}
	return ignored("a ping; webhooks arrive here")
}

// unmarshal replaces the library's error by one without text of the body.
func unmarshal(body []byte, into any) error {
	err := json.Unmarshal(body, into)
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &kind):
		return fmt.Errorf("its %s is not what GitHub sends", kind.Field)
	case errors.As(err, &syntax):
		return fmt.Errorf("the body is not JSON, from byte %d on", syntax.Offset)
	case err != nil:
		return errors.New("a value in it is not what GitHub sends")
	}
	return nil
}

// clip shortens untrusted texts.
func (e *Event) clip() {
	texts := []*string{&e.Sender.Login, &e.Sender.Type, &e.Repository.FullName}
	if c := e.Check; c != nil {
		texts = append(texts, &c.HeadBranch, &c.Conclusion, &c.Name, &c.App, &c.ExternalID, &c.Requested)
		c.PullRequests = c.PullRequests[:min(len(c.PullRequests), 100)]
	}
	if p := e.PullRequest; p != nil {
		texts = append(texts, &p.HeadRef, &p.BaseRef, &p.Association, &p.Label)
	}
	for _, s := range texts {
		*s = strings.ToValidUTF8((*s)[:min(len(*s), maxField)], "")
	}
}

// isSHA reports whether a text has the form of a commit's name, for either of git's hashes.
func isSHA(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

func needSHA(s string) error {
	if !isSHA(s) {
		return errors.New("it names no commit")
	}
	return nil
}

type installation struct {
	ID      int64 `json:"id"`
	Account struct {
		ID    int64  `json:"id"`
		Login string `json:"login"`
	} `json:"account"`
	Permissions map[string]string `json:"permissions"`
	SuspendedAt *time.Time        `json:"suspended_at"`
	UpdatedAt   stamp             `json:"updated_at"`
}

// stamp is a time in a payload: in some events a text, in others seconds since 1970.
type stamp struct{ time.Time }

// UnmarshalJSON implements json.Unmarshaler.
func (s *stamp) UnmarshalJSON(b []byte) error {
	var seconds int64
	if string(b) == "null" {
		return nil
	}
	if json.Unmarshal(b, &seconds) == nil {
		s.Time = time.Unix(seconds, 0).UTC()
		return nil
	}
	return json.Unmarshal(b, &s.Time)
}
