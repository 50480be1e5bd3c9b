package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// BenchmarkRewind runs each test of the module ODFIX_REWIND_MODULE of the project ODFIX_REWIND_DIR in a living process, has
// it put everything back, and compares the outcome with that of the test alone in a fresh process; see docs/benchmarks/rewind.sh.
func BenchmarkRewind(b *testing.B) {
	dir := os.Getenv("ODFIX_REWIND_DIR")
	if dir == "" {
		b.Skip("ODFIX_REWIND_DIR names no project: docs/benchmarks/rewind.sh does")
	}
	ctx := b.Context()
	w := &worker{log: zap.NewNop(), tell: func(job.Event) {}, started: time.Now(), job: job.Job{
		Dir: dir, Module: os.Getenv("ODFIX_REWIND_MODULE"), Offline: os.Getenv("ODFIX_REWIND_OFFLINE") != "", Work: b.TempDir(),
	}}
	p, err := w.open(ctx, nil, &job.Report{})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	spec, err := p.livingSpec(p.launch, "")
	if err != nil {
		b.Fatal(err)
	}
	p.base.Lives(spec, func(why string) { b.Log("gave up: " + why) })
	p.base.Insist()
	for b.Loop() {
		t := tally{b: b, p: p, why: map[string]int{}}
		for _, test := range p.original {
			if err := t.ask(ctx, test); err != nil {
				b.Fatal(err)
			}
		}
		t.tell()
	}
}

// tally counts how the tests of a module fared.
type tally struct {
	b *testing.B
	p *project

	tests, exact, refused, broke, objects, changed int
	// Outcomes that differ from those in fresh processes: in one where nothing was put back yet, in one that was exactly
	// what it had been.
	differNew, differ []suite.TestID
	back, run         time.Duration
	why               map[string]int
}

func (t *tally) ask(ctx context.Context, test suite.TestID) error {
	began := time.Now()
	living, back, err := t.p.base.RunLiving(ctx, suite.Order{test})
	if err != nil {
		return err
	}
	t.tests++
	if living == nil {
		t.broke++
		return nil
	}
	if back.Asked > 0 {
		t.run += time.Since(began)
		t.back += back.Took
	}
	t.objects, t.changed = max(t.objects, back.Objects), t.changed+back.Changed
	if back.Exact() {
		t.exact++
	} else {
		t.refused++
		t.why[kind(back.Problems[0])]++
		fmt.Printf("# %s: %s\n", test, strings.Join(back.Problems, "; "))
	}
	fresh, err := t.p.base.Run(ctx, suite.Order{test}, harness.Question{Price: suite.Fresh})
	if err != nil {
		return err
	}
	if f, l := fresh.Last().Outcome, living.Last().Outcome; f != l {
		fmt.Printf("# %s: %s in a living process (%d before it), %s in a fresh one: %+v\n", test, l, back.Asked, f, living.Last().Failure)
		if back.Asked == 0 {
			t.differNew = append(t.differNew, test)
		} else {
			t.differ = append(t.differ, test)
		}
	}
	return nil
}

// kind is what problems of one sort have in common.
func kind(problem string) string {
	words := strings.Fields(problem)
	return strings.Join(words[:min(2, len(words))], " ")
}

func (t *tally) tell() {
	var why []string
	for k, n := range t.why {
		why = append(why, fmt.Sprintf("%s: %d", k, n))
	}
	slices.Sort(why)
	n := max(t.tests-t.refused-t.broke, 1)
	fmt.Printf("tests %d, exact %d (%.1f %%), refused %d, broke %d, differ undetected %d, differ in a new process %d, objects %d, put back %d, ms per question %.1f, of them to put back %.1f\n%s\n",
		t.tests, t.exact, 100*float64(t.exact)/float64(t.tests), t.refused, t.broke, len(t.differ), len(t.differNew), t.objects, t.changed,
		float64(t.run.Microseconds())/1000/float64(n), float64(t.back.Microseconds())/1000/float64(n), strings.Join(why, "\n"))
}
