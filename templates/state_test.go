package templates

import (
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/job"
)

func TestStateByItsDifferences(t *testing.T) {
	one := job.StateChange{Place: "a.b.C.d", Path: `a.b.C.d.all["x.y"]`, Before: "absent", After: "Job"}
	other := job.StateChange{Place: "a.b.C.d", Path: "a.b.C.d.n", Before: "0", After: "1"}
	for _, c := range []struct {
		name         string
		state        []string
		changes      []job.StateChange
		lines, short []string
		was          string
	}{
		{"not known", []string{"a.b.C.d"}, nil, []string{"a.b.C.d"}, []string{"C.d"}, ""},
		{"one", []string{"a.b.C.d"}, []job.StateChange{one}, []string{`a.b.C.d.all["x.y"]: absent → Job`}, []string{`C.d.all["x.y"]`}, "absent → Job"},
		{
			"several", []string{"a.b.C.d"}, []job.StateChange{one, other}, []string{`a.b.C.d.all["x.y"]: absent → Job`, "a.b.C.d.n: 0 → 1"},
			[]string{"C.d"}, "",
		},
		{
			"many", []string{"a.b.C.d"}, []job.StateChange{other, other, other, one, one},
			[]string{"a.b.C.d.n: 0 → 1", "a.b.C.d.n: 0 → 1", "a.b.C.d.n: 0 → 1, and 2 other changes below C.d"}, []string{"C.d"}, "",
		},
		{
			"two places", []string{"a.b.C.d", "system property a.b"}, []job.StateChange{one},
			[]string{`a.b.C.d.all["x.y"]: absent → Job`, "system property a.b"}, []string{`C.d.all["x.y"]`, "system property a.b"}, "",
		},
	} {
		r := job.TestReport{State: c.state, Changes: c.changes}
		paths, was := statePaths(r)
		if lines := stateLines(r); !slices.Equal(lines, c.lines) || !slices.Equal(paths, c.short) || was != c.was {
			t.Errorf("%s: %q, %q, %q", c.name, lines, paths, was)
		}
	}
}
