package detect

import "github.com/odfix/odfix/internal/suite"

// ran returns the observed run as a ran. It is no evidence, because an agent was active in it: only
// runs of its parts without the agent count.
func (o *Observed) ran(tests suite.Order) *ran {
	x := &ran{order: tests, source: "the observed run", outcomes: make([]suite.Outcome, len(tests))}
	for i, t := range tests {
		x.outcomes[i] = o.outcome(t)
	}
	return x
}

// begun counts the short runs for which a whole order may wait: n is 1 when a run begins and -1
// when it ends.
func (s *Search) begun(t *task, n int) {
	switch {
	case t.ran != nil && t.ran == s.seen:
		s.hints += n
	case len(t.order) == 1:
		s.aloneRuns += n
	}
}

// hinted returns the tests whose outcome alone differs from their observed outcome, if no order of
// the search has shown both outcomes yet. The part of the observed run that made the difference may
// be known. It is cheaper to run this part than to wait for an order that shows the same.
func (s *Search) hinted() []*record {
	if s.seen == nil {
		return nil
	}
	return suite.Filter(s.records, func(r *record) bool {
		return !r.hinted && (r.pass == nil || r.fail == nil) && r.state < suspect && r.alone.contradicts(r.observed)
	})
}

// hint returns a part of the observed run that may show the observed outcomes of these tests again;
// nil: no part costs less than an order of all tests. The part proves nothing by itself: a test
// with the observed outcome becomes a suspect, and is confirmed with this part like any other
// suspect.
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
