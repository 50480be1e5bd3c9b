package investigate

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// TestAttackForgedSetting: a setting of Jest is called proved only if the second runner has proved
// it, with a patch beside it or without one.
func TestAttackForgedSetting(t *testing.T) {
	for _, patched := range []bool{true, false} {
		for name, c := range map[string]struct {
			again func(*job.Report) // what the second runner says
			shown bool
		}{
			"proved again":  {func(*job.Report) {}, true},
			"not proved":    {func(r *job.Report) { r.Alternative.Proof = job.Proof{} }, false},
			"missing":       {func(r *job.Report) { r.Alternative = nil }, false},
			"another one":   {func(r *job.Report) { r.Alternative.Setting = "clearMocks: true" }, false},
			"another test":  {func(r *job.Report) { r.Alternative.Fixes = []suite.TestID{} }, false},
			"with an error": {func(r *job.Report) { r.Error = &job.Error{Code: "x", Message: "x"} }, false},
		} {
			t.Run(fmt.Sprintf("%s, with a patch %v", name, patched), func(t *testing.T) {
				t.Parallel()
				h := newHub(t, githubtest.Config{}, "jest.report.json")
				h.runner.Change = func(r *job.Report) {
					if !patched {
						r.Tests[0].Patches = nil
					}
					r.Alternative = &job.Alternative{Setting: "resetMocks: true", Fixes: []suite.TestID{r.Tests[0].Test}, Proof: job.Proof{Proved: true}}
				}
				h.runner.Verify = func(_ context.Context, j job.Job) (*job.Report, error) {
					r := investigatetest.Echo(j)
					if r.Alternative == nil {
						t.Error("the second runner was not asked about the setting")
						return r, nil
					}
					of := *r.Alternative
					r.Alternative = &of
					c.again(r)
					return r, nil
				}
				p := h.jestPull()
				run, err := h.Repo.StartRun(h.Ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"test"}})
				h.Must(err)
				run.Job("test").Complete(h.Ctx, "failure", investigatetest.Recording(t, "jest.log"))
				run.Complete(h.Ctx, "failure")
				h.settled(p, 1)
				text := strings.Join(h.Posted(p).Causes(), "")
				if shown := strings.Contains(text, "`resetMocks: true` forgets"); shown != c.shown || text == "" || len(h.runner.Proofs()) == 0 {
					t.Errorf("shown %v, %d second jobs: %s", shown, len(h.runner.Proofs()), text)
				}
			})
		}
	}
}
