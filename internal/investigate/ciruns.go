package investigate

import (
	"cmp"
	"context"
	"slices"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/github"
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
// Of very many, those that failed come first, and then those that are under way.
func runsOn(ctx context.Context, at target, headSHA string, cfg config.Config, read []string) (out ciRuns, err error) {
	runs, err := at.client.Runs(ctx, at.repo, headSHA)
	if err != nil {
		return out, err
	}
	runs = slices.DeleteFunc(relevant(runs), func(r github.Run) bool { return slices.Contains(read, r.Key()) })
	rank := func(r github.Run) int {
		switch {
		case !r.Completed():
			return 1
		case failed(r):
			return 0
		}
		return 2
	}
	slices.SortFunc(runs, func(a, b github.Run) int {
		return cmp.Or(rank(a)-rank(b), cmp.Compare(a.ID, b.ID)) // the older ones are mostly those of the pull request that was there first
	})
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

func failed(r github.Run) bool { return r.Completed() && github.Red(r.Conclusion) }

// relevant keeps, of each workflow on a commit, the last run, the first and the last that failed, and all
// that are under way. A newer run can be that of somebody else's pull request with the same commit, so it
// says nothing about an older one.
func relevant(runs []github.Run) []github.Run {
	runs = slices.Clone(runs)
	slices.SortFunc(runs, func(a, b github.Run) int { return cmp.Compare(a.ID, b.ID) })
	type workflow struct{ path, event string }
	last, firstFailed, lastFailed := map[workflow]int64{}, map[workflow]int64{}, map[workflow]int64{}
	for _, r := range runs {
		of := workflow{r.Path, r.Event}
		last[of] = r.ID
		if failed(r) {
			lastFailed[of] = r.ID
			if _, known := firstFailed[of]; !known {
				firstFailed[of] = r.ID
			}
		}
	}
	return slices.DeleteFunc(runs, func(r github.Run) bool {
		of := workflow{r.Path, r.Event}
		return r.Completed() && r.ID != last[of] && r.ID != firstFailed[of] && r.ID != lastFailed[of]
	})
}

// underWay reports whether a run with red jobs has others that have not ended.
func (r ciRuns) underWay() bool {
	return slices.ContainsFunc(r.red, func(r redRun) bool { return !r.run.Completed() })
}
