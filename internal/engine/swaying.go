package engine

import (
	"cmp"
	"context"
	"slices"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/java/workbench"
	"github.com/odfix/odfix/internal/suite"
)

// otherMethod is how much less a test is suspected for what another method of its class does.
const otherMethod = 10

// swaying names the tests whose code changes what belongs to the process, the likeliest first.
func (w *worker) swaying(p *project, b *bench) func(context.Context) suite.Order {
	return func(ctx context.Context) suite.Order {
		editor, err := b.wait(ctx)
		if err != nil {
			w.log.Info("no workbench to ask which tests change what belongs to the process", zap.Error(err))
			return nil
		}
		methods, err := editor.client.Swaying(ctx, editor.project)
		if err != nil {
			w.log.Warn("which tests change what belongs to the process", zap.Error(err))
			return nil
		}
		return suspected(p.original, methods)
	}
}

// suspected are the tests by what their own method does, and what others of their class do: setups, and methods that they call.
func suspected(all suite.Order, methods []workbench.Sway) suite.Order {
	own, class, tests := map[[2]string]int{}, map[string]int{}, map[[2]string]bool{}
	for _, t := range all {
		tests[[2]string{t.Class(), t.MethodName()}] = true
	}
	for _, m := range slices.Backward(methods) { // the nearest come first, and are to stay
		if key := [2]string{m.Type, m.Method}; tests[key] {
			own[key] = m.Deep
		} else {
			class[m.Type] = m.Deep + otherMethod
		}
	}
	price := func(t suite.TestID) (deep int, is bool) {
		if deep, is = own[[2]string{t.Class(), t.MethodName()}]; !is {
			deep, is = class[t.Class()]
		}
		return deep, is
	}
	out := slices.DeleteFunc(slices.Clone(all), func(t suite.TestID) bool { _, is := price(t); return !is })
	slices.SortStableFunc(out, func(a, b suite.TestID) int {
		x, _ := price(a)
		y, _ := price(b)
		return cmp.Compare(x, y)
	})
	return out
}
