package detect

import (
	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/suite"
)

// shorter returns a part of a run that may show the same for its suspects: the suspects, and the
// tests before them that left the state that they read. The part replaces the run if this takes
// fewer executions. It runs as often as the whole run would. A suspect that behaves differently in
// the part is confirmed by the whole run. nil: there is no such part.
func (s *Search) shorter(x *ran) *task {
	if s.in.State == nil || x.part || x.tried || s.short.wrong > s.short.right {
		return nil
	}
	var of []*record
	rerun := 0
	for _, r := range s.watched {
		if r.recheck == nil && s.toRepeat(r) == x && r.witness() != nil {
			of, rerun = append(of, r), max(rerun, s.rerun(r))
		}
	}
	kept, explained := s.causes(x, of)
	part := x.only(kept)
	// For suspects without a known cause, the run must be repeated anyway, up to the last of them.
	whole, anyway := s.reach(x)+1, 0
	for _, r := range s.watched {
		if r.recheck != nil || s.toRepeat(r) != x || explained[r.id] {
			continue
		}
		for _, w := range s.needed(r) {
			if w.ran == x {
				anyway = max(anyway, w.at+1)
			}
		}
	}
	if len(part) == 0 || rerun*len(part) >= (rerun-1)*(whole-anyway) {
		x.tried = true
		return nil
	}
	return &task{what: shortening, ran: x, order: part, name: "confirming"}
}

// causes finds, for suspects of a run, tests before them that may have caused their outcomes.
// explained holds the suspects for which there is such a test; kept holds the suspects and these
// tests. For a victim it is the last writer whose state the victim had not been seen to read. For a
// brittle test it is a writer of state that the brittle test touches.
func (s *Search) causes(x *ran, of []*record) (kept, explained map[suite.TestID]bool) {
	at := map[suite.TestID]*record{}
	for _, r := range of {
		at[r.id] = r
	}
	kept, explained = map[suite.TestID]bool{}, map[suite.TestID]bool{}
	for f := range order.Limited(s.in.State.Flows, maxReached) {
		wanted := map[[2]suite.TestID]bool{}
		writes, touches := set(f.Writers), set(f.Readers)
		var last suite.TestID
		before := map[suite.TestID][]suite.TestID{} // by writer: the writers directly before it in the same class
		for _, t := range x.order {
			if r := at[t]; r != nil && last != "" {
				switch {
				case !r.seemsBrittle():
					wanted[[2]suite.TestID{last, t}] = true
				case writes[t] || touches[t]:
					kept[last], kept[t], explained[t] = true, true, true
				}
			}
			if writes[t] {
				if last != "" && s.in.Groups.Same(last, t) {
					before[t] = append(before[last], last)
				}
				last = t
			}
		}
		for p, v := range f.Pairs {
			if len(wanted) == 0 {
				break
			}
			if pair := [2]suite.TestID{p, v}; wanted[pair] {
				for _, w := range before[p] {
					kept[w] = true
				}
				kept[p], kept[v], explained[v] = true, true, true
				delete(wanted, pair)
			}
		}
	}
	return kept, explained
}

// only returns the order without the tests that are not kept.
func (x *ran) only(kept map[suite.TestID]bool) suite.Order {
	return suite.Filter(x.order, func(t suite.TestID) bool { return kept[t] })
}

func set(of []suite.TestID) map[suite.TestID]bool {
	out := make(map[suite.TestID]bool, len(of))
	for _, t := range of {
		out[t] = true
	}
	return out
}

// receiveShort records a run of a part. For a suspect with the same outcome as in the whole run,
// the part replaces the whole run.
func (s *Search) receiveShort(t *task) {
	x := t.ran
	x.tried = true
	y := &ran{order: t.order, source: "a part of " + x.source, exclusive: t.exclusive, part: true, of: x,
		outcomes: make([]suite.Outcome, len(t.order))}
	s.receivePart(t, y)
	for i, id := range t.order {
		s.rests(s.byID[id], x, y, i, t.run.At(i))
	}
}

// receivePart records y, a run of tests for which earlier outcomes are known.
func (s *Search) receivePart(t *task, y *ran) {
	for i, id := range t.order {
		y.outcomes[i] = t.run.At(i).Outcome
		r := s.byID[id]
		r.see(y, i, t.run.At(i))
		if i == 0 && r.state <= found && r.alone.contradicts(y.outcomes[i]) {
			s.requestRecheck(r, &recheck{order: t.order[:1:1]})
		}
		s.watch(r)
		s.pair(t, i)
	}
	if t.run.Crash != nil {
		s.crashed(t)
	}
}

// rests replaces the observation of a suspect in a run by that in a part of the run, if both
// outcomes are equal.
func (s *Search) rests(r *record, x, y *ran, at int, res suite.Result) {
	w := r.witness()
	if r.state != suspect || w == nil || w.ran != x || !decided(res.Outcome) {
		return
	}
	if res.Outcome != x.outcomes[w.at] {
		s.short.wrong++
		return
	}
	s.short.right++
	shown := &observation{ran: y, at: at, same: 1}
	if w == r.fail {
		r.fail, r.failure = shown, res.Failure
	} else {
		r.pass = shown
	}
}
