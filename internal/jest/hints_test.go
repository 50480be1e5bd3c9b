package jest

import (
	"testing"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// TestHintsShareAProcess counts processes: one answers all hints that come one after the other, and
// each fresh run starts another.
func TestHintsShareAProcess(t *testing.T) {
	dir, work := example(t, "jest-mock-calls")
	p, err := Language{}.Open(t.Context(), project.Options{Dir: dir, Work: work, Log: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	const file = "mailer.test.js#mailer › "
	order := suite.Order{file + "greets a new user", file + "reminds every user once"}
	const hints = 20
	before := p.Stats()
	for i := range hints {
		for _, price := range []suite.Price{suite.Warm, suite.Batched} {
			run, err := p.Run(t.Context(), order[i%2:], repair.Trial{Price: price})
			want := suite.Fail // after the polluter
			if i%2 == 1 {
				want = suite.Pass
			}
			if err != nil || run.Last().Outcome != want || run.Price != suite.Batched {
				t.Fatalf("%+v, %v", run, err)
			}
		}
	}
	started := p.Stats().Starts - before.Starts
	if started != 1 {
		t.Errorf("%d processes answered %d hints", started, 2*hints)
	}
	for range 2 {
		if run, err := p.Run(t.Context(), order, repair.Trial{Price: suite.Fresh}); err != nil || run.Price != suite.Fresh {
			t.Fatalf("%+v, %v", run, err)
		}
	}
	if n := p.Stats().Starts - before.Starts - started; n != 2 {
		t.Errorf("%d processes for two fresh runs", n)
	}
}
