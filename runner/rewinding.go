package main

import (
	"fmt"
	"slices"
	"sync"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// headstart is how many cheap questions a pool answers by processes that are used once, before one is started that lives on. Measured on visualee,
// in processor seconds: a question in a process of its own costs 0.36, one more in a living process 0.02, its start 0.6. Most classes under trial are asked
// one or two questions, where it would never pay, and those of which many are asked are told from them by having been asked some.
const headstart = 6

// rewinding decides which questions living processes are asked, and watches what they say: each answer that a fresh process gives,
// too, must agree. One that does not ends it for the rest of the job. Nil: no living process is asked anything.
type rewinding struct {
	log  *zap.Logger
	spec func(overlay string) (harness.Spec, error)

	mu    sync.Mutex
	off   bool
	said  map[string][]suite.Outcome // outcomes of rewound answers, by what was asked
	cheap map[string]int             // Warm questions so far, by overlay
	agree int                        // rewound answers that a fresh process bore out
	notes []string
}

// price is what the trial is asked at.
func (r *rewinding) price(t repair.Trial) suite.Price {
	if r == nil || t.Price != suite.Warm || t.Alone {
		return t.Price
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cheap == nil {
		r.cheap = map[string]int{}
	}
	r.cheap[t.Overlay]++
	if r.off || r.cheap[t.Overlay] <= headstart {
		return t.Price
	}
	return suite.Rewound
}

// lives lets the pool for an overlay have living processes.
func (r *rewinding) lives(p *harness.Pool, overlay string) {
	if r == nil {
		return
	}
	spec, err := r.spec(overlay)
	if err != nil {
		r.stop("no process with the agent can be started: " + err.Error())
		return
	}
	p.Lives(spec, func(why string, ended bool) {
		if ended {
			r.stop(why)
			return
		}
		r.log.Debug("a living process is not what it was", zap.String("why", why))
	})
}

// stop ends the asking of living processes.
func (r *rewinding) stop(why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.off {
		r.log.Info("no question is asked of living processes any more", zap.String("why", why))
	}
	r.off = true
}

// heard compares a fresh answer with what a living process said, and keeps what one says.
func (r *rewinding) heard(o suite.Order, t repair.Trial, run *suite.Run) {
	if r == nil || run == nil || run.Crash != nil || run.Price != suite.Rewound && run.Price != suite.Fresh {
		return
	}
	key := t.Overlay + "\n" + t.Switches + "\n" + o.Key()
	r.mu.Lock()
	said := r.said[key]
	if run.Price == suite.Rewound {
		if r.said == nil {
			r.said = map[string][]suite.Outcome{}
		}
		r.said[key] = outcomes(run)
	}
	r.mu.Unlock()
	if said == nil || run.Price != suite.Fresh {
		return
	}
	now := outcomes(run)
	for i, was := range said {
		if was != now[i] {
			r.disagree(o[i], was, now[i])
			return
		}
	}
	r.mu.Lock()
	r.agree++
	r.mu.Unlock()
}

func outcomes(run *suite.Run) []suite.Outcome {
	out := make([]suite.Outcome, len(run.Results))
	for i, res := range run.Results {
		out[i] = res.Outcome
	}
	return out
}

func (r *rewinding) disagree(t suite.TestID, living, fresh suite.Outcome) {
	note := fmt.Sprintf("%s came out as %q in a process whose state had been put back, and as %q in a fresh one: from then on, no state was put back to ask more.", t, living, fresh)
	r.log.Warn("a living process and a fresh one disagree", zap.String("test", string(t)), zap.String("living", string(living)), zap.String("fresh", string(fresh)))
	r.mu.Lock()
	r.notes = append(r.notes, note)
	r.mu.Unlock()
	r.stop("an answer did not hold in a fresh process")
}

// tell is what a report should say of it.
func (r *rewinding) tell() []string {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log.Info("living processes", zap.Int("answers that a fresh process bore out", r.agree), zap.Int("that it did not", len(r.notes)))
	return slices.Clone(r.notes)
}
