package harness

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// An Observer receives the static state that tests use while an order runs in a process with the
// agent (JVM.Agent). Its methods are called one at a time, in the order of the events. The events
// are checked before: fields are announced before they are used, and positions belong to the order.
type Observer interface {
	// Field announces a piece of static state. Ambient state can also be read by code that is not
	// observed.
	Field(place int, name string, ambient bool)
	// Segment is a part of the run.
	Segment(s state.Segment)
	// Note is a sentence for people about something that is not observed.
	Note(text string)
}

// A ClassObserver is an Observer that also receives the names of classes when their static initialisers
// have ended, in that order.
type ClassObserver interface {
	Observer
	Initialised(class string)
}

// Bounds on the state that one process may report.
const (
	maxPlaces   = 1 << 20
	maxNotes    = 1000
	maxClasses  = 20000
	maxSegments = 8       // per position
	maxValues   = 8 << 20 // in one run
)

// observing checks the reports of state and passes them on.
type observing struct {
	to       Observer
	order    int // tests in it
	places   int
	segments int
	values   int
	notes    int
	classes  int
	captures int
	changes  int
	calls    int
}

func (o *observing) take(e event) error {
	if o.to == nil {
		return protocolf("an event of an observed run (%T) in one that is not observed", e)
	}
	switch e := e.(type) {
	case placed:
		if e.place != uint32(o.places) || o.places == maxPlaces {
			return protocolf("place %d announced where %d was due, of at most %d", e.place, o.places, maxPlaces)
		}
		o.places++
		o.to.Field(int(e.place), clip(e.name, maxMessage), e.ambient)
	case noted:
		if o.notes++; o.notes <= maxNotes {
			o.to.Note(clip(e.text, maxMessage))
		}
	case initialised:
		if to, ok := o.to.(ClassObserver); ok && o.classes < maxClasses {
			o.classes++
			to.Initialised(clip(e.class, maxMessage))
		}
	case state.Segment:
		return o.segment(e)
	case state.Capture:
		return o.capture(e)
	case callsSeen:
		return o.callsSeen(e)
	case restoredFrame:
		return o.restoredFrame(e)
	}
	return nil
}

func (o *observing) segment(s state.Segment) error {
	if o.segments++; o.segments > maxSegments*(o.order+1) {
		return protocolf("more than %d segments in an order of %d tests", maxSegments*(o.order+1), o.order)
	}
	if o.values += len(s.Values); o.values > maxValues {
		return protocolf("more than %d values in one run", maxValues)
	}
	if !strings.ContainsRune("tbao", rune(s.Kind)) {
		return protocolf("a segment of the unknown kind %q", s.Kind)
	}
	if s.Kind != 'o' && (s.Position < 0 || s.Position >= o.order) {
		return protocolf("a segment at position %d of an order of %d tests", s.Position, o.order)
	}
	for _, list := range [][]int{s.Read, s.Written, s.InitRead, s.InitWrite} {
		if i := slices.IndexFunc(list, o.unknown); i >= 0 {
			return protocolf("place %d was never announced", list[i])
		}
	}
	for _, v := range s.Values {
		if o.unknown(v.Field) {
			return protocolf("place %d was never announced", v.Field)
		}
	}
	o.to.Segment(s)
	return nil
}

func (o *observing) unknown(place int) bool { return place < 0 || place >= o.places }

// Observe runs exactly this order in a fresh process of a pool whose processes have the agent. It
// reports to the observer what the tests do with static state. If the order ends early, the reports
// hold for the tests that ran. After the time within, if it is not 0, the order is stopped.
func (p *Pool) Observe(ctx context.Context, order suite.Order, to Observer, within time.Duration) (*suite.Run, error) {
	if to == nil {
		return nil, errors.New("no observer was given")
	}
	return p.answer(ctx, order, Question{Price: suite.Fresh, within: within}, to)
}

// The frames of an observed run; see docs/harness-protocol.md.
type (
	placed struct {
		place   uint32
		name    string
		ambient bool
	}
	noted       struct{ text string }
	initialised struct{ class string }
)

func decodeSegment(f *fields) state.Segment {
	s := state.Segment{Kind: f.u8(), Position: int(f.i64())}
	for _, list := range []*[]int{&s.Read, &s.Written, &s.InitRead, &s.InitWrite} {
		f.list(4, func() { *list = append(*list, int(f.u32())) })
	}
	f.list(25, func() {
		place, how := int(f.u32()), f.u8()
		s.Values = append(s.Values, state.Value{Field: place, Unsure: how != 'v', Before: f.i64(), After: f.i64(), Behind: int(f.u32())})
	})
	return s
}
