package repair

// Statements of a tray that run together.

import (
	"context"
	"errors"
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/ddmin"
	"github.com/odfix/odfix/internal/patch"
)

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
