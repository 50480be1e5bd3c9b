package pull

import (
	"context"
	"slices"

	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/verdict"
)

// AllGreen reports whether all of CI has ended on this commit without a failure, and with a success. A later
// success of a workflow makes up for a run that had failed before, if the same account caused both. Others can
// be runs of another pull request with this commit.
func AllGreen(ctx context.Context, at Place, headSHA string) (bool, error) {
	runs, err := at.Client.Runs(ctx, at.Repo, headSHA)
	if err != nil || len(runs) >= github.MostRuns { // an older one may have failed
		return false, err
	}
	good, bad := outcome(runs)
	if bad {
		return false, nil
	}
	others, err := at.Client.Others(ctx, at.Repo, headSHA)
	return (good || others.Green > 0) && others.Red+others.Waiting == 0, err
}

// outcome reports whether a run succeeded, and whether one is under way or failed for good.
func outcome(runs []github.Run) (good, bad bool) {
	for _, r := range runs {
		again := func(o github.Run) bool {
			return o.Path == r.Path && o.Event == r.Event && o.Actor == r.Actor && o.Created.After(r.Updated) && o.Conclusion == "success"
		}
		good = good || r.Conclusion == "success"
		bad = bad || !r.Completed() || github.Red(r.Conclusion) && !slices.ContainsFunc(runs, again)
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
