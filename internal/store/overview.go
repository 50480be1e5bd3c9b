package store

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// Finding is what an investigation found of one test.
type Finding struct {
	Investigation string
	Repository    int64
	Created       time.Time // of the investigation
	Test          suite.TestID
	Verdict       suite.Verdict
	Proved        bool // a patch for it is proved
}

// Overview is what an installation did in some of its repositories.
type Overview struct {
	Investigations []Investigation          // the newest first
	Findings       []Finding                // in the order of Investigations
	Spent          map[string]time.Duration // by investigation: how long its runner took
	Posted         []Posted                 // comments, and when CI was green after them; the oldest first
	// More: there are older investigations, which are left out.
	More bool
}

// Bounds of an overview. A finding can have a name of 2,000 bytes, and an investigation a reason of
// 8 KiB; pages and exports hold each several times.
const (
	maxOverview      = 5000    // investigations
	maxReasonBytes   = 2 << 20 // of all investigations
	maxFindingsBytes = 2 << 20 // of all findings, each with findingCost
	findingCost      = 128
)

// Overview returns the investigations of an installation in the given repositories since a time.
func (tx *Tx) Overview(installation int64, repositories []int64, since time.Time) (Overview, error) {
	out := Overview{Spent: map[string]time.Duration{}}
	if len(repositories) == 0 {
		return out, nil
	}
	var err error
	size, cut := 0, false
	here := `installation = $1 AND repository IN (` + numbers(repositories) + `) AND created >= $2`
	n := 0
	out.Investigations, err = until(tx, scanInvestigation, func(i Investigation) bool {
		n, size = n+1, size+len(i.Reason)
		cut = n > maxOverview || size > maxReasonBytes
		return cut
	}, `SELECT `+investigationColumns+` FROM investigation WHERE `+here+
		fmt.Sprintf(` ORDER BY created DESC, id LIMIT %d`, maxOverview+1),
		installation, micros(since))
	if err != nil {
		return out, err
	}
	if out.More = cut; cut {
		out.Investigations = out.Investigations[:n-1]
		since = out.Investigations[n-2].Created
	}
	chosen := `(SELECT id FROM investigation WHERE ` + here + `)`
	size, cut = 0, false
	out.Findings, err = until(tx, scanFinding, func(f Finding) bool {
		size += len(f.Test) + findingCost
		cut = size > maxFindingsBytes
		return cut
	}, `SELECT f.investigation, i.repository, i.created, f.test, f.verdict, f.proved
		FROM finding f JOIN investigation i ON i.id = f.investigation WHERE f.investigation IN `+chosen+
		fmt.Sprintf(` ORDER BY i.created DESC, i.id, f.test LIMIT %d`, maxFindingsBytes/findingCost+1), installation, micros(since))
	if err != nil {
		return out, err
	}
	if cut { // the investigation in which the limit is, and older ones, are left out
		last := out.Findings[len(out.Findings)-1].Investigation
		out.More = true
		if n := slices.IndexFunc(out.Investigations, func(i Investigation) bool { return i.ID == last }); n >= 0 {
			out.Investigations = out.Investigations[:n]
		}
		out.Findings = slices.DeleteFunc(out.Findings, func(f Finding) bool { return f.Investigation == last })
	}
	type spent struct {
		id     string
		millis int64
	}
	times, err := all(tx, func(r rows) (s spent, err error) { return s, r.Scan(&s.id, &s.millis) },
		`SELECT investigation, spent FROM report WHERE spent > 0 AND investigation IN `+chosen, installation, micros(since))
	if err != nil {
		return out, err
	}
	for _, s := range times {
		out.Spent[s.id] = time.Duration(s.millis) * time.Millisecond
	}
	out.Posted, err = all(tx, scanPosted, `SELECT `+postedColumns+` FROM posted WHERE done > 0 AND claimed >= $1
		AND kind IN ('comment', 'settled') AND repository IN (`+
		numbers(repositories)+`) ORDER BY claimed, key`, micros(since))
	return out, err
}

func scanFinding(r rows) (Finding, error) {
	var f Finding
	var created, proved int64
	err := r.Scan(&f.Investigation, &f.Repository, &created, &f.Test, &f.Verdict, &proved)
	f.Created, f.Proved = fromMicros(created), proved != 0
	return f, err
}

// saveFindings stores the verdict on each test of a report.
func (tx *Tx) saveFindings(id string, r *job.Report) error {
	for _, t := range r.Tests {
		_, err := tx.exec(`INSERT INTO finding (investigation, test, verdict, proved) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
			id, storable(string(t.Test)), string(t.Verdict), flag(r.Proved(t.Test) != nil))
		if err != nil {
			return err
		}
	}
	return nil
}

// storable is a text without what PostgreSQL refuses in a text.
func storable(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
}

// numbers are ids as SQL. They hold only digits, so nothing is quoted.
func numbers(ids []int64) string {
	var b strings.Builder
	for i, id := range ids {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%d", id)
	}
	return b.String()
}
