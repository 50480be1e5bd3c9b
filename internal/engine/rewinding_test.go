package engine

import (
	"fmt"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

func answered(p suite.Price, outcomes ...suite.Outcome) *suite.Run {
	run := &suite.Run{Price: p}
	for i, o := range outcomes {
		run.Results = append(run.Results, suite.Result{Outcome: o, Position: i})
	}
	return run
}

// TestFirstQuestionsAreNotRewound is about when a living process is worth its start.
func TestFirstQuestionsAreNotRewound(t *testing.T) {
	r := &rewinding{log: zap.NewNop()}
	warm := repair.Trial{Price: suite.Warm, Overlay: "a"}
	for i := range headstart {
		if got := r.price(warm); got != suite.Warm {
			t.Errorf("question %d at the price %s", i, got)
		}
	}
	for _, c := range []struct {
		t    repair.Trial
		want suite.Price
	}{
		{warm, suite.Rewound},
		{repair.Trial{Price: suite.Fresh, Overlay: "a"}, suite.Fresh},
		{repair.Trial{Price: suite.Batched, Overlay: "a"}, suite.Batched},
		{repair.Trial{Price: suite.Warm, Overlay: "a", Alone: true}, suite.Warm},
		{repair.Trial{Price: suite.Warm, Overlay: "b"}, suite.Warm},
	} {
		if got := r.price(c.t); got != c.want {
			t.Errorf("%+v at the price %s, not %s", c.t, got, c.want)
		}
	}
	if got := (*rewinding)(nil).price(warm); got != suite.Warm {
		t.Errorf("switched off, it is asked at the price %s", got)
	}
}

// TestDisagreementEndsRewinding is about answers of living processes that fresh ones do not bear out.
func TestDisagreementEndsRewinding(t *testing.T) {
	r := &rewinding{log: zap.NewNop(), cheap: map[string]int{"": headstart}}
	o, plain := suite.Order{"A#p", "B#v"}, repair.Trial{Price: suite.Warm}
	fresh := repair.Trial{Price: suite.Fresh}
	r.heard(o, plain, answered(suite.Rewound, suite.Pass, suite.Fail))
	r.heard(o, fresh, answered(suite.Fresh, suite.Pass, suite.Fail))
	r.heard(suite.Order{"B#v"}, fresh, answered(suite.Fresh, suite.Pass))
	r.heard(o, repair.Trial{Price: suite.Fresh, Overlay: "patched"}, answered(suite.Fresh, suite.Pass, suite.Pass)) // another question
	broken := answered(suite.Fresh, suite.Pass, suite.Unresolved)
	broken.Crash = &suite.Crash{Kind: "hang"}
	r.heard(o, fresh, broken)
	if got := r.price(plain); got != suite.Rewound || r.agree != 1 || len(r.tell()) > 0 {
		t.Errorf("price %s, %d borne out, %q", got, r.agree, r.tell())
	}
	r.heard(o, fresh, answered(suite.Fresh, suite.Pass, suite.Pass))
	if got := r.price(plain); got != suite.Warm {
		t.Errorf("after a disagreement, it is asked at the price %s", got)
	}
	if notes := r.tell(); len(notes) != 1 || !strings.Contains(notes[0], "B#v") || !strings.Contains(notes[0], `"fail"`) {
		t.Errorf("it is told: %q", notes)
	}
}

// pooled hears that its living processes are to end.
type pooled struct{ ended []string }

func (p *pooled) EndLiving(why string) { p.ended = append(p.ended, why) }

// TestDisagreementEndsLivingProcesses of every overlay that is not forgotten.
func TestDisagreementEndsLivingProcesses(t *testing.T) {
	base, closed := &pooled{}, &pooled{}
	r := &rewinding{log: zap.NewNop(), pools: map[string]endsLiving{"": base, "old": closed}}
	o, old := suite.Order{"B#v"}, repair.Trial{Price: suite.Fresh, Overlay: "old"}
	r.heard(o, old, answered(suite.Rewound, suite.Fail))
	r.price(repair.Trial{Price: suite.Warm, Overlay: "old"})
	r.forget("old")
	r.heard(o, old, answered(suite.Fresh, suite.Pass))
	if len(r.said)+len(r.cheap) > 0 || len(r.notes) > 0 {
		t.Errorf("kept of an overlay that is gone: %v %v %q", r.said, r.cheap, r.notes)
	}
	r.heard(o, repair.Trial{Price: suite.Warm}, answered(suite.Rewound, suite.Fail))
	r.heard(o, repair.Trial{Price: suite.Fresh}, answered(suite.Fresh, suite.Pass))
	if len(base.ended) != 1 || len(closed.ended) > 0 || len(r.notes) != 1 {
		t.Errorf("ended: %q and %q; noted: %q", base.ended, closed.ended, r.notes)
	}
}

func TestRewoundAnswersAreBounded(t *testing.T) {
	r := &rewinding{log: zap.NewNop()}
	for i := range mostSaid + 10 {
		r.heard(suite.Order{suite.TestID(fmt.Sprint("A#", i))}, repair.Trial{Price: suite.Warm}, answered(suite.Rewound, suite.Pass))
	}
	if n := len(r.said[""]); n != mostSaid {
		t.Errorf("%d answers are kept", n)
	}
}
