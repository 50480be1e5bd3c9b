package store

import "slices"

// State is the state of an investigation.
type State string

// The states. Those that are not final expire at the deadline.
const (
	// Collecting: the first failure of this push has arrived. Others can follow.
	Collecting State = "collecting"
	// Queued: the failures are known. A runner can take it.
	Queued State = "queued"
	// Running: a holder has the lease and renews it.
	Running State = "running"
	// Reporting: the report is stored. It is written to GitHub.
	Reporting State = "reporting"

	Done       State = "done"       // posted
	Failed     State = "failed"     // an error; Reason describes it
	Superseded State = "superseded" // by a newer push
	Cancelled  State = "cancelled"  // pull request closed, App uninstalled, odfix disabled
	Expired    State = "expired"    // the deadline passed
)

// arrows are the allowed changes. An investigation goes back only from Running to Queued: when its
// lease is not renewed, and once when its draft waits for a second runner. So each investigation ends.
var arrows = map[State][]State{
	Collecting: {Queued, Failed, Superseded, Cancelled, Expired},
	Queued:     {Running, Failed, Superseded, Cancelled, Expired},
	Running:    {Queued, Reporting, Failed, Superseded, Cancelled, Expired},
	Reporting:  {Done, Failed, Superseded, Cancelled, Expired},
	Done:       nil, Failed: nil, Superseded: nil, Cancelled: nil, Expired: nil,
}

// Ended reports whether the state is final.
func (s State) Ended() bool { return len(arrows[s]) == 0 }

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

// live are the states that are not final.
func live() []State { return before(Expired) }
