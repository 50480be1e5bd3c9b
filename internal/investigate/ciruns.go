package investigate

import (
	"context"
	"slices"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/pull"
)

// redRun is a run and those of its red jobs that the configuration selects.
type redRun struct {
	run github.Run
	red []github.CIJob
}

// ciRuns are the runs on a commit that were not read before.
type ciRuns struct {
	red   []redRun // those with red jobs that the configuration selects
	ended []string // keys of those that have ended
	left  int      // those whose jobs are not looked at
}

// mostRuns is how many runs' jobs are looked at.
const mostRuns = 30

// runsOn finds the runs on a commit, without runs and jobs that were read. Each run costs a request.
// Of very many, those that are red come first, and then those that are under way.
func runsOn(ctx context.Context, at target, headSHA string, cfg config.Config, read []string) (out ciRuns, err error) {
	runs, err := at.client.Runs(ctx, at.repo, headSHA)
	if err != nil {
		return out, err
	}
	runs = slices.DeleteFunc(pull.NewestRuns(runs), func(r github.Run) bool { return slices.Contains(read, r.Key()) })
	rank := func(r github.Run) int {
		switch {
		case !r.Completed():
			return 1
		case github.Red(r.Conclusion):
			return 0
		}
		return 2
	}
	slices.SortStableFunc(runs, func(a, b github.Run) int { return rank(a) - rank(b) })
	for n, run := range runs {
		if run.Completed() {
			out.ended = append(out.ended, run.Key())
		}
		if n >= mostRuns {
			out.left++
			continue
		}
		jobs, err := at.client.Jobs(ctx, at.repo, run)
		if err != nil {
			return out, err
		}
		red := slices.DeleteFunc(jobs, func(j github.CIJob) bool {
			return !j.Red() || !cfg.CI.Looks(run.Workflow, run.Path, j.Name) || slices.Contains(read, j.Key())
		})
		if len(red) > 0 {
			out.red = append(out.red, redRun{run, red})
		}
	}
	return out, nil
}

// underWay reports whether a run with red jobs has others that have not ended.
func (r ciRuns) underWay() bool {
	return slices.ContainsFunc(r.red, func(r redRun) bool { return !r.run.Completed() })
}
