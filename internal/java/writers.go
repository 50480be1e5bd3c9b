package java

import (
	"cmp"
	"context"
	"slices"

	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/java/workbench"
	"github.com/odfix/odfix/internal/suite"
)

// otherMethod lowers the rank of a test whose class has another method that changes state.
const otherMethod = 10

// ProcessWriters implements project.Editor.
func (e *editor) ProcessWriters(ctx context.Context) (suite.Order, error) {
	methods, err := e.client.ProcessStateWriters(ctx, e.project)
	if err != nil {
		return nil, err
	}
	return suspected(e.p.suite.Order(), methods), nil
}

// suspected returns the tests that may change state of the whole process. Such state is changed by
// their own method, or by another method of their class, such as a setup.
func suspected(all suite.Order, methods []workbench.ProcessStateWriter) suite.Order {
	own, class, tests := map[[2]string]int{}, map[string]int{}, map[[2]string]bool{}
	for _, t := range all {
		tests[[2]string{classOf(t), junitid.MethodName(t)}] = true
	}
	for _, m := range slices.Backward(methods) { // later values overwrite earlier ones, and the nearest calls come first
		if key := [2]string{m.Type, m.Method}; tests[key] {
			own[key] = m.Calls
		} else {
			class[m.Type] = m.Calls + otherMethod
		}
	}
	price := func(t suite.TestID) (deep int, is bool) {
		if deep, is = own[[2]string{classOf(t), junitid.MethodName(t)}]; !is {
			deep, is = class[classOf(t)]
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
