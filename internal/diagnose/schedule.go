package diagnose

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/odfix/odfix/internal/cohort"
	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/suite"
)

// candidate is an order worth running. helps selects the failing tests that it can help (nil: all).
type candidate struct {
	suite.Seen
	helps func(*failingTest) bool
}

// schedule returns the orders that explore tries first, the cheapest and most useful ones first.
// These are single classes, in their own order and reversed: polluter and victim are often of one
// class. If tests of many classes fail, whole orders come first, because they show something about
// many tests at once. The schedule leaves out single classes of tests that need none.
func (s *session) schedule(cases []*failingTest) func(func(candidate) bool) {
	return func(yield func(candidate) bool) {
		give := giveTo(yield)
		classes := s.classesOf(cases)
		single := func() {
			for _, cl := range classes {
				give("the "+s.Nouns().Group+" "+s.Top(cl[0])+" in its own order", cl, s.inClass(cl))
			}
		}
		if s.in.Isolated {
			single()
			s.scheduleIsolated(classes, give)
			return
		}
		if len(classes) <= cohort.Sample {
			single()
			for _, cl := range classes {
				s.backwards(cl, give)
			}
		}
		give("the original order", s.all, nil)
		give("the reverse of the original order", s.reversed(), nil)
		if len(classes) > cohort.Sample {
			single()
		}
		s.scheduleSeveral(cases, give)
	}
}

// scheduleSeveral gives random whole orders as long as several tests lack an order: each shows
// something about all of them, and takes about as long as running each other test before one of them.
// They find causes of several polluters, which single tests before another do not show.
func (s *session) scheduleSeveral(cases []*failingTest, give giver) {
	if len(open(cases, lacking)) < leastJointly {
		return
	}
	var whole time.Duration
	for _, t := range s.all {
		whole += s.facts.took(t)
	}
	for i, o := range s.random(s.in.Suite) {
		if i == maxSeveral || time.Duration(i+1)*whole > severalTime || len(open(cases, lacking)) < leastJointly {
			return
		}
		give(fmt.Sprintf("random order %d", i+1), o, helpedByRandom(i))
	}
}

// scheduleEarly puts single tests before a failing one as the first test of a process. It selects
// tests that change state of the whole process, even if only for a while. A class that is
// initialised during that time keeps the changed value. Such a test is a polluter only if no other
// test ran before it, so whole orders and neighbours do not reveal it.
func (s *session) scheduleEarly(ctx context.Context, cases []*failingTest) func(func(candidate) bool) {
	return func(yield func(candidate) bool) {
		give := giveTo(yield)
		victims := open(cases, func(c *failingTest) bool { return lacking(c) && c.alone == suite.Pass })
		if s.in.ProcessWriters == nil || len(victims) == 0 {
			return
		}
		s.report(nil, "", "looking for tests that change state of the process")
		all := s.without(s.in.ProcessWriters(ctx), nil)
		for _, c := range victims[:min(len(victims), maxLast)] {
			for _, t := range s.nearFirst(all, c.id) {
				if t != c.id && s.allowed(c, suite.Order{t}) {
					give(s.Short(t)+" as the first test, before "+s.Short(c.id), suite.Order{t, c.id}, itself(c.id))
				}
			}
		}
	}
}

// nearFirst returns at most maxEarly of the tests. Those in t's package or folder come first.
func (s *session) nearFirst(all suite.Order, t suite.TestID) suite.Order {
	var near, far suite.Order
	for _, x := range all {
		if folder(s.Top(x)) == folder(s.Top(t)) {
			near = append(near, x)
		} else {
			far = append(far, x)
		}
	}
	all = append(near, far...)
	return all[:min(len(all), maxEarly)]
}

// scheduleFar returns the orders that are tried when no single test directly before another changes
// an outcome. They find causes of several polluters or of whole classes.
func (s *session) scheduleFar(cases []*failingTest) func(func(candidate) bool) {
	return func(yield func(candidate) bool) {
		if classes := s.classesOf(cases); !s.in.Isolated && len(classes) > 0 {
			give := giveTo(yield)
			s.scheduleLast(cases, give)
			s.scheduleMixed(classes, give)
		}
	}
}

// giver adds an order to the schedule. helps selects the failing tests that it can help (nil: all).
type giver func(source string, o suite.Order, helps func(*failingTest) bool)

// giveTo returns a giver that calls yield until yield returns false.
func giveTo(yield func(candidate) bool) giver {
	more := true
	return func(source string, o suite.Order, helps func(*failingTest) bool) {
		more = more && (len(o) < 2 || yield(candidate{suite.Seen{Source: source, Provenance: suite.Exact, Order: o}, helps}))
	}
}

func (s *session) inClass(cl suite.Order) func(*failingTest) bool {
	return func(c *failingTest) bool { return s.Same(c.id, cl[0]) }
}

// classesOf returns the classes of the tests that still lack an order.
func (s *session) classesOf(cases []*failingTest) []suite.Order {
	var out []suite.Order
	for _, c := range open(cases, lacking) {
		if !slices.ContainsFunc(out, func(cl suite.Order) bool { return s.inClass(cl)(c) }) {
			if cl := s.class(c.id); len(cl) > 0 {
				out = append(out, cl)
			}
		}
	}
	return out
}

// class returns all tests of t's class that run together, in the original order.
func (s *session) class(t suite.TestID) suite.Order {
	return suite.Filter(s.all, func(x suite.TestID) bool { return s.Same(x, t) })
}

func (s *session) reversed() suite.Order {
	if kept, _ := s.usable(order.Reverse(s.in.Suite)); len(kept) == len(s.all) {
		return kept
	}
	o := slices.Clone(s.all)
	slices.Reverse(o)
	return s.Together(o)
}

// backwards gives the class reversed.
func (s *session) backwards(cl suite.Order, give giver) {
	back := slices.Clone(cl)
	slices.Reverse(back)
	give("the "+s.Nouns().Group+" "+s.Top(cl[0])+" reversed", s.Together(back), s.inClass(cl))
}

// scheduleIsolated gives orders within one class only.
func (s *session) scheduleIsolated(classes []suite.Order, give giver) {
	s.note("Since the build gives each %[1]s a process of its own, only orders within a %[1]s were tried.", s.Nouns().Group)
	for _, cl := range classes {
		s.backwards(cl, give)
		for i, t := range cl {
			if s.facts.watched[t] && i < len(cl)-1 {
				o := append(slices.Delete(slices.Clone(cl), i, i+1), t)
				give("the "+s.Nouns().Group+" "+s.Top(t)+" with "+s.Name(t)+" last", s.Together(o), itself(t))
			}
		}
		for i, o := range s.random(s.onlyGroup(cl[0])) {
			give(fmt.Sprintf("random order %d", i+1), o, helpedByRandom(i))
		}
	}
}

// random returns random orders of the suite.
func (s *session) random(of *suite.Suite) (out []suite.Order) {
	for o := range order.Random(of, s.in.Seed, maxRandom) {
		kept, _ := s.usable(o)
		out = append(out, kept)
	}
	return out
}

// onlyGroup returns the part of the suite that holds the outermost group of t; nil without a suite.
func (s *session) onlyGroup(t suite.TestID) *suite.Suite {
	if s.in.Suite == nil || s.in.Suite.Root == nil {
		return nil
	}
	root := &suite.Node{}
	for _, n := range s.in.Suite.Root.Children {
		if part := (&suite.Suite{Root: n}); part.Has(t) {
			root.Children = append(root.Children, n)
		}
	}
	return &suite.Suite{Root: root}
}

func itself(t suite.TestID) func(*failingTest) bool {
	return func(c *failingTest) bool { return c.id == t }
}

// scheduleLast runs all other tests before a test. Every single polluter of the test then runs
// before it, even if it comes later in the original order.
func (s *session) scheduleLast(cases []*failingTest, give giver) {
	unsettled := open(cases, lacking)
	for _, c := range unsettled[:min(len(unsettled), maxLast)] {
		o := s.last(s.all, func(t suite.TestID) bool { return s.Same(t, c.id) && t != c.id })
		o = slices.DeleteFunc(o, func(t suite.TestID) bool { return t == c.id })
		give("the original order with "+string(c.id)+" last", s.Together(append(o, c.id)), itself(c.id))
	}
}

// last returns the order with some tests moved to its end.
func (s *session) last(o suite.Order, move func(suite.TestID) bool) suite.Order {
	var others, moved suite.Order
	for _, t := range o {
		if move(t) {
			moved = append(moved, t)
		} else {
			others = append(others, t)
		}
	}
	return suite.Join(others, moved)
}

// scheduleMixed divides the time about equally between two kinds of orders. Random whole orders,
// with a failing test's class last, find polluters spread over several classes. Orders with one
// class directly before the failing test's class find polluters whose effect another class would
// clean.
func (s *session) scheduleMixed(classes []suite.Order, give giver) {
	before := s.eachBefore(classes)
	for i, o := range s.random(s.in.Suite) {
		class := s.Top(classes[i%len(classes)][0])
		give(fmt.Sprintf("random order %d with %s last", i+1, class), s.last(o, func(t suite.TestID) bool { return s.Top(t) == class }),
			helpedByRandom(i))
		for given := 0; given < len(o) && len(before) > 0; before = before[1:] {
			given += len(before[0].Order) + cohort.StartCost
			give(before[0].Source, before[0].Order, before[0].helps)
		}
	}
	for _, c := range before {
		give(c.Source, c.Order, c.helps)
	}
}

// eachBefore returns orders in which each class runs directly before a failing test's class, so
// that no test in between can clean.
func (s *session) eachBefore(classes []suite.Order) []candidate {
	var out []candidate
	for _, cl := range classes {
		tried := 0
		for _, first := range s.Split(s.all) {
			if s.Same(first[0], cl[0]) || tried == maxBefore {
				continue
			}
			tried++
			out = append(out, candidate{
				suite.Seen{Source: "the " + s.Nouns().Group + " " + s.Top(first[0]) + " right before " + s.Top(cl[0]),
					Provenance: suite.Exact, Order: suite.Join(first, cl)},
				func(c *failingTest) bool { return s.inClass(cl)(c) && c.alone == suite.Pass },
			})
		}
	}
	return out
}

// helpedByRandom selects the tests that random order i can help.
func helpedByRandom(i int) func(*failingTest) bool {
	return func(c *failingTest) bool { return i < maxRandomFail || c.alone == suite.Pass }
}
