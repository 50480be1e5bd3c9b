package sandbox

import (
	"context"
	"fmt"
	"slices"
	"strings"

	gh "github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/internal/githubtest"
)

// Result is the pull request as GitHub returns it, compared with what its scenario expects.
type Result struct {
	Scenario   string   `json:"scenario"`
	AsExpected bool     `json:"as_expected"`
	Unexpected []string `json:"unexpected,omitempty"` // the differences
	Phases     []Phase  `json:"phases"`
	githubtest.State
	// Annotations are those of the head's checks, each with the id of its check.
	Annotations []githubtest.Object `json:"check_annotations"`
	// Earlier are the checks of earlier heads.
	Earlier []githubtest.Object `json:"earlier_check_runs"`
	Commits []githubtest.Commit `json:"-"`
}

// Result reads the pull request.
func (s *Sandbox) Result(ctx context.Context) (Result, error) {
	r := Result{Scenario: s.o.Scenario.Name, Phases: s.clock.phases(), Annotations: []githubtest.Object{}, Earlier: []githubtest.Object{}}
	var err error
	if r.State, err = s.Pull.State(ctx); err != nil {
		return r, err
	}
	if r.Commits, err = s.Pull.Commits(ctx); err != nil {
		return r, err
	}
	head := s.Pull.HeadSha()
	for _, c := range s.Repo.Checks(head) {
		list, err := githubtest.As[[]githubtest.Object](c["annotations"])
		if err != nil {
			return r, err
		}
		for _, a := range list {
			a["check_run_id"] = c["id"]
			r.Annotations = append(r.Annotations, a)
		}
	}
	for _, sha := range s.Pull.Heads() {
		if sha == head {
			continue
		}
		for _, c := range s.Repo.Checks(sha) {
			delete(c, "annotations")
			r.Earlier = append(r.Earlier, c)
		}
	}
	written, err := r.written()
	r.Unexpected = s.o.Scenario.expect.differences(written)
	r.AsExpected = len(r.Unexpected) == 0
	return r, err
}

// written is what odfix has written on a pull request.
type written struct {
	checks, earlier []*gh.CheckRun
	inline          []*gh.PullRequestComment
	comments        []*gh.IssueComment
	suggestions     int
	annotations     int
}

const app, bot = "odfix", "odfix[bot]"

func (r Result) written() (written, error) {
	var out written
	checks, err := githubtest.As[[]*gh.CheckRun](r.Checks)
	if err != nil {
		return out, err
	}
	earlier, err := githubtest.As[[]*gh.CheckRun](r.Earlier)
	if err != nil {
		return out, err
	}
	out.checks, out.earlier = ours(checks), ours(earlier)
	inline, err := githubtest.As[[]*gh.PullRequestComment](r.Inline)
	if err != nil {
		return out, err
	}
	for _, k := range inline {
		if k.GetUser().GetLogin() != bot {
			continue
		}
		out.inline = append(out.inline, k)
		if _, _, found := githubtest.Suggestion(k.GetBody()); found {
			out.suggestions++
		}
	}
	comments, err := githubtest.As[[]*gh.IssueComment](r.Comments)
	out.comments = slices.DeleteFunc(comments, func(k *gh.IssueComment) bool { return k.GetUser().GetLogin() != bot })
	for _, c := range out.checks {
		out.annotations += c.GetOutput().GetAnnotationsCount()
	}
	return out, err
}

func ours(list []*gh.CheckRun) []*gh.CheckRun {
	return slices.DeleteFunc(list, func(c *gh.CheckRun) bool { return c.GetApp().GetSlug() != app })
}

// differences lists what is not as expected.
func (e expectation) differences(s written) []string {
	var out []string
	miss := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if len(s.checks) != 1 && (!e.free || len(s.checks) == 0) { // a project's configuration may ask for a second one
		miss("the head has %s of odfix, where 1 is expected", plural(len(s.checks), "check"))
	}
	for _, c := range s.checks {
		if c.GetStatus() != "completed" || c.GetConclusion() != "neutral" && !e.free {
			miss("the check is %s %s, where completed neutral is expected", c.GetStatus(), c.GetConclusion())
		}
		if !strings.HasPrefix(c.GetOutput().GetTitle(), e.title) {
			miss("the title of the check is %q, where %q is expected", c.GetOutput().GetTitle(), e.title)
		}
	}
	if e.free {
		return out
	}
	if s.suggestions != e.suggestions {
		miss("there is %s to accept, where %d is expected", plural(s.suggestions, "suggestion"), e.suggestions)
	}
	if got := len(s.comments) + len(s.inline) - s.suggestions; got != e.comments {
		miss("there is %s without a suggestion, where %d is expected", plural(got, "comment"), e.comments)
	}
	if (s.annotations > 0) != e.annotations {
		miss("the check has %s", plural(s.annotations, "annotation"))
	}
	if e.cancelled {
		out = append(out, cancelled(s.earlier)...)
	}
	return out
}

// cancelled returns a difference unless the older head's check was cancelled.
func cancelled(earlier []*gh.CheckRun) []string {
	if len(earlier) == 1 && earlier[0].GetConclusion() == "cancelled" {
		return nil
	}
	var got []string
	for _, c := range earlier {
		got = append(got, c.GetStatus()+" "+c.GetConclusion())
	}
	return []string{fmt.Sprintf("the older commit's checks are %q, where one is expected, cancelled", got)}
}
