package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"time"
)

// AuditEvent is what a record of the audit log is about.
type AuditEvent string

// The events.
const (
	AuditAsked     AuditEvent = "asked"     // a person asked, in a comment or with a button
	AuditOpened    AuditEvent = "opened"    // an investigation began
	AuditStarted   AuditEvent = "started"   // a worker took a job
	AuditContacted AuditEvent = "contacted" // hosts that a job asked for
	AuditEnded     AuditEvent = "ended"     // a worker ended a job
	AuditWriting   AuditEvent = "writing"   // a request that changes something on GitHub is about to be sent
	AuditWrote     AuditEvent = "wrote"     // GitHub's answer to it
	AuditRemoved   AuditEvent = "removed"   // records were removed
)

// Audit is a record of the audit log. Texts can be foreign, and are cut. Its JSON is
// docs/audit.schema.json: fields can be added, but their meaning must not change.
type Audit struct {
	ID            string     `json:"id"` // empty in Record: a new one
	At            time.Time  `json:"at"` // set by Record
	Event         AuditEvent `json:"event"`
	Installation  int64      `json:"installation,omitempty"`
	Repository    int64      `json:"repository,omitempty"` // GitHub's id
	FullName      string     `json:"fullName,omitempty"`   // owner/name, of that time
	PullRequest   int64      `json:"pullRequest,omitempty"`
	Commit        string     `json:"commit,omitempty"`
	Investigation string     `json:"investigation,omitempty"`

	Login    string `json:"login,omitempty"`    // who asked
	Delivery string `json:"delivery,omitempty"` // the webhook's GUID
	Command  string `json:"command,omitempty"`
	Refused  bool   `json:"refused,omitempty"` // the person may not ask for that

	Task    string      `json:"task,omitempty"`
	Job     string      `json:"job,omitempty"` // the kind of job
	Attempt int64       `json:"attempt,omitempty"`
	Worker  string      `json:"worker,omitempty"`
	JDK     int         `json:"jdk,omitempty"` // the release that was asked for; it chooses a pod's image
	Hosts   []AuditHost `json:"hosts,omitempty"`
	Outcome string      `json:"outcome,omitempty"` // of a job: done or failed

	Write    string `json:"write,omitempty"` // the same for writing and wrote
	Method   string `json:"method,omitempty"`
	Path     string `json:"path,omitempty"`   // of GitHub's API
	Status   int    `json:"status,omitempty"` // of GitHub's answer; 0: there was none, and it may be written
	URL      string `json:"url,omitempty"`
	RemoteID int64  `json:"remoteID,omitempty"` // GitHub's id of what was written
	SHA      string `json:"sha,omitempty"`      // of a written commit

	Removed map[string]int64 `json:"removed,omitempty"` // rows by table
}

// AuditHost is a host that a job asked for.
type AuditHost struct {
	Host    string `json:"host"`
	Allowed bool   `json:"allowed"`
	Times   int    `json:"times"`
}

const (
	maxAuditText  = 300 // bytes
	maxAuditHosts = 200
)

// cut bounds the texts and lists of a record.
func (a *Audit) cut() {
	for _, s := range []*string{&a.FullName, &a.Commit, &a.Investigation, &a.Login, &a.Delivery, &a.Command, &a.Task, &a.Job, &a.Worker,
		&a.Outcome, &a.Write, &a.Method, &a.Path, &a.URL, &a.SHA} {
		*s = cutText(*s)
	}
	hosts := make([]AuditHost, min(len(a.Hosts), maxAuditHosts))
	for n := range hosts {
		hosts[n] = a.Hosts[n]
		hosts[n].Host = cutText(hosts[n].Host)
	}
	a.Hosts = hosts
}

func cutText(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), maxAuditText)], "")
}

// Record adds a record to the audit log. False: there is one with this ID.
func (tx *Tx) Record(a Audit) (bool, error) {
	a.ID, a.At = cmp.Or(a.ID, newID()), fromMicros(micros(tx.time))
	a.cut()
	content, err := json.Marshal(a)
	if err != nil {
		return false, err
	}
	n, err := tx.exec(`INSERT INTO audit (id, at, installation, repository, content) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (id) DO NOTHING`,
		a.ID, micros(a.At), a.Installation, a.Repository, content)
	return n > 0, err
}

// AuditQuery chooses records of the audit log. Zero fields choose all.
type AuditQuery struct {
	Since, Until             time.Time // Until itself is left out
	Installation, Repository int64
}

// AuditPage returns the next records after a record, the oldest first.
func (tx *Tx) AuditPage(q AuditQuery, after Audit, most int) ([]Audit, error) {
	until := int64(1) << 62
	if !q.Until.IsZero() {
		until = micros(q.Until)
	}
	return all(tx, scanAudit, `SELECT content FROM audit WHERE at >= $1 AND at < $2 AND (CAST($3 AS BIGINT) = 0 OR installation = $3)
		AND (CAST($4 AS BIGINT) = 0 OR repository = $4)
		AND (at > $5 OR at = $5 AND id > $6) ORDER BY at, id LIMIT $7`,
		micros(q.Since), until, q.Installation, q.Repository, micros(after.At), after.ID, most)
}

func scanAudit(r rows) (a Audit, err error) {
	var content []byte
	if err := r.Scan(&content); err != nil {
		return a, err
	}
	return a, json.Unmarshal(content, &a)
}

// ReadAudit passes the chosen records of a database on, the oldest first. It changes nothing, and can
// run while servers use the database.
func ReadAudit(ctx context.Context, place string, q AuditQuery, pass func(Audit) error) error {
	if file, ok := sqliteFile(place); ok {
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("there is no database %s", file)
		}
	}
	db, err := connect(ctx, place, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer db.close()
	s := &Store{db: db, now: time.Now}
	in := &Inspection{}
	if err := s.View(ctx, in.look); err != nil {
		return fmt.Errorf("the database does not answer: %w", err)
	}
	if in.New || len(in.Pending) > 0 {
		return errors.New("the database is of an older odfix, or has no tables yet: start odfix serve once")
	}
	const page = 500
	for last := (Audit{}); ; {
		list, err := Read(ctx, s, func(tx *Tx) ([]Audit, error) { return tx.AuditPage(q, last, page) })
		if err != nil || len(list) == 0 {
			return err
		}
		for _, last = range list {
			if err := pass(last); err != nil {
				return err
			}
		}
	}
}
