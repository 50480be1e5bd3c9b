package repair

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/suite"
)

// exclusivePairs is the largest number of times that an order is compared again while no other
// process runs. This happens if the first comparison has no clear result.
const exclusivePairs = 4

// pairs returns how often an order is compared again at most, and in how many exclusive runs in a
// row a suspect must not be worse.
func (pr *prover) pairs() (most, enough int) {
	if pr.draft {
		return 1, 1
	}
	return exclusivePairs, enoughPasses
}

// originalOrder checks the suite's own order: fixed tests pass, and no other test gets worse.
func (pr *prover) originalOrder(ctx context.Context) error {
	if len(pr.in.Original) == 0 || pr.in.Baseline == nil {
		return nil
	}
	pr.say("proving: the suite's own order")
	check := Check{Name: suite.CheckOwnOrder, Repeats: 1, Orders: []suite.Order{pr.in.Original},
		Tests: pr.fixes, Patched: true, Pass: true}
	if err := pr.compare(ctx, &check, pr.in.Original, pr.in.Baseline); err != nil {
		return err
	}
	missing := slices.DeleteFunc(slices.Clone(pr.in.Left), func(t suite.TestID) bool { return pr.in.Original.Index(t) >= 0 })
	if n := len(missing); n > 0 {
		check.Detail = also(check.Detail, fmt.Sprintf("%d tests that end their process are left out of all orders (%s …)", n, missing[0]))
	}
	pr.add(check)
	return nil
}

// ownClasses checks the classes which the patch changes: in the suite's own order, and each in the
// opposite one. A test that gets worse is mostly in one of these classes, so these short orders refute
// bad patches early. A patch that undoes what a class sets up once for all its tests may be right in the
// one order only. The whole order of the suite is checked later. If the classes take long, a draft
// leaves them out, and a proof does if they take more than half of the time of the whole order.
func (pr *prover) ownClasses(ctx context.Context) error {
	own := suite.Filter(pr.in.Original, func(t suite.TestID) bool {
		return slices.ContainsFunc(pr.c.Edit.spots(), func(at suite.TestID) bool { return pr.in.Groups.Same(at, t) })
	})
	took := pr.p.took(own)
	if len(own) < 2 || took > draftTime && (pr.draft || 2*took > pr.p.took(pr.in.Original)) {
		return nil
	}
	if 2*len(own) <= len(pr.in.Original) {
		if err := pr.changed(ctx, own); err != nil || pr.failed {
			return err
		}
	}
	if back := pr.opposite(suite.Without(own, pr.in.Left)); back != nil && !pr.draft {
		return pr.changed(ctx, back)
	}
	return nil
}

// opposite returns the order with the tests of each class in the opposite order, where the framework can
// run it; nil if it can for no class.
func (pr *prover) opposite(o suite.Order) suite.Order {
	var out suite.Order
	for _, whole := range pr.in.Groups.Split(o) {
		if pr.fixedOrder(whole) {
			for rest := whole; len(rest) > 0; {
				n := 1
				for n < len(rest) && pr.in.Groups.Unit(rest[n]) == pr.in.Groups.Unit(rest[0]) {
					n++
				}
				class := slices.Clone(rest[:n])
				if !pr.fixedOrder(class) {
					slices.Reverse(class)
				}
				out, rest = append(out, class...), rest[n:]
			}
			continue
		}
		whole = slices.Clone(whole)
		slices.Reverse(whole)
		out = append(out, whole...)
	}
	if slices.Equal(out, o) {
		return nil
	}
	return out
}

// fixedOrder reports whether the framework fixes the order of some of the tests: JUnit 5 runs the methods of a
// class before its nested classes.
func (pr *prover) fixedOrder(o suite.Order) bool {
	for i := range len(o) - 1 {
		if pr.in.Groups.Before(o[i], o[i+1]) {
			return true
		}
	}
	return false
}

// changed checks an order of the classes which the patch changes. A check that holds is not reported.
func (pr *prover) changed(ctx context.Context, o suite.Order) error {
	check := Check{Name: suite.CheckOf(suite.CheckChanged, pr.in.Groups.Nouns()), Repeats: 1,
		Orders: []suite.Order{o}, Patched: true, Pass: true}
	check.Tests = suite.Filter(pr.fixes, func(t suite.TestID) bool { return o.Index(t) >= 0 })
	plain := func(ctx context.Context) (*suite.Run, error) { return pr.in.Plain.Run(ctx, o) }
	if err := pr.compare(ctx, &check, o, plain); err != nil {
		return err
	}
	if !check.OK {
		pr.add(check)
	}
	return nil
}

// compare runs an order with and without the patch. The fixed tests must pass, and no other test
// may behave worse. If all tests pass with the patch, the order need not run without it. Where
// groups have environments of their own, only the concerned ones run without it. If a test seems
// worse, or fails on each side for another reason, other processes may have disturbed it. Then both
// sides run again, while no other process runs; see suspects.
func (pr *prover) compare(ctx context.Context, check *Check, o suite.Order, without func(context.Context) (*suite.Run, error)) error {
	run, err := pr.patched.Run(ctx, o)
	if err != nil {
		return err
	}
	if flawless(o, run) {
		check.OK = true
		return nil
	}
	part := o
	if at := pr.concerned(o, run); len(at) > 0 {
		run = within(at, run)
		part = run.Order
		without = func(ctx context.Context) (*suite.Run, error) { return pr.in.Plain.Run(ctx, part) }
	}
	base, err := without(ctx)
	if err != nil {
		return err
	}
	d := pr.differences(part, base, run)
	if d.noResult > 0 {
		check.Detail = fmt.Sprintf("%d tests give no result there without the patch and were not compared", d.noResult)
	}
	check.OK = true
	if d.bothFail > 0 || len(d.worse) > 0 {
		check.Detail = also(check.Detail, "some tests fail in this order with and without the patch, or are flaky")
	}
	if d.notFixed == "" && len(d.worse) == 0 && !d.unlike {
		return nil
	}
	unclear := d.notFixed
	most, enough := pr.pairs()
	s := suspects{what: d.worse, well: map[int]int{}, cleared: map[int]bool{}, passed: map[int]string{}, enough: enough}
	pairs := 0
	for ; pairs < most && (pairs == 0 || len(s.what) > 0 || unclear != "" && pairs < enough); pairs++ {
		if base, err = pr.in.Plain.Alone().Run(ctx, part); err != nil {
			return err
		}
		if run, err = pr.patched.Alone().Run(ctx, part); err != nil {
			return err
		}
		if len(part) == len(o) {
			check.Repeats++
		}
		if d = pr.differences(part, base, run); d.notFixed != "" {
			check.OK, check.Detail = false, d.notFixed
			if at := firstFailed(part, run, pr.fixes); at >= 0 {
				check.Bad = append(check.Bad, part[:at+1:at+1]) // another polluter may change the state there
			}
			return nil
		}
		if s.weigh(d, base); pr.in.Strict && len(d.worse) > 0 && len(s.what) > 0 {
			break // it was worse twice, at least once with no other process
		}
	}
	if len(s.what) == 0 && len(part) < len(o) {
		if err := pr.whole(ctx, &s, check, o, part); err != nil {
			return err
		}
	}
	if len(s.what) > 0 {
		first := slices.Min(slices.Collect(maps.Keys(s.what)))
		check.OK, check.Worse, check.Detail = false, true, s.what[first]
		return nil
	}
	if unclear != "" {
		unclear += fmt.Sprintf(" in parallel with other processes, and no worse in %d runs with no other process", pairs)
		check.Detail = also(check.Detail, unclear)
	}
	return nil
}

// whole runs the whole order once more with the patch, while no other process runs, if a part of it
// has cleared suspects. A suspect that passes in the part, and fails in the whole order again, is
// one again, unless it fails there without the patch, too.
func (pr *prover) whole(ctx context.Context, s *suspects, check *Check, o, part suite.Order) error {
	if len(s.passed) == 0 {
		return nil
	}
	run, err := pr.patched.Alone().Run(ctx, o)
	if err != nil {
		return err
	}
	check.Repeats++
	var base *suite.Run
	for i, what := range s.passed {
		at := o.Index(part[i])
		if is := run.At(at).Outcome; is == suite.Pass || is == suite.Skip {
			continue
		}
		if base == nil {
			if base, err = pr.in.Plain.Alone().Run(ctx, o); err != nil {
				return err
			}
		}
		if was := base.At(at).Outcome; was != suite.Fail && was != suite.Unresolved {
			s.what[i] = what
		}
	}
	return nil
}

// concerned returns the places of the tests that are compared where groups have environments of
// their own: those of the groups that the patch changes, of the fixed tests, and of those in which
// a test does not pass. It returns none if the whole order has to be compared, as if a fixed test
// fails.
func (pr *prover) concerned(o suite.Order, run *suite.Run) (at []int) {
	if !pr.in.Separate || run.Crash != nil || len(run.ClassFailures) > 0 {
		return nil
	}
	tests := slices.Concat(pr.c.Edit.spots(), pr.fixes)
	for i, t := range o {
		if run.At(i).Outcome == suite.Pass {
			continue
		}
		if slices.Contains(pr.fixes, t) {
			return nil
		}
		tests = append(tests, t)
	}
	for i, t := range o {
		if slices.ContainsFunc(tests, func(of suite.TestID) bool { return pr.in.Groups.Same(of, t) }) {
			at = append(at, i)
		}
	}
	if len(at) == len(o) {
		return nil
	}
	return at
}

// within returns what a run shows of the tests at these places.
func within(at []int, run *suite.Run) *suite.Run {
	out := *run
	out.Order, out.Results = nil, nil
	for _, i := range at {
		out.Order, out.Results = append(out.Order, run.Order[i]), append(out.Results, run.At(i))
	}
	return &out
}

// flawless reports whether every test passes, and no setup or teardown of a class fails.
func flawless(o suite.Order, run *suite.Run) bool {
	for i := range o {
		if run.At(i).Outcome != suite.Pass {
			return false
		}
	}
	return run.Crash == nil && len(run.ClassFailures) == 0
}

// enoughPasses is the number of exclusive runs in a row in which a suspect must not be worse.
const enoughPasses = 2

// suspects are tests that may behave worse with the patch, by position.
type suspects struct {
	what    map[int]string
	well    map[int]int
	cleared map[int]bool
	passed  map[int]string // those that were cleared because they pass with the patch
	enough  int            // exclusive runs in a row in which a suspect must not be worse
}

// weigh adds the result of one more pair of runs. A suspect is cleared if it fails without the
// patch, too, or if it passes often enough with the patch.
func (s *suspects) weigh(d differences, base *suite.Run) {
	for i, what := range d.worse {
		if !s.cleared[i] {
			s.what[i], s.well[i] = what, -1
		}
	}
	for i := range s.what {
		s.well[i]++
		was := base.At(i).Outcome
		fails := was == suite.Fail || was == suite.Unresolved
		if fails || s.well[i] >= s.enough {
			s.cleared[i] = true
			if !fails {
				s.passed[i] = s.what[i]
			}
			delete(s.what, i)
		}
	}
}

// differences compares the outcomes of an order with and without the patch, by position.
type differences struct {
	// notFixed names a fixed test that does not pass with the patch, or a class whose setup or
	// teardown fails only with the patch.
	notFixed string
	worse    map[int]string // another test that behaved better without the patch
	bothFail int            // other tests that fail on both sides
	unlike   bool           // one of these does not fail on both sides in the same way
	noResult int            // tests without a result without the patch: they cannot be compared
}

func (pr *prover) differences(o suite.Order, base, run *suite.Run) differences {
	d := differences{worse: map[int]string{}, notFixed: newClassFailure(base, run)}
	for i, t := range o {
		was, is := base.At(i), run.At(i)
		switch {
		case slices.Contains(pr.fixes, t):
			if is.Outcome != suite.Pass && d.notFixed == "" {
				d.notFixed = fmt.Sprintf("%s: %s with the patch", t, describe(is, run))
			}
		case was.Outcome == suite.Unresolved:
			d.noResult++
		case was.Outcome == suite.Fail && is.Outcome == suite.Fail:
			d.bothFail++
			d.unlike = d.unlike || !alike(was.Failure, is.Failure)
		case was.Outcome != is.Outcome && is.Outcome != suite.Pass:
			d.worse[i] = fmt.Sprintf("%s: %s before, %s with the patch", t, was.Outcome, describe(is, run))
		}
	}
	return d
}

// alike reports whether two failures of a test show one reason: type, message and stack trace are
// equal, with all causes. A failure without a stack trace shows too little.
func alike(a, b *suite.Failure) bool {
	return a != nil && b != nil && a.Type != "" && a.Type == b.Type && a.Message == b.Message &&
		len(trace(a)) > 1 && slices.Equal(trace(a), trace(b))
}

// trace returns the lines of a failure's stack trace.
func trace(f *suite.Failure) []string {
	var out []string
	for line := range strings.Lines(f.Stack) {
		out = append(out, strings.TrimSpace(line))
	}
	return out
}

// newClassFailure names a class whose setup or teardown fails in run but not in base.
func newClassFailure(base, run *suite.Run) string {
	for _, f := range run.ClassFailures {
		if !slices.ContainsFunc(base.ClassFailures, func(b suite.ClassFailure) bool { return b.Class == f.Class }) {
			return fmt.Sprintf("%s: its setup or teardown fails with the patch (%s)", f.Class, f.Failure.Type)
		}
	}
	return ""
}

func also(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}
