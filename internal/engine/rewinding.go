package engine

import (
	"crypto/sha256"
	"fmt"
	"maps"
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

// mostSaid bounds the answers of living processes that are kept for each overlay.
const mostSaid = 1000

// rewinding decides which questions living processes are asked, and watches what they say: each answer that a fresh process gives,
// too, must agree. One that does not ends it for the rest of the job; living processes that are of no use end it for their overlay
// only. What is kept of an overlay goes with its pool. Nil: no living process is asked anything.
type rewinding struct {
	log  *zap.Logger
	spec func(overlay string) (harness.Spec, error)

	mu    sync.Mutex
	off   bool
	said  map[string]map[asked][]suite.Outcome // outcomes of rewound answers, by overlay
	cheap map[string]int                       // Warm questions so far, by overlay
	pools map[string]endsLiving                // that have living processes, by overlay
	agree int                                  // rewound answers that a fresh process bore out
	notes []string
}

// asked is a hash of an order and its switches.
type asked [sha256.Size]byte

// endsLiving is a pool of which no living process is to be asked any more.
type endsLiving interface{ EndLiving(why string) }

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
		r.log.Info("no process with the agent can be started", zap.Error(err))
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.off {
		return
	}
	p.Lives(spec, func(why string, ended bool) {
		if ended {
			r.log.Info("these classes are not asked about in living processes any more", zap.Bool("patched", overlay != ""), zap.String("why", why))
			return
		}
		r.log.Debug("a living process is not what it was", zap.String("why", why))
	})
	if r.pools == nil {
		r.pools = map[string]endsLiving{}
	}
	r.pools[overlay] = p
}

// forget drops what is kept of an overlay whose pool is closed.
func (r *rewinding) forget(overlay string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.said, overlay)
	delete(r.cheap, overlay)
	delete(r.pools, overlay)
}

// stop ends the asking of living processes, and those that wait to be asked.
func (r *rewinding) stop(why string) {
	r.mu.Lock()
	pools := slices.Collect(maps.Values(r.pools))
	r.off, r.pools, r.said = true, nil, nil
	r.mu.Unlock()
	for _, p := range pools {
		p.EndLiving(why)
	}
}

// heard compares a fresh answer with what a living process said, and keeps what one says.
func (r *rewinding) heard(o suite.Order, t repair.Trial, run *suite.Run) {
	if r == nil || run == nil || run.Crash != nil || run.Price != suite.Rewound && run.Price != suite.Fresh {
		return
	}
	key := asked(sha256.Sum256([]byte(t.Switches + "\n" + o.Key())))
	r.mu.Lock()
	said := r.said[t.Overlay][key]
	if run.Price == suite.Rewound && !r.off {
		r.keep(t.Overlay, key, outcomes(run))
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

// keep keeps an answer, in the place of some other where there are many. The lock is held.
func (r *rewinding) keep(overlay string, key asked, out []suite.Outcome) {
	if r.said == nil {
		r.said = map[string]map[asked][]suite.Outcome{}
	}
	kept := r.said[overlay]
	if kept == nil {
		kept = map[asked][]suite.Outcome{}
		r.said[overlay] = kept
	}
	for other := range kept {
		if len(kept) < mostSaid {
			break
		}
		delete(kept, other)
	}
	kept[key] = out
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
