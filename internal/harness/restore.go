package harness

import (
	"context"
	"fmt"

	"github.com/odfix/odfix/internal/suite"
)

// Rewind says what of the state that an Observer hears of is remembered when an
// order begins, and put back in front of one of its tests.
type Rewind struct {
	Places []string // by the names that Observer.Place has told
	Before int      // the position, from 1 on; 0: they are remembered, and never put back
}

// Rewound is how one place fared.
type Rewound struct {
	Place   string
	Changed bool // it was found changed
	// Elsewhere: it was found changed where another class loader than the class path's has its class.
	Elsewhere bool
	Problem   string // why it is not as it was; empty where it is
}

// RewindRun runs exactly this order in a fresh process of a pool whose processes
// are started with the agent, and has state put back in front of one of its tests: as
// Run, but for that. Where the process ended before that test, no place is told of.
func (p *Pool) RewindRun(ctx context.Context, order suite.Order, r Rewind) (*suite.Run, []Rewound, error) {
	if r.Before < 0 || r.Before >= len(order) {
		return nil, nil, fmt.Errorf("state cannot be put back in front of position %d of an order of %d tests", r.Before, len(order))
	}
	heard := rewinding{places: map[string]int{}}
	run, err := p.answer(ctx, order, Question{Price: suite.Fresh, rewind: &r}, &heard)
	return run, heard.all, err
}

// rewinding hears how places fared; it cares for nothing else. A place may be
// put back several times: what was changed once, or could not be put back once, stays so.
type rewinding struct {
	all    []Rewound
	places map[string]int
}

func (*rewinding) Place(int, string, bool) {}
func (*rewinding) Segment(Segment)         {}
func (*rewinding) Note(string)             {}

func (w *rewinding) rewound(r Rewound) {
	i, met := w.places[r.Place]
	if !met {
		w.places[r.Place] = len(w.all)
		w.all = append(w.all, r)
		return
	}
	w.all[i].Changed = w.all[i].Changed || r.Changed
	w.all[i].Elsewhere = w.all[i].Elsewhere || r.Elsewhere
	if r.Problem != "" {
		w.all[i].Problem = r.Problem
	}
}

// putBack is the frame that tells of it.
type putBack struct{ places []Rewound }

func decodePutBack(f *fields) putBack {
	var p putBack
	f.list(9, func() {
		r := Rewound{Place: f.str()}
		how := f.u8()
		r.Changed, r.Elsewhere, r.Problem = how == 'b', how == 'e', f.str()
		p.places = append(p.places, r)
	})
	return p
}

func (o *observing) putBack(p putBack) error {
	to, asked := o.to.(*rewinding)
	if !asked {
		return protocolf("state was put back where nobody asked for that")
	}
	for _, r := range p.places {
		if len(to.all) > maxPlaces {
			return protocolf("more than %d places were put back", maxPlaces)
		}
		r.Place, r.Problem = clip(r.Place, maxMessage), clip(r.Problem, maxMessage)
		to.rewound(r)
	}
	return nil
}
