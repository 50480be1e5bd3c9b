package store

import "slices"

// State is where an investigation stands.
type State string

// The states. Every one that is not an end expires at the deadline.
const (
	// Collecting: the first failure of this push was seen; others may follow.
	Collecting State = "collecting"
	// Queued: what failed is known; a runner may take it.
	Queued State = "queued"
	// Running: a holder has the lease and renews it.
	Running State = "running"
	// Reporting: the report is stored and is being posted.
	Reporting State = "reporting"

	Done       State = "done"       // posted
	Failed     State = "failed"     // odfix could not; Reason says why
	Superseded State = "superseded" // a newer push took its place
	Cancelled  State = "cancelled"  // nobody wants to know any more: closed, uninstalled, switched off
	Expired    State = "expired"    // the deadline passed
)

// arrows are the changes there are. From Running back to Queued goes the lease
// that was not renewed. Everything else goes forward, so that each
// investigation ends.
var arrows = map[State][]State{
	Collecting: {Queued, Failed, Superseded, Cancelled, Expired},
	Queued:     {Running, Failed, Superseded, Cancelled, Expired},
	Running:    {Queued, Reporting, Failed, Superseded, Cancelled, Expired},
	Reporting:  {Done, Failed, Superseded, Cancelled, Expired},
	Done:       nil, Failed: nil, Superseded: nil, Cancelled: nil, Expired: nil,
}

// Ended says that nothing follows.
func (s State) Ended() bool { return len(arrows[s]) == 0 }

// May says whether an investigation can go from s to next.
func (s State) May(next State) bool { return slices.Contains(arrows[s], next) }

// before are the states from which one can go to next.
func before(next State) []State {
	var out []State
	for from, to := range arrows {
		if slices.Contains(to, next) {
			out = append(out, from)
		}
	}
	slices.Sort(out)
	return out
}

// live are the states that are no ends.
func live() []State { return before(Expired) }
