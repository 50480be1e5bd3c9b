//go:build unix

package engine

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// BenchmarkRewind runs each test (each ODFIX_REWIND_STRIDE-th) of the module ODFIX_REWIND_MODULE of the project ODFIX_REWIND_DIR in a living process, has
// it put everything back, and compares the outcome (of each ODFIX_REWIND_EVERY-th of these) with that of the test alone in a fresh process; see docs/benchmarks/rewind.sh.
func BenchmarkRewind(b *testing.B) {
	p := rewindProject(b)
	ctx := b.Context()
	p.base.Insist()
	for b.Loop() {
		t := tally{b: b, p: p, why: map[string]int{}}
		t.every, _ = strconv.Atoi(os.Getenv("ODFIX_REWIND_EVERY"))
		stride, _ := strconv.Atoi(os.Getenv("ODFIX_REWIND_STRIDE"))
		for i, test := range p.original {
			if stride > 1 && i%stride != 0 {
				continue
			}
			if err := t.ask(ctx, test); err != nil {
				b.Fatal(err)
			}
		}
		t.tell()
	}
}

// rewindProject is the module that is named, built, with living processes.
func rewindProject(b *testing.B) *project {
	b.Helper()
	dir := os.Getenv("ODFIX_REWIND_DIR")
	if dir == "" {
		b.Skip("ODFIX_REWIND_DIR names no project: docs/benchmarks/rewind.sh does")
	}
	w := &worker{log: zap.NewNop(), tell: func(job.Event) {}, started: time.Now(), job: job.Job{
		Dir: dir, Module: os.Getenv("ODFIX_REWIND_MODULE"), Offline: os.Getenv("ODFIX_REWIND_OFFLINE") != "", Work: b.TempDir(),
	}}
	p, err := w.open(b.Context(), nil, &job.Report{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = p.Close() })
	spec, err := p.livingSpec(p.launch, "")
	if err != nil {
		b.Fatal(err)
	}
	p.base.Lives(spec, func(why string, ended bool) {
		if ended {
			b.Fatal("gave up: " + why)
		}
	})
	return p
}

// BenchmarkRewindCost asks the same questions (a test alone, of ODFIX_REWIND_DIR as above) at the prices rewound, the start of the living process among them, and warm: processor
// seconds of a question.
func BenchmarkRewindCost(b *testing.B) {
	p := rewindProject(b)
	const questions = 20
	for b.Loop() {
		began := children(b)
		for i := range questions {
			if _, _, err := p.base.RunLiving(b.Context(), suite.Order{p.original[i%len(p.original)]}); err != nil {
				b.Fatal(err)
			}
			if i == 0 {
				p.base.Forget()
				fmt.Printf("a living process that answers one question: %.2f s\n", children(b)-began)
				began = children(b)
			}
		}
		p.base.Forget()
		living := children(b) - began
		began = children(b)
		for i := range questions {
			if _, err := p.base.Run(b.Context(), suite.Order{p.original[i%len(p.original)]}, harness.Question{Price: suite.Warm}); err != nil {
				b.Fatal(err)
			}
		}
		fmt.Printf("one that answers %d: %.2f s; as many warm questions: %.2f s\n", questions-1, living, (children(b)-began)*(questions-1)/questions)
	}
}

// children are the processor seconds of processes that have ended.
func children(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// tally counts how the tests of a module fared.
type tally struct {
	b *testing.B
	p *project

	every, compared                                int
	tests, exact, refused, broke, objects, changed int
	// residual are the refused behind which something was found that had not been put back: the others are refused for what initialisers of classes may have noticed.
	residual int
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
		if slices.ContainsFunc(back.Problems, remains) {
			t.residual++
		}
		t.why[kind(back.Problems[0])]++
		fmt.Printf("# %s: %s\n", test, strings.Join(back.Problems, "; "))
	}
	if t.every > 1 && t.tests%t.every != 0 {
		return nil
	}
	t.compared++
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

// remains says whether a problem is a difference that was found behind an order, once all was put back, and no doubt about an initialiser.
func remains(problem string) bool { return !strings.Contains(problem, "initialis") }

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
	fmt.Printf("tests %d, exact %d (%.1f %%), refused %d (with a residual difference %d), broke %d, compared %d, differ undetected %d, differ in a new process %d, objects %d, put back %d, ms per question %.1f, of them to put back %.1f\n%s\n",
		t.tests, t.exact, 100*float64(t.exact)/float64(t.tests), t.refused, t.residual, t.broke, t.compared, len(t.differ), len(t.differNew), t.objects, t.changed,
		float64(t.run.Microseconds())/1000/float64(n), float64(t.back.Microseconds())/1000/float64(n), strings.Join(why, "\n"))
}
