package github

import (
	"cmp"
	"context"
	"time"

	gh "github.com/google/go-github/v60/github"
)

// CheckName is the name of odfix's check. GitHub shows only the newest check of a name, so results
// that are not about an investigation have a check of another name.
const (
	CheckName     = "odfix"
	PollutionName = "odfix pollution"
)

// Limits of a check.
const (
	maxCheckText   = 65_535 // bytes of summary and of text
	maxAnnotations = 50     // in one request; later requests add more
	maxActions     = 3
	maxLabel       = 20
	maxDescription = 40
)

// Check is the content of odfix's check on a commit.
type Check struct {
	Name       string // empty: CheckName
	HeadSHA    string
	ExternalID string // the marker with which FindCheck finds it
	Status     string // queued, in_progress, completed
	Conclusion string // with completed
	Title      string
	Summary    string // Markdown
	Text       string // Markdown
	Notes      []Annotation
	Buttons    []Button
}

// Annotation is a note on lines of a file.
type Annotation struct {
	Path    string
	Line    int
	EndLine int    // 0: Line
	Level   string // notice, warning, failure
	Title   string
	Message string
}

// Button is a button on the Checks tab. A press comes as a requested_action event.
type Button struct{ ID, Label, Description string }

// FindCheck finds odfix's newest check on the commit with a marker; 0: none.
func (c *Client) FindCheck(ctx context.Context, r Repo, headSHA, externalID string) (int64, error) {
	o := gh.ListCheckRunsOptions{Filter: gh.String("all")}
	if c.fixed == nil {
		o.AppID = gh.Int64(c.app.o.ID)
	}
	var found int64
	err := c.checkRuns(ctx, r, headSHA, &o, func(k *gh.CheckRun) {
		if k.GetExternalID() == externalID && c.own(k.GetApp()) {
			found = max(found, k.GetID())
		}
	})
	return found, err
}

// checkRuns calls see for each check run on a commit.
func (c *Client) checkRuns(ctx context.Context, r Repo, sha string, o *gh.ListCheckRunsOptions, see func(*gh.CheckRun)) error {
	return pages(&o.ListOptions, func() (*gh.Response, error) {
		list, resp, err := c.on(r, readChecks).Checks.ListCheckRunsForRef(ctx, r.Owner, r.Name, sha, o)
		if err == nil {
			for _, k := range list.CheckRuns {
				see(k)
			}
		}
		return resp, err
	})
}

// CheckNow is the current content of a check run.
type CheckNow struct{ URL, Title, Summary, Text string }

// ReadCheck reads a check run.
func (c *Client) ReadCheck(ctx context.Context, r Repo, id int64) (CheckNow, error) {
	k, _, err := c.on(r, readChecks).Checks.GetCheckRun(ctx, r.Owner, r.Name, id)
	o := k.GetOutput()
	return CheckNow{k.GetHTMLURL(), o.GetTitle(), o.GetSummary(), o.GetText()}, err
}

// CreateCheck makes a check run.
func (c *Client) CreateCheck(ctx context.Context, r Repo, k Check) (int64, error) {
	rest := k.Notes[min(len(k.Notes), maxAnnotations):]
	o := gh.CreateCheckRunOptions{Name: k.name(), HeadSHA: k.HeadSHA, ExternalID: gh.String(k.ExternalID),
		Status: gh.String(k.Status), Output: k.output(), Actions: k.actions()}
	if k.Status == "completed" {
		o.Conclusion, o.CompletedAt = gh.String(k.Conclusion), &gh.Timestamp{Time: c.app.o.Now().UTC().Truncate(time.Second)}
	}
	run, _, err := c.on(r, writeChecks).Checks.CreateCheckRun(ctx, r.Owner, r.Name, o)
	if err != nil {
		return 0, err
	}
	return run.GetID(), c.addNotes(ctx, r, run.GetID(), k, rest)
}

// UpdateCheck changes a check run.
func (c *Client) UpdateCheck(ctx context.Context, r Repo, id int64, k Check) error {
	rest := k.Notes[min(len(k.Notes), maxAnnotations):]
	o := gh.UpdateCheckRunOptions{Name: k.name(), ExternalID: gh.String(k.ExternalID), Status: gh.String(k.Status),
		Output: k.output(), Actions: k.actions()}
	if k.Status == "completed" {
		o.Conclusion, o.CompletedAt = gh.String(k.Conclusion), &gh.Timestamp{Time: c.app.o.Now().UTC().Truncate(time.Second)}
	}
	if _, _, err := c.on(r, writeChecks).Checks.UpdateCheckRun(ctx, r.Owner, r.Name, id, o); err != nil {
		return err
	}
	return c.addNotes(ctx, r, id, k, rest)
}

// addNotes adds the annotations beyond those of the first request.
func (c *Client) addNotes(ctx context.Context, r Repo, id int64, k Check, rest []Annotation) error {
	for len(rest) > 0 {
		n := min(len(rest), maxAnnotations)
		more := k
		more.Notes, rest = rest[:n], rest[n:]
		if _, _, err := c.on(r, writeChecks).Checks.UpdateCheckRun(ctx, r.Owner, r.Name, id,
			gh.UpdateCheckRunOptions{Name: k.name(), Output: more.output()}); err != nil {
			return err
		}
	}
	return nil
}

func (k Check) name() string { return cmp.Or(k.Name, CheckName) }

func (k Check) output() *gh.CheckRunOutput {
	out := &gh.CheckRunOutput{Title: gh.String(Cut(k.Title, 250)), Summary: gh.String(CutMarkdown(k.Summary, maxCheckText))}
	if k.Text != "" {
		out.Text = gh.String(CutMarkdown(k.Text, maxCheckText))
	}
	for _, a := range k.Notes[:min(len(k.Notes), maxAnnotations)] {
		line := max(a.Line, 1)
		n := &gh.CheckRunAnnotation{Path: gh.String(a.Path), StartLine: gh.Int(line),
			EndLine: gh.Int(max(a.EndLine, line)), AnnotationLevel: gh.String(a.Level), Message: gh.String(Cut(a.Message, 60_000))}
		if a.Title != "" {
			n.Title = gh.String(Cut(a.Title, 250))
		}
		out.Annotations = append(out.Annotations, n)
	}
	return out
}

func (k Check) actions() []*gh.CheckRunAction {
	var out []*gh.CheckRunAction
	for _, b := range k.Buttons[:min(len(k.Buttons), maxActions)] {
		out = append(out, &gh.CheckRunAction{Label: Cut(b.Label, maxLabel), Description: Cut(b.Description, maxDescription),
			Identifier: Cut(b.ID, maxLabel)})
	}
	return out
}
