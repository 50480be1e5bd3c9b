package detect

import (
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// many is how many suspects in one order confirm each other: above it
// each is confirmed once less, as in a diagnosis.
const many = 8

// rerun is how many processes must agree on a suspect.
func (s *Search) rerun() int {
	if len(s.watched) > many && s.in.Rerun == DefaultRerun {
		return s.in.Rerun - 1
	}
	return s.in.Rerun
}

// rerunAlone is how many runs of the test by itself must agree. They cost
// little, and it is they that tell most flaky tests from victims.
func (s *Search) rerunAlone() int {
	if len(s.watched) > many {
		return s.rerun()
	}
	return s.rerun() + 2
}

// maxNone is how many runs without a result are taken before a suspect is given up.
const maxNone = 3

// confirmation is the next run that some suspect needs; nil: none, or all of
// them are under way.
func (s *Search) confirmation() *task {
	for _, r := range s.watched {
		switch d := r.doubt; {
		case d != nil && r.asking == 0:
			r.asking++
			return &task{what: settling, order: d.order, test: r, lone: true, name: "confirming"}
		case d != nil:
			continue
		case s.needsAlone(r):
			r.asking++
			return &task{what: byItself, order: suite.Order{r.id}, test: r, name: "confirming"}
		}
		if x := s.toRepeat(r); x != nil && !x.busy {
			x.busy = true
			return &task{what: repeat, ran: x, order: x.order[:s.reach(x)+1], name: "confirming"}
		}
	}
	return nil
}

func (s *Search) needsAlone(r *record) bool {
	asked := r.alone.runs() + r.asking
	if r.state == failing {
		return asked == 0
	}
	if r.alone.none >= maxNone {
		return false
	}
	// The first answer decides what else is asked.
	return asked == 0 || r.alone.outcome() != "" && r.alone.passed+r.alone.failed+r.asking < s.rerunAlone() ||
		r.alone.outcome() == "" && r.asking == 0
}

// toRepeat is a run of which the suspect needs a repetition; nil: none now.
func (s *Search) toRepeat(r *record) *ran {
	if r.state != suspect {
		return nil
	}
	for _, w := range s.needed(r) {
		if w.same < s.rerun() && w.none < maxNone {
			return w.ran
		}
	}
	return nil
}

// needed are the sights that must be repeated: that which differs from the test
// alone, both where it gives no result alone.
func (s *Search) needed(r *record) []*sight {
	if w := r.witness(); w != nil {
		return []*sight{w}
	}
	if r.alone.none >= maxNone {
		return []*sight{r.fail, r.pass}
	}
	return nil
}

// reach is the last place in a run that some suspect needs again.
func (s *Search) reach(x *ran) int {
	at := 0
	for _, r := range s.watched {
		if r.doubt == nil && s.toRepeat(r) == x {
			for _, w := range s.needed(r) {
				if w.ran == x {
					at = max(at, w.at)
				}
			}
		}
	}
	return at
}

// hearAlone takes in a run of one test by itself.
func (s *Search) hearAlone(t *task) {
	r, res := t.test, t.run.At(0)
	r.alone.add(res.Outcome)
	x := &ran{order: t.order, source: "alone", lone: t.lone, outcomes: []suite.Outcome{res.Outcome}}
	r.see(x, 0, res)
	if t.run.Crash != nil {
		s.crashedAlone(r, t)
	}
	s.reinstate(r, t)
	if r.state == failing {
		r.judge()
	}
	if r.alone.mixed() && r.doubt == nil {
		s.question(r, &doubt{order: t.order})
	}
	s.conclude(r)
}

// hearRepeat compares every test with what became of it the first time.
func (s *Search) hearRepeat(t *task) {
	for i, id := range t.order {
		r, out := s.byID[id], t.run.At(i).Outcome
		r.total.add(out)
		w := r.sighted(t.ran)
		switch was := t.ran.outcomes[i]; {
		case !decided(out):
			if w != nil && w.at == i {
				w.none++
			}
		case !decided(was):
		case out == was && w != nil:
			w.same++
		case out != was && (r.state == unremarkable || r.state == suspect || r.state == failing):
			s.disagreed(r, t, i, w)
		}
		s.conclude(r)
	}
	if t.run.Crash != nil {
		s.crashed(t)
	}
}

// disagreed takes note of a test whose outcome changed in one and the same order.
func (s *Search) disagreed(r *record, t *task, at int, w *sight) {
	if w != nil {
		w.other++
	}
	if r.doubt == nil {
		s.question(r, &doubt{order: slices.Clone(t.order[:at+1]), of: w})
	}
	if r.state != suspect && r.state != flaky {
		r.state = suspect
		s.watch(r)
	}
}

// question asks again with nothing beside, where something may have been.
func (s *Search) question(r *record, d *doubt) {
	if s.width() == 1 {
		r.settle(flaky, d.order, "both passes and fails in one and the same order")
		return
	}
	r.doubt = d
}

// steadyRuns is how many times Rerun processes must agree before what ran
// beside is blamed: a test that fails every other time agrees with itself six
// times in one case of 32, and blaming wrongly makes everything slow.
const steadyRuns = 2

// settleDoubt takes in an answer of a process that ran with none beside. If
// all of them agree, the others are not to be believed: then everything
// runs one at a time from there on.
func (s *Search) settleDoubt(t *task) {
	r := t.test
	r.asking--
	d := r.doubt
	if d == nil {
		return
	}
	d.said.add(t.run.Last().Outcome)
	r.total.add(t.run.Last().Outcome)
	switch {
	case d.said.mixed():
		r.settle(flaky, d.order, "both passes and fails in one and the same order (%s with nothing beside)", d.said)
	case d.said.none >= maxNone:
		r.settle(undecided, d.order, "disagreed with itself in one order, and then gave no result there")
	case d.said.passed+d.said.failed >= steadyRuns*s.in.Rerun:
		s.unsettled(r, d)
	}
}

// unsettled is for a test that is steady when nothing runs beside it.
func (s *Search) unsettled(r *record, d *doubt) {
	s.distrust()
	steady := &ran{order: d.order, source: "with nothing beside", lone: true, outcomes: make([]suite.Outcome, len(d.order))}
	w := &sight{ran: steady, at: len(d.order) - 1, same: d.said.passed + d.said.failed}
	out := d.said.outcome()
	steady.outcomes[w.at] = out
	if out == suite.Pass {
		r.pass = w
	} else {
		r.fail = w
	}
	if len(d.order) == 1 {
		r.alone = d.said
	}
	s.watch(r)
}

// distrust makes everything that follows run by itself, and forgets of the
// tests that are not settled what was seen while runs were side by side. The
// orders in which suspects failed run again.
func (s *Search) distrust() {
	if s.sequential {
		return
	}
	s.sequential = true
	s.note("test processes that ran side by side gave answers that changed when they ran one at a time; from there on everything was run one at a time")
	var again []*ran
	for _, r := range s.records {
		if r.state > suspect {
			continue
		}
		if r.fail != nil && !r.fail.ran.lone && r.pass != nil && !slices.Contains(again, r.fail.ran) && len(r.fail.ran.order) > 1 {
			again = append(again, r.fail.ran)
		}
		r.forget()
		s.watch(r)
	}
	for _, x := range again {
		s.waiting = append(s.waiting, &task{what: scheduled, order: x.order, lone: true, name: x.source + " again"})
	}
}

// conclude settles a suspect about whom enough is known.
func (s *Search) conclude(r *record) {
	if r.state != suspect || r.doubt != nil || r.pass == nil || r.fail == nil {
		return
	}
	need := s.needed(r)
	if len(need) == 0 {
		return
	}
	for _, w := range need {
		switch {
		case w.none >= maxNone:
			r.settle(undecided, w.prefix(), "gave no result when the order was repeated")
			return
		case w.same < s.rerun():
			return
		}
	}
	if r.alone.outcome() != "" && r.alone.passed+r.alone.failed < s.rerunAlone() {
		return
	}
	s.find(r)
}

func (s *Search) find(r *record) {
	r.state = found
	f := Find{Test: r.id, Kind: Dependent, Failure: r.failure, After: s.sofar(), Failing: r.fail.shown(), Passing: r.pass.shown()}
	alone := Sight{Source: "alone", Order: suite.Order{r.id}, Repeats: r.alone.passed + r.alone.failed}
	alone.Whole = alone.Order
	switch r.alone.outcome() {
	case suite.Pass:
		f.Kind, f.Passing = Victim, alone
	case suite.Fail:
		f.Kind, f.Failing = Brittle, alone
	}
	s.finds = append(s.finds, f)
}

func (s *sight) shown() Sight {
	return Sight{Source: s.ran.source, Order: slices.Clone(s.prefix()), Repeats: s.same, Whole: s.ran.order}
}

func (s *Search) sofar() Spent {
	now := s.spent
	if !s.began.IsZero() {
		now.Time += s.in.Now().Sub(s.began)
	}
	return now
}
