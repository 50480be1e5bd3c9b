package diagnose

import (
	"context"
	"fmt"
	"slices"

	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/suite"
)

// Bounds on what is tried once the orders that were seen say nothing.
const (
	maxVariants   = 3  // of a partial or inferred order
	maxLast       = 8  // orders with one failing test behind everything else
	maxBefore     = 64 // classes put right before a failing test's class, each by itself
	maxRandom     = 10 // random orders for a test that passes alone
	maxRandomFail = 3  // random orders for a test that fails alone
	maxCrashers   = 5  // tests left out of one order because they ended the process
)

// open are the patients not settled yet for which ok holds.
func open(cases []*patient, ok func(*patient) bool) []*patient {
	var out []*patient
	for _, c := range cases {
		if !c.settled && ok(c) {
			out = append(out, c)
		}
	}
	return out
}

func anyone(*patient) bool { return true }

// reproduce runs the orders in which the failures were seen.
func (s *session) reproduce(ctx context.Context, cases []*patient) error {
	for _, seen := range s.in.Seen {
		o, unknown := s.usable(seen.Order)
		if len(unknown) > 0 {
			s.note("%s names %d tests that this suite does not have, %s among them; they were left out", seen.Source, len(unknown), unknown[0])
		}
		var strangers []*patient
		for _, c := range open(cases, anyone) {
			if o.Index(c.id) < 0 {
				c.res.Notes = append(c.res.Notes, fmt.Sprintf("%s does not contain the test; it was put behind its class there", seen.Source))
				strangers = append(strangers, c)
			}
		}
		for _, c := range strangers {
			o = insert(o, c.id)
		}
		for _, v := range s.variants(Seen{seen.Source, seen.Provenance, o}) {
			todo := open(cases, func(c *patient) bool { return c.failing == nil })
			if len(todo) == 0 {
				break
			}
			s.tell(nil, "", "running %s", v.Source)
			if err := s.try(ctx, todo, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// insert puts t behind the last test of its class, or at the end.
func insert(o suite.Order, t suite.TestID) suite.Order {
	for i := len(o) - 1; i >= 0; i-- {
		if o[i].Visit() == t.Visit() {
			return slices.Insert(slices.Clone(o), i+1, t)
		}
	}
	return append(slices.Clone(o), t)
}

// variants are the seen order and, where not every test's place was seen,
// what else it may have been: tests within each class the other way round, and
// the failing tests last in their class.
func (s *session) variants(seen Seen) []Seen {
	out := []Seen{seen}
	if seen.Provenance == Exact {
		return out
	}
	classes := suite.ByVisit(seen.Order)
	var turned, last suite.Order
	for _, cl := range classes {
		back := slices.Clone(cl)
		slices.Reverse(back)
		turned = append(turned, back...)
		var failing suite.Order
		for _, t := range cl {
			if s.facts.watched[t] {
				failing = append(failing, t)
			} else {
				last = append(last, t)
			}
		}
		last = append(last, failing...)
	}
	for _, v := range []Seen{
		{seen.Source + ", each class's tests reversed", Inferred, turned},
		{seen.Source + ", failing tests last in their class", Inferred, last},
	} {
		if len(out) < maxVariants && !slices.Equal(v.Order, seen.Order) {
			out = append(out, v)
		}
	}
	return out
}

// alone asks for each test by itself, Rerun times.
func (s *session) alone(ctx context.Context, cases []*patient) error {
	todo := open(cases, anyone)
	s.tell(nil, "", "running each failing test alone")
	return s.together(len(todo), func(i int) error {
		c := todo[i]
		o := suite.Order{c.id}
		out, err := s.confirm(ctx, c, o, suite.Pass, "alone")
		if err != nil {
			return err
		}
		c.alone = out
		switch out {
		case suite.Fail:
			c.evidence(Answer{o, out, s.repeats(o), "alone"})
		case suite.Flaky:
			c.settle(Flaky, fmt.Sprintf("both passes and fails when run alone (%s)", s.tally(o)))
		case suite.Skip:
			c.settle(Undecided, "is skipped when run alone (disabled, or an assumption did not hold)")
		case suite.Unresolved:
			c.settle(Undecided, "gives no result when run alone"+s.crashOf(o))
		}
		return nil
	})
}

// lacking are the patients for which no order with the opposite outcome of
// their run alone is known yet.
func lacking(c *patient) bool {
	return (c.alone == suite.Pass && c.failing == nil) || (c.alone == suite.Fail && c.passing == nil)
}

// explore runs further orders until every test has both a passing and a
// failing one, or there is nothing more to try.
func (s *session) explore(ctx context.Context, cases []*patient) error {
	for next := range s.schedule(cases) {
		todo := open(cases, func(c *patient) bool { return lacking(c) && (next.helps == nil || next.helps(c)) })
		if len(todo) == 0 {
			if len(open(cases, lacking)) == 0 {
				break
			}
			continue
		}
		s.tell(nil, "", "running %s", next.Source)
		if err := s.try(ctx, todo, next.Seen); err != nil {
			return err
		}
	}
	for _, c := range open(cases, lacking) {
		if err := s.giveUp(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// candidate is an order worth running, for the patients it helps (nil: all).
type candidate struct {
	Seen
	helps func(*patient) bool
}

// schedule is what explore tries, the cheapest and most telling first. An
// order stands in it only where it can differ for somebody.
func (s *session) schedule(cases []*patient) func(func(candidate) bool) {
	return func(yield func(candidate) bool) {
		more := true
		give := func(source string, p Provenance, o suite.Order, helps func(*patient) bool) bool {
			more = more && (len(o) < 2 || yield(candidate{Seen{source, p, o}, helps}))
			return more
		}
		classes := s.classesOf(cases)
		for _, cl := range classes {
			give("the class "+cl[0].Visit()+" in its own order", Exact, cl, inClass(cl))
		}
		if s.in.Isolated {
			s.scheduleIsolated(classes, give)
			return
		}
		_ = give("the original order", Exact, s.all, nil) &&
			give("the reverse of the original order", Exact, s.reversed(), nil) &&
			s.scheduleLast(cases, give) &&
			s.scheduleBefore(classes, give) &&
			s.scheduleRandom(s.in.Suite, give)
	}
}

type giver func(source string, p Provenance, o suite.Order, helps func(*patient) bool) bool

func inClass(cl suite.Order) func(*patient) bool {
	return func(c *patient) bool { return c.id.Visit() == cl[0].Visit() }
}

// classesOf lists the classes of the tests that still lack an order.
func (s *session) classesOf(cases []*patient) []suite.Order {
	var out []suite.Order
	for _, c := range open(cases, lacking) {
		if !slices.ContainsFunc(out, func(cl suite.Order) bool { return inClass(cl)(c) }) {
			if cl := s.class(c.id); len(cl) > 0 {
				out = append(out, cl)
			}
		}
	}
	return out
}

// class is every test that shares t's visit, in the original order.
func (s *session) class(t suite.TestID) suite.Order {
	var out suite.Order
	for _, x := range s.all {
		if x.Visit() == t.Visit() {
			out = append(out, x)
		}
	}
	return out
}

func (s *session) reversed() suite.Order {
	for o := range order.Reverse(s.in.Suite, order.All) {
		if kept, _ := s.usable(o); len(kept) == len(s.all) {
			return kept
		}
	}
	o := slices.Clone(s.all)
	slices.Reverse(o)
	return o
}

// scheduleIsolated stays within classes.
func (s *session) scheduleIsolated(classes []suite.Order, give giver) {
	s.note("the build gives each class a process of its own, so only orders within a class were looked at")
	for _, cl := range classes {
		back := slices.Clone(cl)
		slices.Reverse(back)
		if !give("the class "+cl[0].Visit()+" reversed", Exact, back, inClass(cl)) {
			return
		}
		for i, t := range cl {
			if s.facts.watched[t] && i < len(cl)-1 {
				o := append(slices.Delete(slices.Clone(cl), i, i+1), t)
				give("the class "+t.Visit()+" with "+t.Method()+" last", Exact, o, itself(t))
			}
		}
		only := &suite.Suite{Root: s.subtree(cl)}
		if !s.scheduleRandom(only, give) {
			return
		}
	}
}

// subtree is the class as a flat group; nested groups of it are not kept together.
func (s *session) subtree(cl suite.Order) *suite.Node {
	n := &suite.Node{Name: cl[0].Visit()}
	for _, t := range cl {
		n.Children = append(n.Children, &suite.Node{Name: t.Method(), Test: t})
	}
	return n
}

func itself(t suite.TestID) func(*patient) bool {
	return func(c *patient) bool { return c.id == t }
}

// scheduleLast puts everything else before a test: every single polluter of it
// runs then, whatever its place in the original order.
func (s *session) scheduleLast(cases []*patient, give giver) bool {
	done := 0
	for _, c := range cases {
		if !lacking(c) || c.settled || done == maxLast {
			continue
		}
		done++
		var others, own suite.Order
		for _, t := range s.all {
			switch {
			case t.Visit() != c.id.Visit():
				others = append(others, t)
			case t != c.id:
				own = append(own, t)
			}
		}
		if !give("the original order with "+string(c.id)+" last", Exact, suite.Join(others, own, suite.Order{c.id}), itself(c.id)) {
			return false
		}
	}
	return true
}

// scheduleBefore is the useful part of "each class first": each class right
// before the failing test's own, with nothing between that could clean up.
func (s *session) scheduleBefore(classes []suite.Order, give giver) bool {
	for _, cl := range classes {
		tried := 0
		for _, first := range suite.ByVisit(s.all) {
			if first[0].Visit() == cl[0].Visit() || tried == maxBefore {
				continue
			}
			tried++
			o := suite.Join(first, cl)
			helps := func(c *patient) bool { return inClass(cl)(c) && c.alone == suite.Pass }
			if !give("the class "+first[0].Visit()+" right before "+cl[0].Visit(), Exact, o, helps) {
				return false
			}
		}
	}
	return true
}

func (s *session) scheduleRandom(t *suite.Suite, give giver) bool {
	i := 0
	for o := range order.Random(t, order.All, s.in.Seed, maxRandom) {
		i++
		helps := anyone
		if i > maxRandomFail {
			helps = func(c *patient) bool { return c.alone == suite.Pass }
		}
		kept, _ := s.usable(o)
		if !give(fmt.Sprintf("random order %d", i), Exact, kept, helps) {
			return false
		}
	}
	return true
}

// try runs the part of an order that matters to the given patients and keeps
// what it showed. A test that ends the process is left out and the rest runs
// again, so that one crash does not hide everything behind it.
func (s *session) try(ctx context.Context, todo []*patient, v Seen) error {
	if s.in.Isolated {
		return s.tryByClass(ctx, todo, v)
	}
	for range maxCrashers + 1 {
		whole := s.without(v.Order, todo)
		o := upTo(whole, todo)
		if len(o) == 0 || !s.news(o, todo) {
			return nil
		}
		run, err := s.run(ctx, nil, o, suite.Fresh, false)
		if err != nil {
			return err
		}
		s.keep(todo, Seen{v.Source, v.Provenance, o}, whole)
		if run.Crash == nil || !s.leaveOut(o, run, todo) {
			return nil
		}
	}
	return nil
}

// tryByClass runs each class of the order in a process of its own.
func (s *session) tryByClass(ctx context.Context, todo []*patient, v Seen) error {
	var done []string
	for _, c := range todo {
		visit := c.id.Visit()
		if slices.Contains(done, visit) {
			continue
		}
		done = append(done, visit)
		own := Seen{v.Source, v.Provenance, nil}
		for _, t := range v.Order {
			if t.Visit() == visit {
				own.Order = append(own.Order, t)
			}
		}
		mine := open(todo, func(c *patient) bool { return c.id.Visit() == visit })
		o := upTo(own.Order, mine)
		if len(o) == 0 || !s.news(o, mine) {
			continue
		}
		if _, err := s.run(ctx, nil, o, suite.Fresh, false); err != nil {
			return err
		}
		s.keep(mine, Seen{v.Source, v.Provenance, o}, own.Order)
	}
	return nil
}

// without drops the tests that are left out, but for the patients themselves.
func (s *session) without(o suite.Order, todo []*patient) suite.Order {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.left) == 0 {
		return o
	}
	return slices.DeleteFunc(slices.Clone(o), func(t suite.TestID) bool {
		return s.left[t] && !slices.ContainsFunc(todo, func(c *patient) bool { return c.id == t })
	})
}

// upTo cuts the order behind the last of the patients.
func upTo(o suite.Order, todo []*patient) suite.Order {
	end := 0
	for _, c := range todo {
		end = max(end, o.Index(c.id)+1)
	}
	return o[:end:end]
}

// news reports whether running o tells something not known about one of the patients.
func (s *session) news(o suite.Order, todo []*patient) bool {
	return slices.ContainsFunc(todo, func(c *patient) bool {
		i := o.Index(c.id)
		return i >= 0 && s.facts.known(o[:i+1]) == ""
	})
}

// leaveOut remembers the test that ended the process; false where it is
// unknown, or where nothing is gained by going on without it.
func (s *session) leaveOut(o suite.Order, run *suite.Run, todo []*patient) bool {
	i := slices.IndexFunc(run.Results, func(r suite.Result) bool { return r.Outcome == suite.Unresolved })
	if d := o.Index(run.Crash.During); d >= 0 {
		i = d
	}
	if i < 0 || i >= len(o)-1 || slices.ContainsFunc(todo, func(c *patient) bool { return c.id == o[i] }) {
		return false
	}
	s.mu.Lock()
	s.left[o[i]] = true
	s.mu.Unlock()
	s.note("%s ends the process (%s) and was left out of the orders that were tried", o[i], run.Crash)
	return true
}

// keep books what a long run showed of each patient.
func (s *session) keep(todo []*patient, v Seen, whole suite.Order) {
	t := &tried{Seen: v, whole: whole, first: map[suite.TestID]int{}}
	for i, id := range v.Order {
		if _, again := t.first[id]; s.facts.watched[id] && !again {
			t.first[id] = i
		}
	}
	s.mu.Lock()
	s.runs = append(s.runs, t)
	s.mu.Unlock()
	for _, c := range todo {
		i, in := t.first[c.id]
		if !in || i == 0 {
			continue
		}
		switch s.facts.known(v.Order[:i+1]) {
		case suite.Fail:
			if c.failing == nil {
				c.failing = t
			}
		case suite.Pass:
			if c.passing == nil {
				c.passing = t
			}
		}
	}
}

// upToTest is the order of a run, cut behind the test.
func (t *tried) upToTest(id suite.TestID) suite.Order {
	i := t.first[id]
	return t.Order[: i+1 : i+1]
}

func (t *tried) seen(id suite.TestID) *Seen {
	return &Seen{t.Source, t.Provenance, slices.Clone(t.upToTest(id))}
}
