package detect

import "github.com/odfix/odfix/internal/suite"

// ran is what was observed as a run. It is no evidence, since an agent watched it: only
// parts of it that run without the agent count.
func (o *Observed) ran(tests suite.Order) *ran {
	x := &ran{order: tests, source: "the observed run", outcomes: make([]suite.Outcome, len(tests))}
	for i, t := range tests {
		x.outcomes[i] = o.outcome(t)
	}
	return x
}

// begun counts a run that begins (1), or has ended (-1), where a whole order may wait for it.
func (s *Search) begun(t *task, n int) {
	switch {
	case t.ran != nil && t.ran == s.seen:
		s.hints += n
	case len(t.order) == 1:
		s.aloneRuns += n
	}
}

// hinted are the tests that behave otherwise alone than they were observed to, and have not been
// seen to behave so in any order of the search: which part of the observed run made the difference
// may be known, and showing that costs less than waiting for an order that happens to.
func (s *Search) hinted() []*record {
	if s.seen == nil {
		return nil
	}
	var of []*record
	for _, r := range s.records {
		if !r.hinted && (r.pass == nil || r.fail == nil) && r.state < suspect && r.alone.contradicts(r.observed) {
			of = append(of, r)
		}
	}
	return of
}

// hint is a part of the observed run that may show of these tests what it showed; nil: there is
// none that costs less than an order of all tests. Nothing is believed for it: a test that behaves
// so in it is a suspect then, and rests on that part as others on theirs.
func (s *Search) hint(of []*record) *task {
	for _, r := range of {
		r.hinted = true
	}
	if len(of) == 0 || s.in.State == nil {
		return nil
	}
	kept, _ := s.causes(s.seen, of)
	part := s.usable(s.seen.only(kept))
	if len(part) == 0 || s.in.Rerun*len(part) >= len(s.in.Tests) {
		return nil
	}
	return &task{what: shortening, ran: s.seen, order: part, name: "confirming"}
}
