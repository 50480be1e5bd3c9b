package dashboard

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/odfix/odfix/templates"
)

// rows are all investigations of the view, the newest first.
func (v *view) rows() []templates.InvestigationRow {
	out := []templates.InvestigationRow{}
	found := v.findings()
	for _, i := range v.Investigations {
		out = append(out, v.row(i, outcomeOf(i, found[i.ID]), found[i.ID]))
	}
	return out
}

func (d *Dashboard) exportJSON(w http.ResponseWriter, r *http.Request, v visitor) error {
	x, done, err := d.chosen(r, v)
	if err != nil {
		return err
	}
	defer done()
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false) // it would make texts longer, and a browser saves the answer
	if err := e.Encode(map[string]any{"installation": x.id, "since": x.since, "complete": !x.More, "investigations": x.rows()}); err != nil {
		return err
	}
	done() // a slow browser keeps no place
	return d.attach(w, x, "application/json", "json", &out)
}

func (d *Dashboard) exportCSV(w http.ResponseWriter, r *http.Request, v visitor) error {
	x, done, err := d.chosen(r, v)
	if err != nil {
		return err
	}
	defer done()
	var out bytes.Buffer
	c := csv.NewWriter(&out)
	_ = c.Write([]string{"id", "created", "repository", "pull_request", "head_sha", "outcome", "state", "reason", "seconds",
		"order_dependent_tests", "with_proved_patch", "other_tests"})
	for _, i := range x.rows() {
		dependent, proved := i.Dependent()
		line := []string{i.ID, i.Created.Format(time.RFC3339), i.Repository, strconv.FormatInt(i.PullRequest, 10), i.HeadSHA,
			string(i.Outcome), i.State, i.Reason, strconv.FormatFloat(i.Spent, 'f', 1, 64),
			strconv.Itoa(dependent), strconv.Itoa(proved), strconv.Itoa(len(i.Tests) - dependent)}
		for n := range line {
			line[n] = plainCell(line[n])
		}
		_ = c.Write(line)
	}
	c.Flush()
	done() // a slow browser keeps no place
	return d.attach(w, x, "text/csv; charset=utf-8", "csv", &out)
}

// plainCell keeps a spreadsheet from reading a text as a formula.
func plainCell(s string) string {
	if strings.ContainsAny(s[:min(1, len(s))], "=+-@\t\r") {
		return "'" + s
	}
	return s
}

// attach sends an export, unless too many are being sent.
func (d *Dashboard) attach(w http.ResponseWriter, v *view, media, end string, text *bytes.Buffer) error {
	if free := d.reserve(w, text.Cap()); free != nil {
		defer free()
		w.Header().Set("Content-Type", media)
		w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="odfix-%d-%dd.%s"`, v.id, v.days, end))
		_, _ = text.WriteTo(w) // an error means that the browser is gone
	}
	return nil
}
