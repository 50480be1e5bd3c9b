package pull

import (
	"context"
	"slices"

	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/verdict"
)

// CI is what is known of a commit's CI.
type CI struct {
	repository int64
	runs       []github.Run
	others     github.Tally
}

// ReadCI asks GitHub for the state of a commit's CI.
func ReadCI(ctx context.Context, at Place, headSHA string) (CI, error) {
	runs, err := at.Client.Runs(ctx, at.Repo, headSHA)
	if err != nil {
		return CI{}, err
	}
	others, err := at.Client.Others(ctx, at.Repo, headSHA)
	return CI{at.Repo.ID, runs, others}, err
}

// Green reports whether all of CI has ended without a failure, and with a success, for a pull request whose
// branch is in headRepository. A later success of a workflow makes up for a run that had failed before, if
// the same account caused both. Others can be runs of another pull request with this commit.
func (c CI) Green(headRepository int64) bool {
	if len(c.runs) >= github.MostRuns { // an older one may have failed
		return false
	}
	good, bad := outcome(slices.DeleteFunc(slices.Clone(c.runs), func(r github.Run) bool {
		deleted := r.HeadRepository.ID == 0 && r.Conclusion != "success" // the fork may have been deleted meanwhile
		return !r.Concerns(c.repository, headRepository) && !deleted
	}))
	return (good || c.others.Green > 0) && !bad && c.others.Red+c.others.Waiting == 0
}

// unfinished are conclusions of runs that say nothing about the tests, though they have ended.
var unfinished = []string{"action_required", "cancelled", "stale", "startup_failure"}

// outcome reports whether a run succeeded, and whether one is under way, waits for an approval, or failed
// or was cancelled for good.
func outcome(runs []github.Run) (good, bad bool) {
	ended := func(c string) bool { return !slices.Contains(unfinished, c) && !github.Red(c) }
	for _, r := range runs {
		again := func(o github.Run) bool {
			if o.Path != r.Path || o.Conclusion != "success" {
				return false
			}
			// A newer run cancels an older one of its branch, whoever caused them, and by what event.
			cancels := r.Conclusion == "cancelled" && o.ID > r.ID && o.Branch == r.Branch && o.HeadRepository == r.HeadRepository
			return cancels || o.Event == r.Event && o.Actor == r.Actor && o.Created.After(r.Updated)
		}
		good = good || r.Conclusion == "success"
		bad = bad || !r.Completed() || !ended(r.Conclusion) && !slices.ContainsFunc(runs, again)
	}
	return good, bad
}

// Settle marks every comment of odfix on a pull request as settled, since CI is green on this head.
// It returns how many it marked.
func Settle(ctx context.Context, at Place, number int64, headSHA, helpURL string) (int, error) {
	there, err := OwnComments(ctx, at, number)
	if err != nil {
		return 0, err
	}
	settled := 0
	for _, c := range there.First {
		if c.Marker.Settled {
			continue
		}
		if err := StillAt(ctx, at, number, headSHA); err != nil {
			return settled, err
		}
		if err := Rewrite(ctx, at, c, verdict.Settled(c.Marker, headSHA, c.Body, helpURL)); err != nil {
			return settled, err
		}
		if err := DropParts(ctx, at, c.Marker, there); err != nil {
			return settled, err
		}
		settled++
	}
	return settled, nil
}
