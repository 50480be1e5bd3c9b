package harness

import (
	"context"
	"fmt"

	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// Restore names observed state. The state is saved when an order begins, and restored directly
// before one of the order's tests.
type Restore struct {
	Fields []string // the names that Observer.Field announced
	Before int      // the position of the test, from 1; 0: state is saved, and never restored
}

// Restored is the result for one field.
type Restored struct {
	Field   string
	Changed bool // it had changed
	// Elsewhere means that it had changed in a class of another class loader than the class path's.
	Elsewhere bool
	Problem   string // why it could not be restored; empty if it could
}

// RestoreRun is Run at the price Fresh. It restores state directly before one of the tests. The
// pool's processes must have the agent. If the process ends before that test, there are no results.
func (p *Pool) RestoreRun(ctx context.Context, order suite.Order, r Restore) (*suite.Run, []Restored, error) {
	if r.Before < 0 || r.Before >= len(order) {
		return nil, nil, fmt.Errorf("state cannot be restored before position %d of an order of %d tests", r.Before, len(order))
	}
	results := restoring{places: map[string]int{}}
	run, err := p.answer(ctx, order, Question{Price: suite.Fresh, restore: &r}, &results)
	return run, results.all, err
}

// restoring collects the results for fields. A field may be restored several times: a change or a
// problem that was found once stays in its result.
type restoring struct {
	all    []Restored
	places map[string]int
}

func (*restoring) Field(int, string, bool) {}
func (*restoring) Segment(state.Segment)   {}
func (*restoring) Note(string)             {}

func (w *restoring) restored(r Restored) {
	i, met := w.places[r.Field]
	if !met {
		w.places[r.Field] = len(w.all)
		w.all = append(w.all, r)
		return
	}
	w.all[i].Changed = w.all[i].Changed || r.Changed
	w.all[i].Elsewhere = w.all[i].Elsewhere || r.Elsewhere
	if r.Problem != "" {
		w.all[i].Problem = r.Problem
	}
}

// restoredFrame is the frame that holds the results.
type restoredFrame struct{ places []Restored }

func decodeRestored(f *fields) restoredFrame {
	var p restoredFrame
	f.list(9, func() {
		r := Restored{Field: f.str()}
		how := f.u8()
		r.Changed, r.Elsewhere, r.Problem = how == 'b', how == 'e', f.str()
		p.places = append(p.places, r)
	})
	return p
}

func (o *observing) restoredFrame(p restoredFrame) error {
	to, asked := o.to.(*restoring)
	if !asked {
		return protocolf("state was restored without a request")
	}
	for _, r := range p.places {
		if len(to.all) > maxPlaces {
			return protocolf("more than %d places were restored", maxPlaces)
		}
		r.Field, r.Problem = clip(r.Field, maxMessage), clip(r.Problem, maxMessage)
		to.restored(r)
	}
	return nil
}
