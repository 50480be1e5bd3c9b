package work

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/store"
)

// record adds a record about a task to the audit log.
func record(tx *store.Tx, t store.Task, a store.Audit) (bool, error) {
	var c content
	_ = json.Unmarshal(t.About, &c) // what cannot be read is recorded without a commit
	a.Installation, a.Repository, a.Task, a.Attempt, a.Worker = t.Installation, c.Source.Repository, t.Key, t.Attempt, t.Worker
	a.Commit, a.Job, a.JDK = c.Source.SHA, string(cmp.Or(c.Job.Kind, job.KindFix)), c.JDK
	if c.Source.Owner != "" {
		a.FullName = c.Source.Owner + "/" + c.Source.Name
	}
	return tx.Record(a)
}

// mostContacts is how many lists of hosts are recorded of an attempt. A worker may send any number.
const mostContacts = 8

// recordContacts records the hosts that a task's job asked for.
func recordContacts(tx *store.Tx, t store.Task, list []job.Contact) error {
	a := store.Audit{Event: store.AuditContacted}
	for _, c := range list {
		a.Hosts = append(a.Hosts, store.AuditHost{Host: c.Host, Allowed: c.Allowed, Times: c.Times})
	}
	for n := range mostContacts {
		a.ID = fmt.Sprintf("contacted/%s/%d/%d", t.ID, t.Attempt, n)
		if added, err := record(tx, t, a); added || err != nil {
			return err
		}
	}
	return nil
}

// end ends a task, and records that.
func end(tx *store.Tx, t store.Task, token string, to store.TaskState, result []byte) error {
	if err := tx.EndTask(t.ID, token, to, result); err != nil {
		return err
	}
	_, err := record(tx, t, store.Audit{Event: store.AuditEnded, Outcome: string(to)})
	return err
}
