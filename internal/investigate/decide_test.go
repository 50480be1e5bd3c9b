package investigate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/archive"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/store"
)

// TestTestedCommitWithoutALog: the head where CI ran on the head, else GitHub's test merge, once
// there is one.
func TestTestedCommitWithoutALog(t *testing.T) {
	for name, c := range map[string]struct {
		event string
		pull  github.Pull
		want  string // empty: later
	}{
		"CI ran on the head":           {"push", github.Pull{HeadSHA: "head", MergeKnown: true, MergeSHA: "merge"}, "head"},
		"the merge is not made yet":    {"pull_request", github.Pull{HeadSHA: "head"}, ""},
		"the same, for another event":  {"pull_request_target", github.Pull{HeadSHA: "head"}, ""},
		"there is a conflict by now":   {"pull_request", github.Pull{HeadSHA: "head", MergeKnown: true}, "head"},
		"the check of another service": {"", github.Pull{HeadSHA: "head"}, "head"},
	} {
		got, err := (&Service{}).tested(t.Context(), target{}, &c.pull, evidence{Event: c.event})
		var later laterError
		if got != c.want || errors.As(err, &later) != (c.want == "") {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
}

// TestRetriable: what a limit or the network did is tried again; what a runner or an archive
// answered stays.
func TestRetriable(t *testing.T) {
	now := time.Unix(1000, 0)
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"a limit":              {&github.LimitError{Until: now.Add(time.Minute)}, true},
		"the network":          {io.ErrUnexpectedEOF, true},
		"the time":             {context.DeadlineExceeded, true},
		"a runner's answer":    {fmt.Errorf("job: %w", &job.Error{Code: "build-broken"}), false},
		"an archive":           {fmt.Errorf("sources: %w", archive.ErrRefused), false},
		"a repository gone":    {fmt.Errorf("sources: %w", github.ErrGone), false},
		"sources too large":    {github.ErrLarge, false},
		"a limit, all at once": {errors.Join(&job.Error{Code: "x"}, &github.LimitError{Until: now}), true},
	} {
		if got := retriable(c.err, now); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestEndedCheckNamesTheReason: a check without a report says how the investigation ended, and why
// it failed.
func TestEndedCheckNamesTheReason(t *testing.T) {
	for state, conclusion := range map[store.State]string{store.Superseded: "cancelled", store.Cancelled: "cancelled",
		store.Expired: "neutral", store.Failed: "neutral"} {
		c := endedCheck(store.Investigation{State: state, Reason: "`<b>` broke", SupersededBy: strings.Repeat("a", 40)})
		if c.Conclusion != conclusion || c.Title == "" || c.Summary == "" {
			t.Errorf("%s: %+v", state, c)
		}
		if state == store.Failed && !strings.Contains(c.Summary, "broke") {
			t.Errorf("the reason is missing: %s", c.Summary)
		}
	}
}
