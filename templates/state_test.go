package templates

import (
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

func TestStateByItsDifferences(t *testing.T) {
	one := job.StateChange{Field: "a.b.C.d", Path: `a.b.C.d.all["x.y"]`, Before: "absent", After: "Job"}
	other := job.StateChange{Field: "a.b.C.d", Path: "a.b.C.d.n", Before: "0", After: "1"}
	for _, c := range []struct {
		name         string
		state        []string
		changes      []job.StateChange
		lines, short []string
		was          string
	}{
		{"not known", []string{"a.b.C.d"}, nil, []string{"a.b.C.d"}, []string{"C.d"}, ""},
		{"one", []string{"a.b.C.d"}, []job.StateChange{one}, []string{`a.b.C.d.all["x.y"]: absent → Job`},
			[]string{`C.d.all["x.y"]`}, "absent → Job"},
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
		{
			"two places with many", []string{"a.b.C.d", "system property a.b"}, []job.StateChange{other, one, {Field: "system property a.b", Path: "system property a.b", Before: "absent", After: "x"}},
			[]string{"a.b.C.d.n: 0 → 1, and 1 other change below C.d", "system property a.b: absent → x"}, []string{"C.d", "system property a.b"}, "",
		},
	} {
		r := job.TestReport{State: c.state, Changes: c.changes}
		paths, was := java.statePaths(r)
		if lines := java.stateLines(r); !slices.Equal(lines, c.lines) || !slices.Equal(paths, c.short) || was != c.was {
			t.Errorf("%s: %q, %q, %q", c.name, lines, paths, was)
		}
	}
}

// TestStateSaysWhatIsProvedOfIt: what was only seen is not told like what was shown.
func TestStateSaysWhatIsProvedOfIt(t *testing.T) {
	for _, c := range []struct {
		verdict suite.Verdict
		matters bool
		want    string
	}{
		{suite.Victim, true, "a.b.C.e (with only that restored, it passes)"},
		{suite.Brittle, true, "a.b.C.e (with only that undone, it fails again)"},
		{suite.Victim, false, "a.b.C.e (left changed, and read by the test; that it is what matters was not proved)"},
		{suite.Brittle, false, "a.b.C.e (set by its state-setter, and read by the test; that it is what matters was not proved)"},
	} {
		r := job.TestReport{Verdict: c.verdict, State: []string{"a.b.C.d", "a.b.C.e"}, StateMatters: c.matters}
		got := groups(r, &java)
		if len(got) != 1 || !slices.Equal(got[0].Items, []string{"a.b.C.d", c.want}) || r.State[1] != "a.b.C.e" {
			t.Errorf("%s, %t: %+v", c.verdict, c.matters, got)
		}
	}
}
