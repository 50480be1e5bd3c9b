package repair

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/conc/pool"
	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/budget"
	"github.com/odfix/odfix/internal/ddmin"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// tray is a build of several statements in one spot, each with a switch. If several are on, one that
// throws does not keep the others from running.
type tray struct {
	p       *Patcher
	search  *resets
	failing suite.Order // the order that passes if a statement that is switched on helps
	at      spot
	built   *Built
	made    []patch.Made
	hinted  bool
	ready   bool  // it is compiled
	likely  []int // indices of statements that helped in a process that tried one after the other

	mu     sync.Mutex
	tried  map[int]bool    // indices of statements that ran in a process of their own
	groups map[string]bool // whether the order passed with a group of statements, by its switches
}

// upTo returns the indices of the first n statements.
func (t *tray) upTo(n int) []int {
	out := make([]int, min(n, len(t.made)))
	for i := range out {
		out[i] = i
	}
	return out
}

// tray compiles the batch in a spot, without statements that do not compile there. It returns nil
// if none compiles, and the same tray if the search is resumed.
func (p *Patcher) tray(ctx context.Context, cause Cause, batch []patch.Made, at spot) (*tray, error) {
	search := p.resume(cause)
	trays := search.trays
	key := fmt.Sprintf("%s %s %q", at.location, at.at, texts(batch))
	if t, is := trays[key]; is {
		return t, nil
	}
	built, fit, err := p.fitting(ctx, batch, at)
	if err != nil {
		return nil, err
	}
	if built == nil {
		trays[key] = nil
		return nil, nil
	}
	t := &tray{p: p, search: search, failing: cause.Cases[0].Failing[0], at: at, built: built, made: fit, tried: map[int]bool{}, groups: map[string]bool{}}
	trays[key] = t
	p.log().Info("statements that may restore the state", zap.String("place", string(at.location)), zap.Int("fit", len(fit)),
		zap.Int("of", len(batch)), zap.Strings("statements", texts(fit)))
	return t, nil
}

// hint tries all statements in one process, one after the other, unless the first ones are all.
func (t *tray) hint(ctx context.Context, search *resets) {
	if t.hinted || len(t.made) <= resetFirst || search.slow {
		return
	}
	t.hinted = true
	hinting, cancel := context.WithTimeout(ctx, min(resetHints, budget.Share(ctx, 2)))
	defer cancel()
	t.likely = t.p.hints(hinting, t.failing, t.built.Overlay, len(t.made), resetWorks)
	search.slow = hinting.Err() != nil && ctx.Err() == nil
	t.p.log().Info("statements that may restore the state, in one process", zap.Ints("likely", t.likely))
}

// texts returns the statements of the proposals.
func texts(made []patch.Made) []string {
	var out []string
	for _, m := range made {
		out = append(out, strings.Join(m.Statements, " "))
	}
	return out
}

// compile runs the order once without any statement if the first run compiles the edit. The time
// for trying statements does not count meanwhile: a run that it cuts off shows nothing of the
// statement. Where that was quick once, later edits are not compiled apart.
func (t *tray) compile(ctx context.Context) error {
	if t.ready || !t.p.CompilesLate || t.search.quick {
		return nil
	}
	defer budget.Pause(ctx)()
	compiling, cancel := context.WithTimeout(ctx, budget.Share(ctx, compileShare))
	defer cancel()
	began := time.Now()
	_, err := t.p.Runner.Run(compiling, t.failing, Trial{Price: suite.Warm, Overlay: t.built.Overlay, Switches: only(len(t.made))})
	if compiling.Err() != nil && ctx.Err() == nil {
		return ErrResetTime
	}
	t.ready = err == nil
	t.search.quick = t.ready && time.Since(began) < resetLate
	return err
}

// likeliest tries the first few statements.
func (t *tray) likeliest(ctx context.Context) ([]patch.Made, error) {
	if err := t.compile(ctx); err != nil {
		return nil, err
	}
	return t.helping(ctx, t.upTo(resetFirst))
}

// first tries the likeliest statements, and then those that helped in a process that tried them all.
func (t *tray) first(ctx context.Context, search *resets) ([]patch.Made, error) {
	if ok, err := t.likeliest(ctx); len(ok) > 0 || err != nil {
		return ok, err
	}
	t.hint(ctx, search)
	return t.helping(ctx, t.likely)
}

// inGroups tries groups of statements, each group together. Of a group with which the order passes,
// it returns the statements that help alone. If there are none in any group, it returns the least
// set that helps together: a polluter may change more than one field.
func (t *tray) inGroups(ctx context.Context) ([]patch.Made, error) {
	groups := t.split()
	if err := each(ctx, t.p.Runner.Parallel(), groups, t.runGroup); err != nil {
		return nil, err
	}
	groups = slices.DeleteFunc(groups, func(g []int) bool { return !t.groups[only(len(t.made), g...)] })
	for _, try := range []func(context.Context, []int) ([]patch.Made, error){t.helping, t.least} {
		for _, g := range groups {
			if ok, err := try(ctx, g); len(ok) > 0 || err != nil {
				return ok, err
			}
		}
	}
	return nil, nil
}

// split returns groups of statements: the likeliest for each of several states, the likeliest call of
// each of several methods, and all statements in their order. Calls of one method may undo each other.
func (t *tray) split() [][]int {
	var out [][]int
	if states := t.states(); len(states) > 1 && len(t.made) > resetGroup { // fewer are all in one group
		out = append(out, states)
	}
	if methods := t.different(resetGroup, called); len(methods) < len(t.made) {
		for n := 2; n <= len(methods); n = max(n+1, 2*n-2) { // 2, 3, 4, 6: less likely ones may do harm
			out = append(out, methods[:n])
		}
	}
	for g := range slices.Chunk(t.upTo(len(t.made)), resetGroup) {
		if len(g) > 1 {
			out = append(out, g)
		}
	}
	return out
}

// states returns the likeliest statement for each of several states.
func (t *tray) states() []int {
	return t.different(resetStates, func(m patch.Made) string { return m.Resets })
}

// twice tries the likeliest statements for several states together, all of them two times in a row.
// A group runs in the order of the list, and one statement may need another one before it: a
// method that builds an object from a system property restores nothing before the property is
// restored. Of all of them twice, each runs after each other one. twice returns the least set that
// helps, in the order that helps, or the statements that help alone.
func (p *Patcher) twice(ctx context.Context, cause Cause, t *tray) ([]patch.Made, error) {
	states := t.states()
	if len(states) < 2 {
		return nil, nil
	}
	var batch []patch.Made
	for range 2 {
		for _, i := range states {
			batch = append(batch, t.made[i])
		}
	}
	again, err := p.tray(ctx, cause, batch, t.at)
	if _, unfit := errors.AsType[*UnfitError](err); unfit {
		return nil, nil
	}
	if again == nil || err != nil {
		return nil, err
	}
	if err := again.compile(ctx); err != nil {
		return nil, err
	}
	all := again.upTo(len(again.made))
	if err := again.runGroup(ctx, all); err != nil || !again.groups[only(len(all), all...)] {
		return nil, err
	}
	if ok, err := t.helping(ctx, states); len(ok) > 0 || err != nil {
		return ok, err
	}
	return again.least(ctx, all)
}

// different returns the likeliest statement for each value of the property, and at most n.
func (t *tray) different(n int, property func(patch.Made) string) []int {
	var out []int
	seen := map[string]bool{}
	for i, m := range t.made {
		if len(out) < n && !seen[property(m)] {
			seen[property(m)] = true
			out = append(out, i)
		}
	}
	return out
}

// called returns what the last statement calls or assigns, without arguments or the value.
func called(m patch.Made) string {
	text := strings.TrimSuffix(m.Statements[len(m.Statements)-1], ";")
	depth, open, quote := 0, len(text), rune(0)
	escaped := false
	for i, c := range text {
		switch {
		case quote != 0:
			if c == quote && !escaped {
				quote = 0
			}
			escaped = c == '\\' && !escaped
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '(':
			if depth++; depth == 1 {
				open = i // of the last call at the end
			}
		case c == ')':
			depth--
		case c == '=' && depth == 0 && strings.HasPrefix(text[i:], "= "):
			return strings.TrimSpace(text[:i])
		}
	}
	return text[:open]
}

// runGroup runs the order with all statements of the group, once.
func (t *tray) runGroup(ctx context.Context, group []int) error {
	key := only(len(t.made), group...)
	t.mu.Lock()
	_, ran := t.groups[key]
	t.mu.Unlock()
	if ran {
		return nil
	}
	passed, err := t.passes(ctx, group)
	if err != nil {
		return err
	}
	t.p.log().Info("tried a group of statements", zap.Ints("which", group), zap.Bool("help", passed))
	t.mu.Lock()
	defer t.mu.Unlock()
	t.groups[key] = passed
	return nil
}

// passes runs the order in a new process, with these statements switched on. A statement after a
// polluter must not make it fail, as one does that throws.
func (t *tray) passes(ctx context.Context, which []int) (bool, error) {
	run, err := t.p.Runner.Run(ctx, t.failing, Trial{Price: suite.Warm, Overlay: t.built.Overlay, Switches: only(len(t.made), which...)})
	if err != nil {
		return false, err
	}
	if run.Last().Outcome != suite.Pass {
		return false, nil
	}
	at := lastIndex(t.failing, t.at.at)
	if at < 0 || run.At(at).Outcome == suite.Pass {
		return true, nil
	}
	without, err := t.without(ctx) // the polluter may fail by itself
	return err == nil && without.At(at).Outcome == run.At(at).Outcome, err
}

// without returns the run of the order without any statement.
func (t *tray) without(ctx context.Context) (run *suite.Run, err error) {
	t.search.running.Lock()
	defer t.search.running.Unlock()
	if t.search.unpatched == nil {
		t.search.unpatched, err = t.p.Runner.Run(ctx, t.failing, Trial{Price: suite.Warm})
	}
	return t.search.unpatched, err
}

// least returns a minimal set of several of the group's statements with which the order passes, and
// returns it once.
func (t *tray) least(ctx context.Context, group []int) ([]patch.Made, error) {
	t.mu.Lock()
	t.groups[only(len(t.made), group...)] = false
	t.mu.Unlock()
	works := func(ctx context.Context, of []int) (ddmin.Answer, error) {
		passed, err := t.passes(ctx, of)
		if err != nil || !passed {
			return ddmin.No, err
		}
		return ddmin.Yes, nil
	}
	res, err := ddmin.Minimize(ctx, group, works, ddmin.Options[int]{Parallel: t.p.Runner.Parallel(), EmptyNo: true})
	switch {
	case errors.Is(err, ddmin.ErrNotYes):
		return nil, nil
	case err == nil && !res.Done:
		err = res.Stopped
	}
	if err != nil || len(res.Items) < 2 { // each has run alone
		return nil, err
	}
	var of []patch.Made
	for _, i := range res.Items {
		of = append(of, t.made[i])
	}
	return []patch.Made{together(of)}, nil
}

// helping runs the order once for each of these statements that was not tried yet, in its own
// process. It returns the first few with which the order passes. Once one is found, it does not
// wait for a statement that takes several times as long, such as one that waits for something for
// ever.
func (t *tray) helping(ctx context.Context, which []int) ([]patch.Made, error) {
	which = slices.DeleteFunc(slices.Clone(which), func(i int) bool { return t.tried[i] })
	if len(which) == 0 {
		return nil, nil
	}
	var helps []int
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	var late *time.Timer
	workers := pool.New().WithContext(waiting).WithMaxGoroutines(max(1, t.p.Runner.Parallel())).WithCancelOnError()
	for _, i := range which {
		workers.Go(func(trying context.Context) error {
			t.mu.Lock()
			enough := len(helps) >= resetWorks
			t.mu.Unlock()
			if enough || waiting.Err() != nil {
				return nil
			}
			began := time.Now()
			passed, err := t.passes(trying, []int{i})
			if err != nil && waiting.Err() != nil && ctx.Err() == nil {
				return nil // it took too long; it may be tried again
			}
			if err != nil {
				return err
			}
			t.mu.Lock()
			defer t.mu.Unlock()
			t.tried[i] = true
			if passed {
				helps = append(helps, i)
				if late == nil {
					late = time.AfterFunc(max(resetLate, resetLateTimes*time.Since(began)), stop)
				}
			}
			return nil
		})
	}
	err := workers.Wait()
	if late != nil {
		late.Stop()
	}
	slices.Sort(helps)
	var out []patch.Made
	for _, i := range helps {
		out = append(out, t.made[i])
	}
	t.p.log().Info("tried statements that may restore the state", zap.Ints("which", which), zap.Strings("help", texts(out)))
	return out, err
}

// fitting builds the statements of the batch that compile in a spot, and returns them. It returns
// nil if none compiles. The error is an *UnfitError if this took too long to find out, or if no
// statement can stand in the spot.
func (p *Patcher) fitting(ctx context.Context, batch []patch.Made, at spot) (*Built, []patch.Made, error) {
	for range resetFits {
		if len(batch) == 0 {
			break
		}
		all := together(batch)
		built, err := p.Editor.Build(ctx, Edit{Made: &all, Keep: all.IDs(), Switched: true, Location: at.location,
			At: at.at, Style: patch.Inline})
		var unfit *UnfitError
		switch {
		case err == nil:
			return built, batch, nil
		case !errors.As(err, &unfit) || unfit.Unknown:
			return nil, nil, err
		case len(unfit.Culprits) == 0:
			p.log().Info("statements do not fit", zap.String("place", string(at.location)), zap.Error(err))
			return nil, nil, err
		}
		var fit []patch.Made
		for i, m := range batch {
			if !slices.Contains(unfit.Culprits, fmt.Sprintf("0.%d", i)) {
				fit = append(fit, m)
			}
		}
		if len(fit) == len(batch) {
			return nil, nil, nil
		}
		batch = fit
	}
	return nil, nil, nil
}
