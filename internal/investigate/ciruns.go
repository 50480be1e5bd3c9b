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

// runsOn finds the runs on the head of a pull request, without runs and jobs that were read. Each run
// costs a request, and of the red jobs only the first ones are read, so the runs that matter most to
// this pull request come first.
func runsOn(ctx context.Context, at target, p *github.Pull, cfg config.Config, read []string) (out ciRuns, err error) {
	runs, err := allRuns(ctx, at, p.HeadSHA, p.HeadRef, p.Author.Login)
	if err != nil {
		return out, err
	}
	reviewed, err := byWriters(ctx, at, p, runs)
	if err != nil {
		return out, err
	}
	runs = slices.DeleteFunc(runs, func(r github.Run) bool {
		return !r.Concerns(at.repo.ID, p.HeadRepository) || r.HeadRepository.ID == 0 && originOf(r, p) != ofAuthor // of a deleted fork
	})
	runs = append(runs, reviewed...)
	runs = slices.DeleteFunc(relevant(runs, p), func(r github.Run) bool { return slices.Contains(read, r.Key()) })
	slices.SortFunc(runs, func(a, b github.Run) int {
		return cmp.Or(last(passed(a), passed(b)), cmp.Compare(originOf(a, p), originOf(b, p)), last(!a.Completed(), !b.Completed()),
			cmp.Compare(a.ID, b.ID))
	})
	for n, run := range runs {
		if run.Completed() && (n < mostRuns || passed(run)) { // a later look reads failed ones beyond the limit
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

// mostReviewers is how many people's roles are asked for.
const mostReviewers = 30

// byWriters are the failed runs that reviews of people who can write have started. Some repositories run
// tests only when a maintainer approves. Anybody can write other reviews.
func byWriters(ctx context.Context, at target, p *github.Pull, runs []github.Run) (out []github.Run, err error) {
	may := map[string]bool{}
	for _, r := range runs {
		who := r.Actor.Login
		if !r.Reviewed() || !failed(r) || who == "" || r.HeadRepository.ID != p.HeadRepository {
			continue
		}
		if _, known := may[who]; !known {
			if len(may) == mostReviewers {
				continue
			}
			role, base, err := at.client.Role(ctx, at.repo, who)
			if err != nil {
				return nil, err
			}
			may[who] = canWrite(role, base)
		}
		if may[who] {
			out = append(out, r)
		}
	}
	return out, nil
}

// allRuns are the runs on a commit. If somebody has started so many that GitHub does not list all,
// those of an account, and those that have failed on a branch, are among them nevertheless.
func allRuns(ctx context.Context, at target, sha, branch, login string) ([]github.Run, error) {
	runs, err := at.client.Runs(ctx, at.repo, sha)
	if err != nil || len(runs) < github.MostRuns {
		return runs, err
	}
	more, err := at.client.FailedRuns(ctx, at.repo, sha, branch)
	if err == nil && login != "" {
		var own []github.Run
		own, err = at.client.RunsOf(ctx, at.repo, sha, login)
		more = append(more, own...)
	}
	known := map[int64]bool{}
	for _, r := range runs {
		known[r.ID] = true
	}
	for _, r := range more {
		if !known[r.ID] {
			runs, known[r.ID] = append(runs, r), true
		}
	}
	return runs, err
}

func failed(r github.Run) bool { return r.Completed() && github.Red(r.Conclusion) }

// passed reports whether a run has ended and did not fail. Jobs of it may have failed.
func passed(r github.Run) bool { return r.Completed() && !failed(r) }

// last compares two values so that those for which something is true come last.
func last(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// origin says what a run has to do with a pull request whose head it tests. GitHub does not say which pull
// request a run of a fork belongs to.
type origin int

const (
	ofAuthor  origin = iota // its author caused the run, for the same branch
	ofBranch                // somebody else caused it, for the same branch
	elsewhere               // for another branch of the repository, such as one with copies of commits of forks
)

func originOf(r github.Run, p *github.Pull) origin {
	switch {
	case r.HeadRepository.ID != p.HeadRepository || r.Branch != p.HeadRef:
		return elsewhere
	case r.Actor.ID != p.Author.ID:
		return ofBranch
	}
	return ofAuthor
}

// relevant leaves out runs elsewhere if the workflow has tested the pull request's own branch, and runs
// that have passed if there is a later one of the same workflow, account and branch.
func relevant(runs []github.Run, p *github.Pull) []github.Run {
	type line struct {
		path, event, branch string
		repository, actor   int64
	}
	of := func(r github.Run) line { return line{r.Path, r.Event, r.Branch, r.HeadRepository.ID, r.Actor.ID} }
	newest, own := map[line]int64{}, map[string]bool{}
	for _, r := range runs {
		newest[of(r)] = max(newest[of(r)], r.ID)
		tested := !r.Completed() || failed(r) || r.Conclusion == "success"
		own[r.Path] = own[r.Path] || tested && originOf(r, p) != elsewhere
	}
	return slices.DeleteFunc(slices.Clone(runs), func(r github.Run) bool {
		return passed(r) && r.ID != newest[of(r)] || own[r.Path] && originOf(r, p) == elsewhere
	})
}

// underWay reports whether a run with red jobs has others that have not ended.
func (r ciRuns) underWay() bool {
	return slices.ContainsFunc(r.red, func(r redRun) bool { return !r.run.Completed() })
}
