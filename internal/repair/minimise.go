package repair

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// script is a helper's statements, with the data that the search needs.
type script struct {
	helper suite.Order
	flat   []Statement // in the order in which they run; compound statements are not opened
	byID   map[string]Statement
}

func newScript(helper suite.Order, statements []Statement) *script {
	s := &script{helper: helper, flat: statements, byID: map[string]Statement{}}
	s.index(statements)
	return s
}

func (s *script) index(statements []Statement) {
	for _, st := range statements {
		s.byID[st.ID] = st
		s.index(st.Inner)
	}
}

// close adds the statements that the kept ones need to compile, in the order in which they run.
// This is the closure under Requires, which ddmin's subsets must have.
func (s *script) close(all, keep []string) []string {
	want := map[string]bool{}
	var add func(id string)
	add = func(id string) {
		if want[id] {
			return
		}
		want[id] = true
		for _, r := range s.byID[id].Requires {
			add(r)
		}
	}
	for _, id := range keep {
		add(id)
	}
	return suite.Filter(all, func(id string) bool { return want[id] })
}

// without leaves out the culprits, which may be inside of compound statements, and the statements that
// need one of them.
func (s *script) without(ids, culprits []string) []string {
	misfit := func(id string) bool {
		return slices.ContainsFunc(culprits, func(c string) bool { return c == id || strings.HasPrefix(c, id+".") })
	}
	return suite.Filter(ids, func(id string) bool { return !slices.ContainsFunc(s.close(ids, []string{id}), misfit) })
}

// closePositions is close for positions in ids, as ddmin needs it.
func (s *script) closePositions(ids []string, positions []int) []int {
	var keep []string
	for _, at := range positions {
		keep = append(keep, ids[at])
	}
	closed := map[string]bool{}
	for _, id := range s.close(ids, keep) {
		closed[id] = true
	}
	var out []int
	for i, id := range ids {
		if closed[id] {
			out = append(out, i)
		}
	}
	return out
}

// starts returns the statement lists from which minimising begins, likeliest first: the body
// without assertions, the paper's whole list (setup, body, teardown), and parts of it, because a
// statement may fail in another test.
func (s *script) starts() [][]string {
	pick := s.pick
	role := func(roles ...string) func(Statement) bool {
		return func(st Statement) bool { return slices.Contains(roles, st.Role) && !st.Assertion }
	}
	lists := [][]string{
		s.body(),
		pick(func(Statement) bool { return true }),
		pick(role("field", "constructor", "class-setup", "setup")),
		pick(role("teardown", "class-teardown")),
		pick(func(st Statement) bool { return !st.Assertion }),
	}
	var out [][]string
	seen := map[string]bool{"": true}
	for _, l := range lists {
		if k := strings.Join(l, "\x00"); !seen[k] {
			seen[k] = true
			out = append(out, l)
		}
	}
	return out
}

// pick returns the statements to keep, with those that they need.
func (s *script) pick(keep func(Statement) bool) []string {
	var ids, all []string
	for _, st := range s.flat {
		all = append(all, st.ID)
		if keep(st) {
			ids = append(ids, st.ID)
		}
	}
	return s.close(all, ids)
}

// body are the statements of the test itself, without assertions.
func (s *script) body() []string {
	return s.pick(func(st Statement) bool { return st.Role == "body" && !st.Assertion })
}

// open replaces one compound statement by the statements in it.
func (s *script) open(ids []string, compound string) []string {
	var out []string
	for _, id := range ids {
		if id != compound {
			out = append(out, id)
			continue
		}
		for _, in := range s.byID[id].Inner {
			out = append(out, in.ID)
		}
	}
	return out
}

// errNoStart says that a helper's statements do not help when they are added to the victim.
var errNoStart = errors.New("the helper's statements do not make the test pass, neither in the test nor in the polluter's teardown")

// minimal is the outcome of minimising a helper's statements.
type minimal struct {
	keep       []string
	unfinished bool
	hinted     bool // it relies on one process that tried all statements
}

// minimise finds a 1-minimal list of the helper's statements that makes the case's failing order
// pass (Figure 6, line 14). The paper adds them at the test's start. This is too late for state
// that field initialisers or a setup read, so minimise also tries the polluter's end and the start of a
// brittle test's setup. One build contains every
// statement with a switch, and the search sets the switches. If this does not compile, each list is
// compiled separately. All failing orders must pass. With flips, one process first tries every
// statement separately, which may make the search unnecessary.
func (p *Patcher) minimise(ctx context.Context, s *script, cause Cause, failing []suite.Order, flips bool) (*minimal, error) {
	var reason string
	likeliest := patch.VictimStart
	if cause.Brittle() { // a list that only works there is what the setup needs, and elsewhere one may repeat the setup
		likeliest = patch.VictimSetupStart
	}
	for _, start := range s.starts() {
		for _, at := range p.trials(cause, likeliest) {
			t := &trier{p: p, s: s, failing: failing, at: at, flips: flips}
			rest, ok, err := t.beginEither(ctx, start)
			var unfit *UnfitError
			switch {
			case errors.As(err, &unfit):
				if at.location != patch.VictimSetupStart { // most classes have no setup that could need the state
					reason = cmp.Or(reason, unfit.Reason)
				}
			case err != nil:
				return nil, err
			case ok:
				return t.reduce(ctx, rest)
			}
		}
	}
	if min, err := p.fromBeginning(ctx, s, cause, failing); min != nil || err != nil {
		return min, err
	}
	if reason != "" {
		return nil, fmt.Errorf("%w (%s)", errNoStart, reason)
	}
	return nil, errNoStart
}

// fromBeginning minimises the beginning of a state-setter's body. Tests first arrange and then act. The
// statement that acts may make another test fail, for example if that test counts the calls of a mock.
// It returns nil if no beginning of the body helps at the start of the failing test, or if the time for
// the search is over.
func (p *Patcher) fromBeginning(ctx context.Context, s *script, cause Cause, failing []suite.Order) (*minimal, error) {
	likely := slices.ContainsFunc(cause.Helpers[:min(maxHelpers, len(cause.Helpers))], func(h suite.Order) bool { return slices.Equal(h, s.helper) })
	if !cause.Brittle() || !likely || !p.GiveUp.IsZero() && time.Now().After(p.GiveUp) {
		return nil, nil
	}
	t := &trier{p: p, s: s, failing: failing, at: spot{patch.VictimStart, cause.Cases[0].Test}}
	body, _, err := t.beginEither(ctx, s.body())
	if _, unfit := errors.AsType[*UnfitError](err); unfit {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, n := range beginnings(len(body)) {
		list := s.close(body, body[:n])
		ok, err := t.passes(ctx, list)
		if _, unfit := errors.AsType[*UnfitError](err); err != nil && !unfit {
			return nil, err
		}
		if ok {
			return t.reduce(ctx, list)
		}
	}
	return nil, nil
}

// beginnings are the lengths of the beginnings of a list that are tried: without the last statements first.
func beginnings(n int) []int {
	var out []int
	for _, k := range []int{n - 1, n - 2, n - 3, n - 4, 3 * n / 4, n / 2, n / 4, 1} {
		if k > 0 && k < n && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

// reduce minimises from a list that works. It opens compound statements while the statements in
// them are enough (hierarchical delta debugging).
func (t *trier) reduce(ctx context.Context, start []string) (*minimal, error) {
	keep, unfinished, err := t.search(ctx, start)
	if err != nil {
		return nil, err
	}
	hinted := t.lone != ""
	for opened := true; opened && !unfinished; {
		opened = false
		for _, id := range keep {
			if len(t.s.byID[id].Inner) == 0 {
				continue
			}
			next := t.s.open(keep, id)
			ok, err := t.begin(ctx, next)
			var unfit *UnfitError
			if errors.As(err, &unfit) || err == nil && !ok {
				continue
			}
			if err != nil {
				return nil, err
			}
			if keep, unfinished, err = t.search(ctx, next); err != nil {
				return nil, err
			}
			opened, hinted = true, hinted || t.lone != ""
			break
		}
	}
	return &minimal{keep, unfinished, hinted}, nil
}

// search runs ddmin, unless a single statement seemed to be enough.
func (t *trier) search(ctx context.Context, ids []string) (keep []string, unfinished bool, err error) {
	if t.lone != "" {
		return []string{t.lone}, false, nil
	}
	return t.ddmin(ctx, ids)
}
