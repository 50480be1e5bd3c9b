package repair

import (
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// spots returns all tests at which the edit adds statements.
func (e Edit) spots() []suite.TestID {
	return append([]suite.TestID{e.At}, e.Also...)
}

// sameSource reports whether two edits take their statements from the same helper, or have the same
// statements that no helper contains.
func (e Edit) sameSource(o Edit) bool {
	if e.Made == nil || o.Made == nil {
		return e.Made == o.Made && slices.Equal(e.Helper, o.Helper)
	}
	return slices.Equal(e.Made.Statements, o.Made.Statements) && slices.Equal(e.Made.Await, o.Made.Await)
}

// withoutStatement returns the edit without its i-th statement, and without the tests that it had alone.
func (e Edit) withoutStatement(i int) Edit {
	e.Keep = slices.Delete(slices.Clone(e.Keep), i, i+1)
	if left := suite.Filter(e.spots(), func(t suite.TestID) bool { return len(e.KeepAt(t)) > 0 }); len(e.Except) > 0 && len(left) > 0 {
		e.At, e.Also = left[0], left[1:]
	}
	return e
}

// withoutSpot returns the edit without one of its spots.
func (e Edit) withoutSpot(i int) Edit {
	rest := slices.Delete(e.spots(), i, i+1)
	e.At, e.Also = rest[0], rest[1:]
	return e
}
