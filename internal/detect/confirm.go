package detect

import (
	"slices"

	"github.com/odfix/odfix/internal/cohort"
	"github.com/odfix/odfix/internal/suite"
)

// borneOut reports whether so many tests changed their outcome in one and the same order that they
// bear each other out. Suspects of different orders say nothing for each other.
func (s *Search) borneOut(r *record) bool {
	return r.turned != nil && r.turned.turned > cohort.Sample && !r.turned.compared && !r.turned.part
}

// rerun is how many processes must agree on a suspect.
func (s *Search) rerun(r *record) int {
	if s.borneOut(r) && s.in.Rerun == DefaultRerun {
		return s.in.Rerun - 1
	}
	return s.in.Rerun
}

// rerunAlone is how many runs of the test by itself must agree. They cost little, and most flaky
// tests are recognised by them.
func (s *Search) rerunAlone(r *record) int {
	switch {
	case r.cohort != "":
		return max(1, s.in.Rerun-1) // the experiment excludes flaky ones
	case s.borneOut(r):
		return s.rerun(r)
	}
	return s.rerun(r) + 2
}

// maxNone is how many runs without a result are taken before a suspect is given up.
const maxNone = 3

// confirmation is the next run that some suspect needs; nil: none, or all of
// them are under way.
func (s *Search) confirmation() *task {
	early := s.early()
	for _, r := range s.watched {
		switch d := r.recheck; {
		case d != nil && r.asking == 0:
			return s.settle(r)
		case d != nil:
			continue
		case s.needsAlone(r):
			r.asking++
			return &task{what: byItself, order: suite.Order{r.id}, test: r, name: "confirming"}
		}
		if x := s.toRepeat(r); x != nil && !x.busy && !early[x] {
			if t := s.shorter(x); t != nil {
				x.busy = true
				return t
			}
			t := &task{what: repeat, ran: x, order: x.order[:s.reach(x)+1], name: "confirming"}
			x.under = append(x.under, len(t.order))
			return t
		}
	}
	return nil
}

// early are the runs of which it is not known yet how far they are to be repeated: some
// suspect that behaved differently in them has no answer alone, which decides whether it needs
// them. One repetition then serves all, where each by itself would take a longer one.
func (s *Search) early() map[*ran]bool {
	out := map[*ran]bool{}
	for _, r := range s.watched {
		if r.recheck != nil || r.alone.runs() > 0 || !r.remarkable() || s.waits(r) {
			continue
		}
		for _, w := range []*observation{r.pass, r.fail} {
			if w != nil {
				out[w.ran] = true
			}
		}
	}
	return out
}

func (s *Search) needsAlone(r *record) bool {
	if s.waits(r) {
		return false
	}
	asked := r.alone.runs() + r.asking
	if r.state != suspect {
		return asked == 0
	}
	if r.alone.none >= maxNone {
		return false
	}
	// The first answer decides what else is asked.
	return asked == 0 || r.alone.outcome() != "" && r.alone.passed+r.alone.failed+r.asking < s.rerunAlone(r) ||
		r.alone.outcome() == "" && r.asking == 0
}

// toRepeat is a run of which the suspect needs a repetition beside those under way, which go side
// by side: what else could run beside one would be an order of all tests; nil: none now.
func (s *Search) toRepeat(r *record) *ran {
	if r.state != suspect {
		return nil
	}
	for _, w := range s.needed(r) {
		if w.same+w.repeats() < s.rerun(r) && w.none < maxNone {
			return w.ran
		}
	}
	return nil
}

// needed are the observations that must be repeated: that which differs from the test
// alone, both where it gives no result alone, or is one of a cohort.
func (s *Search) needed(r *record) []*observation {
	if r.cohort != "" {
		return []*observation{r.fail, r.pass}
	}
	if w := r.witness(); w != nil {
		return []*observation{w}
	}
	if r.alone.none >= maxNone {
		return []*observation{r.fail, r.pass}
	}
	return nil
}

// reach is the last place in a run that some suspect needs again.
func (s *Search) reach(x *ran) int {
	at := 0
	for _, r := range s.watched {
		if r.recheck == nil && s.toRepeat(r) == x {
			for _, w := range s.needed(r) {
				if w.ran == x {
					at = max(at, w.at)
				}
			}
		}
	}
	return at
}

// receiveAlone takes in a run of one test by itself.
func (s *Search) receiveAlone(t *task) {
	r, res := t.test, t.run.At(0)
	r.alone.add(res.Outcome)
	x := &ran{order: t.order, source: "alone", exclusive: t.exclusive, outcomes: []suite.Outcome{res.Outcome}}
	r.see(x, 0, res)
	if t.run.Crash != nil {
		s.crashedAlone(r, t)
	}
	s.reinstate(r, t)
	r.judge()
	if r.state <= found && r.beginsOtherwise() {
		s.needsRecheck(r, &recheck{order: t.order})
	}
	s.mixed(r, t.order)
	s.conclude(r)
	if i := slices.IndexFunc(s.finds, func(f Find) bool { return f.Test == r.id }); i >= 0 && r.cohort != "" {
		s.sharpen(r, &s.finds[i])
	}
}

// receiveRepeat compares every test with what became of it the first time.
func (s *Search) receiveRepeat(t *task) {
	for i, id := range t.order {
		r, out := s.byID[id], t.run.At(i).Outcome
		r.total.add(out)
		w := r.observationIn(t.ran)
		switch was := t.ran.outcomes[i]; {
		case !decided(out):
			if w != nil && w.at == i {
				w.none++
			}
		case !decided(was):
		case out == was && w != nil:
			w.same++
		case out != was && r.state <= found:
			s.disagreed(r, t, i, w)
		}
		s.conclude(r)
	}
	if t.run.Crash != nil {
		s.crashed(t)
	}
}

// disagreed takes note of a test whose outcome changed in one and the same order.
func (s *Search) disagreed(r *record, t *task, at int, w *observation) {
	if w != nil {
		w.other++
	}
	s.needsRecheck(r, &recheck{order: t.order[: at+1 : at+1], of: w})
}

// mixed looks whether a test disagrees with itself when it runs alone.
func (s *Search) mixed(r *record, alone suite.Order) {
	if r.alone.mixed() && r.state <= found {
		s.needsRecheck(r, &recheck{order: alone})
	}
}

// needsRecheck is for a test that disagrees with itself, whatever was thought of it before.
func (s *Search) needsRecheck(r *record, d *recheck) {
	s.withdraw(r)
	if r.recheck == nil {
		s.question(r, d)
	}
	if r.state != suspect && r.state != flaky {
		r.state = suspect
		s.watch(r)
	}
}

// question asks again with nothing beside, where something may have been.
func (s *Search) question(r *record, d *recheck) {
	if s.width() == 1 {
		r.settle(flaky, d.order, "both passes and fails in one and the same order")
		return
	}
	r.recheck = d
}

// conclude settles a suspect of which enough is known.
func (s *Search) conclude(r *record) {
	if r.state != suspect || r.recheck != nil || r.pass == nil || r.fail == nil {
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
		case w.same < s.rerun(r):
			return
		}
	}
	if r.alone.outcome() != "" && r.alone.passed+r.alone.failed < s.rerunAlone(r) {
		return
	}
	s.find(r)
}

func (s *Search) find(r *record) {
	r.state = found
	s.finds = append(s.finds, s.asFind(r))
}

func (s *Search) asFind(r *record) Find {
	f := Find{Test: r.id, Kind: Dependent, Failure: r.failure, After: s.sofar(), Failing: r.fail.shown(), Passing: r.pass.shown()}
	if f.Shown = f.After; r.shown != nil {
		f.Shown = *r.shown
	}
	if r.cohort != "" {
		f.Cohort = r.cohort
		s.sharpen(r, &f)
		return f
	}
	alone := Observation{Source: "alone", Order: suite.Order{r.id}, Repeats: r.alone.passed + r.alone.failed}
	alone.Whole = alone.Order
	switch r.alone.outcome() {
	case suite.Pass:
		f.Kind, f.Passing = Victim, alone
	case suite.Fail:
		f.Kind, f.Failing = Brittle, alone
	}
	return f
}

// withdraw takes a find back that was contradicted since.
func (s *Search) withdraw(r *record) {
	if r.state == found {
		s.finds = slices.DeleteFunc(s.finds, func(f Find) bool { return f.Test == r.id })
		r.cohort = ""
		s.note("%s was taken for order-dependent, and was contradicted later", r.id)
	}
}

func (s *observation) shown() Observation {
	return Observation{Source: s.ran.source, Order: s.prefix(), Repeats: s.same, Whole: s.ran.order}
}

func (s *Search) sofar() Spent {
	now := s.spent
	if !s.began.IsZero() {
		now.Time += s.in.Now().Sub(s.began)
	}
	return now
}
