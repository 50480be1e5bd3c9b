package repair

import (
	"context"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// Bounds on trying statements in one process.
const (
	maxFlips = 24               // statements
	flipTime = 20 * time.Second // what the failing order, run again and again, may take at most, by its first run
)

// flip reports whether the failing order passes with the whole list, as the first run of a
// process says. The same process goes on with none of the statements, with each by itself, and with none
// once more: where none leaves the test failing both times, the polluter has spoilt the state anew each time, and a statement
// that is enough by itself shows. That is a hint, which spares most searches; a patch made of it is tried like any other.
func (t *trier) flip(ctx context.Context, ids []string) (ok bool, err error) {
	masks := []string{t.switches(ids), t.switches(nil)}
	for _, id := range ids {
		masks = append(masks, t.switches([]string{id}))
	}
	masks = append(masks, t.switches(nil))
	var passed []bool
	broke := false
	err = t.p.Lab.Series(ctx, t.failing[0], t.built.Overlay, func(last *suite.Run) (string, bool) {
		if last != nil {
			passed = append(passed, last.Last().Outcome == suite.Pass)
			broke = last.Crash != nil
		}
		switch n := len(passed); {
		case n == 0:
			return masks[0], true
		case n == len(masks), n == 1 && (!passed[0] || time.Duration(last.Nanos)*time.Duration(len(masks)) > flipTime), n == 2 && passed[1]:
			return "", false
		default:
			return masks[n], true
		}
	})
	if err == nil && broke && len(passed) == 1 {
		return t.passes(ctx, ids) // a process that ended says nothing of the list
	}
	if err != nil || len(passed) == 0 || !passed[0] {
		return false, err
	}
	if len(passed) == len(masks) && !passed[len(passed)-1] {
		for i, id := range ids {
			if passed[i+2] && len(t.s.close(ids, ids[i:i+1])) == 1 {
				t.lone = id // the last one: what puts state right tends to stand at a helper's end
			}
		}
	}
	return true, nil
}
