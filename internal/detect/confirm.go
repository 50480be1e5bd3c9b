package detect

import (
	"slices"

	"github.com/odfix/odfix/internal/cohort"
	"github.com/odfix/odfix/internal/suite"
)

// borneOut reports whether the order that changed r's outcome changed those of more than
// cohort.Sample tests, r included. These tests confirm each other. It is false after an experiment
// with this order. Parts of an order that were run for its hints count as the order, where fresh
// processes showed what was hinted. Other parts do not count.
func (s *Search) borneOut(r *record) bool {
	switch x := r.turned; {
	case x == nil || x.compared:
		return false
	case x.quick != nil:
		return x.quick.shown > cohort.Sample
	default:
		return x.changed > cohort.Sample && !x.part
	}
}

// rerun returns how many processes must agree on a suspect.
func (s *Search) rerun(r *record) int {
	if s.borneOut(r) && s.in.Rerun == DefaultRerun {
		return s.in.Rerun - 1
	}
	return s.in.Rerun
}

// rerunAlone returns how many runs of the test alone must agree. These runs detect most flaky
// tests. They are cheap, except where processes are slow to start (Input.Quick).
func (s *Search) rerunAlone(r *record) int {
	switch {
	case r.cohort != "":
		return max(1, s.in.Rerun-1) // cohort.Compare already excludes flaky tests
	case s.borneOut(r) || s.in.Quick != nil:
		return s.rerun(r)
	}
	return s.rerun(r) + 2
}

// maxNone is the number of runs without a result after which odfix gives up a suspect.
const maxNone = 3

// confirmation returns the next run that a test needs; nil: no test needs a run now, or it is too
// early to choose one.
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

// early returns the runs for which it is too early to decide how far to repeat them. Some suspect
// that behaved differently in such a run has no result alone yet, and this result decides whether
// the suspect needs the run. If all results are known, one repetition serves all suspects.
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
	// The first result decides what else must run.
	return asked == 0 || r.alone.outcome() != "" && r.alone.passed+r.alone.failed+r.asking < s.rerunAlone(r) ||
		r.alone.outcome() == "" && r.asking == 0
}

// toRepeat returns a run that must be repeated for the suspect, in addition to the repetitions in
// progress. Repetitions run in parallel. One at a time, they would share the machine with new
// whole-suite orders. nil: none now.
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

// needed returns the observations that must be repeated: the one that differs from the outcome
// alone, or both if the test gives no result alone or is one of a cohort.
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

// reach returns the last position that suspects need when the run is repeated.
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

// receiveAlone records a run of one test alone.
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
		s.requestRecheck(r, &recheck{order: t.order})
	}
	s.recheckMixed(r, t.order)
	s.conclude(r)
	if i := slices.IndexFunc(s.finds, func(f Find) bool { return f.Test == r.id }); i >= 0 && r.cohort != "" {
		s.setKind(r, &s.finds[i])
	}
}

// receiveRepeat compares the outcome of every test with its outcome in t.ran, the run that this
// task repeats.
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

// disagreed records a test that had two outcomes in one order.
func (s *Search) disagreed(r *record, t *task, at int, w *observation) {
	if w != nil {
		w.other++
	}
	s.requestRecheck(r, &recheck{order: t.order[: at+1 : at+1], of: w})
}

// recheckMixed requests a recheck of a test that both passed and failed alone.
func (s *Search) recheckMixed(r *record, alone suite.Order) {
	if r.alone.mixed() && r.state <= found {
		s.requestRecheck(r, &recheck{order: alone})
	}
}

// requestRecheck makes a suspect of a test that had two outcomes in one order, and withdraws its
// find. A test that is flaky, or that question settles as flaky, stays flaky.
func (s *Search) requestRecheck(r *record, d *recheck) {
	s.withdraw(r)
	if r.recheck == nil {
		s.question(r, d)
	}
	if r.state != suspect && r.state != flaky {
		r.state = suspect
		s.watch(r)
	}
}

// question requests exclusive runs of the order if its earlier runs may have run in parallel with
// others. Otherwise the test is flaky.
func (s *Search) question(r *record, d *recheck) {
	if s.width() == 1 {
		r.settle(flaky, d.order, "both passes and fails in one and the same order")
		return
	}
	r.recheck = d
}

// conclude settles a suspect if enough is known about it.
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
		s.setKind(r, &f)
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

// withdraw removes a find that later results contradict.
func (s *Search) withdraw(r *record) {
	if r.state == found {
		s.finds = slices.DeleteFunc(s.finds, func(f Find) bool { return f.Test == r.id })
		r.cohort = ""
		s.note("%s seemed order-dependent, but a later run contradicts this", r.id)
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
