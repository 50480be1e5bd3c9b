package restore

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/odfix/odfix/internal/engine/enginetest"
	"github.com/odfix/odfix/internal/engine/session"
	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// restoring is an observer whose processes end with the context.
type restoring struct {
	enginetest.StandIn
	stop context.CancelFunc
}

func (r restoring) RunRestored(ctx context.Context, _ suite.Order, _ []string, _ int) (*suite.Run, []project.Restored, error) {
	r.stop()
	return nil, nil, ctx.Err()
}

// TestConfirmationThatIsCutShort: state that helped the test with which it was found is kept, also state
// of the process. Nothing is concluded for other tests.
func TestConfirmationThatIsCutShort(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	base := enginetest.StandIn{Origins: func(string, suite.TestID) project.Origin { return project.Library }}
	x := New(session.New(job.Job{}, session.Options{}), &session.Module{Lab: &session.Lab{Base: base}})
	h := causeSearch{Search: x, at: restoring{base, stop}, cause: suite.Order{"p.P#p"}, answers: newAnswers()}
	found, other := &job.TestReport{Test: "v.V#found", Verdict: suite.Victim}, &job.TestReport{Test: "v.V#other", Verdict: suite.Victim}
	fields := []string{"system property a", "system property b"}
	if err := h.confirm(ctx, []*job.TestReport{found, other}, fields); err == nil {
		t.Error("it was not cut short")
	}
	if !slices.Equal(found.State, fields) || !slices.Equal(x.Ways(found.Test), fields) || found.StateMatters {
		t.Errorf("%v, ways %v, proved %v", found.State, x.Ways(found.Test), found.StateMatters)
	}
	if len(other.State) > 0 || x.Ways(other.Test) != nil {
		t.Errorf("of another test: %v, ways %v", other.State, x.Ways(other.Test))
	}
}

// observedLater sees a further field when the cause runs first. Its process that restores this field is cut
// short; restoring the others does not help.
type observedLater struct {
	restoring
	groups *suite.Groups
}

func (o observedLater) Observe(_ context.Context, order suite.Order, _ project.Look) (*project.Observation, error) {
	trace := state.NewTrace(order, o.groups)
	trace.Field("p.P.later", false)
	trace.Segment(state.Segment{Kind: 't', Written: []int{0}, Values: []state.Value{{Field: 0, Before: 1, After: 2}}})
	return &project.Observation{Trace: trace}, nil
}

func (o observedLater) RunRestored(ctx context.Context, order suite.Order, fields []string, at int) (*suite.Run, []project.Restored, error) {
	if slices.Contains(fields, "p.P.later") {
		return o.restoring.RunRestored(ctx, order, fields, at)
	}
	run := &suite.Run{Order: order, Results: []suite.Result{{Test: order[0], Outcome: suite.Pass}, {Test: order[1], Outcome: suite.Fail, Position: 1}}}
	return run, []project.Restored{{Field: fields[0], Changed: true}}, nil
}

// TestLikelyStateThatDoesNotHelp: state whose restoration was seen not to help is not named if the time
// ends before the search does, and no statements are searched for it.
func TestLikelyStateThatDoesNotHelp(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	base := enginetest.StandIn{Origins: func(string, suite.TestID) project.Origin { return project.Own }}
	groups := suite.NewGroups(&suite.Suite{Root: &suite.Node{}}, junitid.Syntax{})
	at := observedLater{restoring{base, stop}, groups}
	victim := &job.TestReport{Test: "v.V#victim", Verdict: suite.Victim, State: []string{"p.P.likely"}}
	x := New(session.New(job.Job{}, session.Options{}), &session.Module{Lab: &session.Lab{Base: at}, Groups: groups})
	x.known(victim.Test).ways = victim.State
	h := causeSearch{Search: x, at: at, cause: suite.Order{"p.P#p"}, answers: newAnswers()}
	if err := h.group(ctx, []*job.TestReport{victim}, victim.State, victim.State); err == nil {
		t.Error("it was not cut short")
	}
	if len(victim.State) > 0 || !slices.Equal(x.Ways(victim.Test), []string{"p.P.later"}) {
		t.Errorf("named %q, statements are searched for %q", victim.State, x.Ways(victim.Test))
	}
}

// firstOnly answers, without effect, where only likely fields are restored. Its process that
// restores others is cut short.
type firstOnly struct {
	restoring
	likely []string
}

func (f firstOnly) RunRestored(ctx context.Context, order suite.Order, fields []string, at int) (*suite.Run, []project.Restored, error) {
	if slices.ContainsFunc(fields, func(field string) bool { return !slices.Contains(f.likely, field) }) {
		return f.restoring.RunRestored(ctx, order, fields, at)
	}
	run := &suite.Run{Order: order, Results: []suite.Result{{Test: order[0], Outcome: suite.Pass}, {Test: order[1], Outcome: suite.Fail, Position: 1}}}
	return run, []project.Restored{{Field: fields[0], Changed: true}}, nil
}

// TestStateWithoutEffectIsNotNamed: of the likely state, only what was not tried is named if the
// time ends; if nothing is left of it, a note says so.
func TestStateWithoutEffectIsNotNamed(t *testing.T) {
	all := []string{"p.P.a", "p.P.b", "p.P.c", "p.P.d"}
	note := []string{"4 things differ after p.P#p; which of them matters was not found out in the time (--budget gives more)." +
		" Restoring 2 of them was not found to be enough."}
	own := func(field string, _ suite.TestID) project.Origin {
		if field == "p.P.a" {
			return project.OwnGroup
		}
		return project.Own
	}
	for _, c := range []struct {
		name          string
		named, likely []string // what was named before, and what was tried without effect
		setUps        bool
		state, ways   []string
		notes         []string
	}{
		{"nothing is left", all[:2], all[:2], true, nil, all[2:], note},
		{"one is left", all[:3], all[:2], true, all[2:3], all[2:3], nil},
		{"restoring may undo a setup", all[:2], all[:2], false, all[:2], all[:2], nil},
		{"nothing was tried", all[:2], nil, true, all[:2], all[:2], nil},
	} {
		ctx, stop := context.WithCancel(t.Context())
		at := firstOnly{restoring{enginetest.StandIn{Origins: own}, stop}, c.likely}
		victim := &job.TestReport{Test: "p.P#victim", Verdict: suite.Victim, State: c.named}
		groups := suite.NewGroups(&suite.Suite{Root: &suite.Node{}}, junitid.Syntax{})
		x := New(session.New(job.Job{}, session.Options{}),
			&session.Module{Lab: &session.Lab{Base: at}, Groups: groups, About: project.About{SetUps: c.setUps}})
		x.known(victim.Test).ways = c.named
		h := causeSearch{Search: x, at: at, cause: suite.Order{"p.P#p"}, answers: newAnswers()}
		if err := h.group(ctx, []*job.TestReport{victim}, all[:2], all); err == nil {
			t.Errorf("%s: it was not cut short", c.name)
		}
		if !slices.Equal(victim.State, c.state) || !slices.Equal(x.Ways(victim.Test), c.ways) || !slices.Equal(victim.Notes, c.notes) {
			t.Errorf("%s: named %q, statements are searched for %q, notes %q", c.name, victim.State, x.Ways(victim.Test), victim.Notes)
		}
	}
}

// narrowing is helped by the fields a and b. Its third process that restores something is cut short.
type narrowing struct {
	restoring
	asked *atomic.Int64
}

func (n narrowing) RunRestored(ctx context.Context, order suite.Order, fields []string, at int) (*suite.Run, []project.Restored, error) {
	if n.asked.Add(1) > 3 {
		return n.restoring.RunRestored(ctx, order, fields, at)
	}
	last := suite.Fail
	if slices.Contains(fields, "p.P.a") && slices.Contains(fields, "p.P.b") {
		last = suite.Pass
	}
	run := &suite.Run{Order: order, Results: []suite.Result{{Test: order[0], Outcome: suite.Pass}, {Test: order[1], Outcome: last, Position: 1}}}
	return run, []project.Restored{{Field: fields[0], Changed: true}}, nil
}

// TestNarrowingThatIsCutShort: of the fields that were likely, those remain with which restoring was last seen to help.
func TestNarrowingThatIsCutShort(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	base := enginetest.StandIn{Origins: func(string, suite.TestID) project.Origin { return project.Own }}
	at := narrowing{restoring{base, stop}, &atomic.Int64{}}
	likely := []string{"p.P.a", "p.P.b", "p.P.c", "p.P.d"}
	victim := &job.TestReport{Test: "v.V#victim", Verdict: suite.Victim, State: likely}
	x := New(session.New(job.Job{}, session.Options{}), &session.Module{Lab: &session.Lab{Base: at}, Groups: suite.NewGroups(&suite.Suite{Root: &suite.Node{}}, junitid.Syntax{})})
	x.known(victim.Test).ways = likely
	h := causeSearch{Search: x, at: at, cause: suite.Order{"p.P#p"}, answers: newAnswers()}
	if err := h.group(ctx, []*job.TestReport{victim}, likely, likely); err == nil {
		t.Error("it was not cut short")
	}
	if want := likely[:2]; !slices.Equal(victim.State, want) || !slices.Equal(x.Ways(victim.Test), want) || victim.StateMatters {
		t.Errorf("named %q, statements are searched for %q", victim.State, x.Ways(victim.Test))
	}
}

// TestPortInUse: a test that fails because a port is taken says so, itself or in the cause of its failure.
func TestPortInUse(t *testing.T) {
	for _, c := range []struct {
		f    *suite.Failure
		want string
	}{
		{&suite.Failure{Type: "java.net.BindException", Message: "Address already in use (Bind failed)"}, "Address already in use"},
		{&suite.Failure{Type: "java.io.IOException", Message: "Failed to bind to /0.0.0.0:8080"}, ""},
		{&suite.Failure{Message: "cannot start", Stack: "at a.B\nCaused by: java.net.BindException: Address already in use"}, "Address already in use"},
		{&suite.Failure{Type: "Error", Message: "listen EADDRINUSE :::3000"}, "EADDRINUSE"},
		{&suite.Failure{Message: "Web server failed to start. Port 8080 was already in use."}, "Port 8080 was already in use"},
		{&suite.Failure{Type: "java.net.ConnectException", Message: "Connection refused"}, ""},
		{nil, ""},
	} {
		if got := portInUse(c.f); got != c.want {
			t.Errorf("%+v: %q", c.f, got)
		}
	}
}

// TestStateThatIsNotKnown: where some state could not be restored, and the rest does not help,
// people read of it; where all could be, of nothing.
func TestStateThatIsNotKnown(t *testing.T) {
	answers := newAnswers()
	h := causeSearch{Search: New(nil, nil), at: unobserved{}, cause: suite.Order{"a.P#cause"}, answers: answers}
	answers.of([]project.Restored{
		{Field: "a.A.back", Changed: true},
		{Field: "lib.B.lost", Problem: "it is not as it was"},
		{Field: "lib.C.lost", Problem: "more hangs on it than can be looked at"},
	})
	if got := h.whyUnknown("a.V#victim", []string{"a.A.back"}); got != "" {
		t.Errorf("all could be put back: %s", got)
	}
	got := h.whyUnknown("a.V#victim", []string{"a.A.back", "lib.B.lost", "lib.C.lost"})
	for _, want := range []string{"a.V#victim depends on a.P#cause", "lib.B.lost could not be restored (it is not as it was), and 1 more.",
		"Mocks are not observed."} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in: %s", want, got)
		}
	}
	h.cause = append(h.cause, "a.Q#cause")
	want := "a.V#victim depends on a.P#cause and a.Q#cause. Restoring the state that these tests were seen to change"
	if got := h.whyUnknown("a.V#victim", []string{"lib.B.lost"}); !strings.Contains(got, want) {
		t.Errorf("of two: %s", got)
	}
	report := &job.TestReport{Test: "a.V#victim"}
	want = "the state that a.P#cause and a.Q#cause were seen to change does not help a.V#victim: it depends on them in another way"
	if got := h.elsewhere(report); !strings.Contains(got, want) {
		t.Errorf("of two: %s", got)
	}
	want = "a.P#cause and a.Q#cause were not seen to change any state: a.V#victim depends on them in another way, such as files"
	if got := h.nothingSeen(report); !strings.HasPrefix(got, want) {
		t.Errorf("nothing was seen: %s", got)
	}
	h.known("a.V#victim").left = []string{"target/a.csv", "target/b.csv"}
	if got := h.nothingSeen(report); !strings.Contains(got, "these tests leave in the project's folder: target/a.csv and 1 more") {
		t.Errorf("files: %s", got)
	}
}

// unobserved is an observer that says what it does not observe.
type unobserved struct{ project.Observer }

func (unobserved) Unobserved() string { return "Mocks are not observed." }

// TestOnlyElsewhere: whether all places were changed in classes of other class loaders only.
func TestOnlyElsewhere(t *testing.T) {
	h := newAnswers()
	for _, runs := range [][]project.Restored{
		{{Field: "here", Changed: true}, {Field: "other", OtherLoader: true}, {Field: "both", Changed: true, OtherLoader: true}},
		{{Field: "here"}, {Field: "other"}, {Field: "both"}, {Field: "neither"}},
	} {
		if problems := h.of(runs); len(problems) != 0 {
			t.Errorf("problems %q", problems)
		}
	}
	for _, c := range []struct {
		places []string
		want   bool
	}{{[]string{"other"}, true}, {[]string{"here"}, false}, {[]string{"both"}, false}, {[]string{"neither"}, false},
		{[]string{"other", "here"}, false}} {
		if got := h.onlyElsewhere(c.places); got != c.want {
			t.Errorf("%v: %v", c.places, got)
		}
	}
	h.of([]project.Restored{{Field: "lost", Problem: "it is final"}})
	if got := h.whyNotRestored([]string{"here", "lost"}); !strings.Contains(got, "Whether lost ") || !strings.Contains(got, "it is final") {
		t.Errorf("%q", got)
	}
	if got := h.whyNotRestored([]string{"here"}); got != "" {
		t.Errorf("%q", got)
	}
}
