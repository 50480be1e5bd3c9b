package detect

import (
	"fmt"
	"slices"

	"github.com/odfix/odfix/internal/cohort"
	"github.com/odfix/odfix/internal/suite"
)

// A cohort are many tests that behaved otherwise in one and the same run than before. Asking for
// each of them alone would take hundreds of processes, so that a controlled experiment takes its
// place: the run (or the part of it that holds them and who may be the cause) again, and the same
// order without who may be the cause. Whoever behaves one way in Rerun processes of the first, and
// the other way in Rerun processes of the second, depends on order. Where no cause is known, or
// leaving it out changes nothing, the suite's own order stands in for the second, or another that
// showed it.

// trial is the experiment on the cohort of a run.
type trial struct {
	busy bool
	// asked is how often counterparts were asked for: by the run that they are of, and of the
	// suite's own order by nil.
	asked map[*ran]int
	ready bool // there is no other to ask for: what is left is to repeat
}

// cohort says whether a run turned so many tests that an experiment takes less than asking for each
// of them alone.
func (s *Search) inCohort(x *ran) bool {
	return x != nil && x.turned >= cohort.Large && s.together(x.turned, len(x.order))
}

// together says whether an experiment with orders of so many tests takes less time than running n
// tests alone.
func (s *Search) together(n, tests int) bool {
	return cohort.Cheaper(n, tests, s.in.Rerun)
}

// crowded says that the test is one of a cohort, and confirmed with it.
func (s *Search) byCohort(r *record) bool { return !r.single && s.inCohort(r.turned) }

// turning is the test's sight in the run that turned it, or in the part of that on which it rests.
func (r *record) turning() *observation {
	for _, w := range []*observation{r.fail, r.pass} {
		if w != nil && r.turned != nil && (w.ran == r.turned || w.ran.of == r.turned) {
			return w
		}
	}
	return nil
}

// opposite is the test's other sight.
func (r *record) opposite() **observation {
	if r.turning() == r.fail {
		return &r.pass
	}
	return &r.fail
}

// members are those of a cohort who are still to be confirmed.
func (s *Search) members(x *ran) []*record {
	var out []*record
	for _, r := range s.watched {
		if r.turned == x && r.recheck == nil && s.byCohort(r) && r.turning() != nil {
			out = append(out, r)
		}
	}
	return out
}

// experiment is the next order that is to be asked for once for some cohort; nil: there is none
// now.
func (s *Search) experiment() *task {
	done := map[*ran]bool{}
	var ready []*ran
	for _, r := range s.watched {
		x := r.turned
		if done[x] || !s.byCohort(r) {
			continue
		}
		done[x] = true
		if x.trial == nil {
			x.trial = &trial{asked: map[*ran]int{}}
		}
		if x.trial.busy || x.trial.ready {
			continue
		}
		if t := s.contrast(x); t != nil {
			x.trial.busy = true
			return t
		}
		x.trial.ready = true
		s.singleOut(x)
		ready = append(ready, x)
	}
	for _, x := range ready { // what was seen may be enough already
		for _, r := range s.members(x) {
			s.conclude(r)
		}
	}
	s.drop()
	return nil
}

// contrast is the part of a run that may show of its cohort what the whole did, then the
// counterparts of what shows it; nil: all were asked for.
func (s *Search) contrast(x *ran) *task {
	of := s.members(x)
	causes, explained := map[suite.TestID]bool{}, map[suite.TestID]bool{}
	if s.in.State != nil {
		causes, explained = s.causes(x, of)
	}
	if t := s.cohortPart(x, of, causes, explained); t != nil {
		return t
	}
	for _, r := range of {
		delete(causes, r.id)
	}
	var bases []*ran
	rest := map[*ran][]*record{}
	for _, r := range of {
		base := r.turning().ran
		if rest[base] == nil {
			bases = append(bases, base)
		}
		rest[base] = append(rest[base], r)
	}
	for _, base := range bases {
		if !s.together(len(rest[base]), len(base.order)) {
			continue
		}
		if t := s.counterpart(x, base, rest[base], causes); t != nil {
			return t
		}
	}
	return s.ownOrder(x, of)
}

// cohortPart holds the members of a cohort whose cause may be known, and those causes; nil where
// that was asked for, or saves nothing.
func (s *Search) cohortPart(x *ran, of []*record, causes, explained map[suite.TestID]bool) *task {
	if x.part || x.tried {
		return nil
	}
	x.tried = true
	whole, anyway := 0, 0
	for _, r := range of {
		at := r.turning().at + 1
		whole = max(whole, at)
		if !explained[r.id] {
			anyway = max(anyway, at)
		}
	}
	part := s.usable(x.only(causes))
	if len(part) == 0 || 2*s.in.Rerun*len(part) >= (2*s.in.Rerun-1)*(whole-anyway) {
		return nil
	}
	return &task{what: shortening, ran: x, order: part, name: "confirming"}
}

// counterpart is the order that showed some of a cohort, up to the last of them, without the likely
// causes; nil where that was asked for, or changes nothing.
func (s *Search) counterpart(x, base *ran, of []*record, causes map[suite.TestID]bool) *task {
	if x.trial.asked[base] >= cohort.Attempts {
		return nil
	}
	x.trial.asked[base]++
	end := 0
	for _, r := range of {
		end = max(end, r.turning().at+1)
	}
	o := s.usable(slices.DeleteFunc(slices.Clone(base.order[:end]), func(t suite.TestID) bool { return causes[t] }))
	in := set(o)
	without := slices.DeleteFunc(slices.Clone(base.order[:end]), func(t suite.TestID) bool { return in[t] })
	if len(o) == 0 || !slices.ContainsFunc(without, func(t suite.TestID) bool { return causes[t] }) {
		return nil
	}
	return &task{what: contrasting, ran: x, base: base, order: o, name: "confirming", source: base.source + " without " + some(without)}
}

// ownOrder is the suite's own order up to the last of those for whom no counterpart showed
// anything; nil where it was asked for, or would not take less than running them alone.
func (s *Search) ownOrder(x *ran, of []*record) *task {
	lacking := map[suite.TestID]bool{}
	for _, r := range of {
		if *r.opposite() == nil {
			lacking[r.id] = true
		}
	}
	end := 0
	for i, t := range s.in.Tests {
		if lacking[t] {
			end = i + 1
		}
	}
	if s.originals > 0 || x.trial.asked[nil] >= cohort.Attempts || !s.together(len(lacking), end) {
		return nil
	}
	x.trial.asked[nil]++
	return &task{what: contrasting, ran: x, order: s.usable(s.in.Tests[:end]), name: "confirming", source: "the beginning of " + originalName}
}

// some names a few of many tests.
func some(tests suite.Order) string {
	const few = 3
	var out string
	for i, t := range tests {
		switch {
		case i == few:
			return fmt.Sprintf("%s and %d others", out, len(tests)-few)
		case i > 0:
			out += ", "
		}
		out += string(t)
	}
	return out
}

// singleOut has members of a cohort confirmed alone whom it leaves behind, where they are few:
// those whom no counterpart shows otherwise, and those whom too few orders show together.
func (s *Search) singleOut(x *ran) {
	rest := map[*ran][]*record{}
	for _, r := range s.members(x) {
		switch {
		case *r.opposite() == nil:
			rest[nil] = append(rest[nil], r)
		default:
			rest[r.turning().ran] = append(rest[r.turning().ran], r)
		}
	}
	for base, of := range rest {
		if len(of) < cohort.Large && (base == nil || !s.together(len(of), len(base.order))) {
			for _, r := range of {
				r.single = true
			}
		}
	}
}

// receiveContrast takes in a counterpart.
func (s *Search) receiveContrast(t *task) {
	x := t.ran
	if t.run.Crash == nil {
		x.trial.asked[t.base] = cohort.Attempts
	}
	y := &ran{order: t.order, source: t.source, lone: t.lone, part: true, tried: true, outcomes: make([]suite.Outcome, len(t.order))}
	s.receiveSmall(t, y, func(r *record, i int) { s.contrasts(r, t, y, i) })
}

// contrasts has a member of a cohort rest on the counterpart of what showed it, where it behaved
// otherwise there.
func (s *Search) contrasts(r *record, t *task, y *ran, at int) {
	w := r.turning()
	if r.turned != t.ran || w == nil || r.state > suspect || !s.byCohort(r) || t.base != nil && w.ran != t.base {
		return
	}
	if out := y.outcomes[at]; !decided(out) || out == w.ran.outcomes[w.at] {
		return
	}
	shown := &observation{ran: y, at: at, same: 1}
	if *r.opposite() = shown; shown == r.fail {
		r.failure = t.run.At(at).Failure
	}
}

// onlyFailedAlone is the first run of those of a cohort who only ever failed, whom its experiment
// leaves behind: when no order is left that might show them otherwise, they are asked for alone.
// nil: there is none now.
func (s *Search) onlyFailedAlone() *task {
	for _, r := range s.watched {
		if r.state == failing && s.byCohort(r) && r.turned.trial != nil && r.turned.trial.ready {
			r.single = true
		}
	}
	return s.confirmation()
}

// onlyFailed says that some of a cohort are still to be asked for so.
func (s *Search) onlyFailed() bool {
	return slices.ContainsFunc(s.watched, func(r *record) bool { return r.state == failing && s.byCohort(r) })
}

// sharpening is a run of one find by itself, of the class of which fewest were asked for; nil:
// there is none. It holds up no order and no diagnosis, and may contradict what was found.
func (s *Search) sharpening(known func(suite.TestID) bool) *task {
	var best *record
	asked := map[string]int{}
	for _, r := range s.records {
		asked[s.in.Groups.Top(r.id)] += r.alone.runs() + r.asking
	}
	for _, r := range s.records {
		if s.unsharp(r) && r.alone.runs()+r.asking < s.rerunAlone(r)+maxNone && !known(r.id) && (best == nil || asked[s.in.Groups.Top(r.id)] < asked[s.in.Groups.Top(best.id)]) {
			best = r
		}
	}
	if best == nil {
		return nil
	}
	best.asking++
	return &task{what: byItself, order: suite.Order{best.id}, test: best, name: "telling victims from brittle tests"}
}

// unsharp says that it is not known of a find of a cohort whether it is a victim or brittle, and
// that this can be asked.
func (s *Search) unsharp(r *record) bool {
	return r.state == found && r.recheck == nil && s.byCohort(r) && r.alone.none < maxNone && r.alone.passed+r.alone.failed < s.rerunAlone(r)
}

// sharpen says of a find of a cohort whether it is a victim or brittle, once that is known. It
// rests on the experiment all the same.
func (s *Search) sharpen(r *record, f *Find) {
	if r.alone.passed+r.alone.failed < s.rerunAlone(r) {
		return
	}
	switch r.alone.outcome() {
	case suite.Pass:
		f.Kind = Victim
	case suite.Fail:
		f.Kind = Brittle
	}
}
