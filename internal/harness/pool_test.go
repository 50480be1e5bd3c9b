//go:build unix

package harness

import (
	"context"
	"errors"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

var warm = Question{Price: suite.Warm}

// idleAt returns a clock that sends on idle when a spare begins to wait. Closing expire ends the
// wait.
func idleAt() (c *fakeClock, idle chan struct{}, expire chan struct{}) {
	idle, expire = make(chan struct{}, 100), make(chan struct{})
	return newFakeClock(func(d time.Duration, _ int) <-chan struct{} {
		if d != idleFor {
			return nil
		}
		idle <- struct{}{}
		return expire
	}), idle, expire
}

func (s *spares) count() (idle, starting int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.idle), s.starting
}

func (s *spares) first() *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.idle[0].proc
}

func TestWarmQuestionsUseSpares(t *testing.T) {
	clock, idle, _ := idleAt()
	p := newTestPool(t, Config{Parallel: 1, clock: clock, Quick: fakeSpec("", "MARK=quick")})
	if run := mustRun(t, p, order("env"), warm); run.Price != suite.Warm || !strings.Contains(run.Output, "MARK=quick") {
		t.Errorf("run = %+v", run)
	}
	<-idle
	before := p.Stats().Starts
	proc, err := p.obtain(t.Context(), suite.Warm)
	if err != nil {
		t.Fatal(err)
	}
	if n := p.Stats().Starts; before != 2 || n != before {
		t.Errorf("%d processes before, %d after: the spare was to be used", before, n)
	}
	proc.kill()
	p.spares.release()
}

func TestQuestionWaitsForASpareThatStarts(t *testing.T) {
	p := newTestPool(t, Config{Parallel: 1})
	p.spares.want = 1
	p.spares.refill()
	if proc := p.spares.take(t.Context()); proc == nil {
		t.Error("the question started its own process")
	} else {
		proc.kill()
	}
	if proc := p.spares.take(t.Context()); proc != nil {
		t.Error("a spare from nowhere")
	}
	p.spares.release()
	p.spares.release()
}

func TestNoSparesBeforeTheFirstQuestion(t *testing.T) {
	p := newTestPool(t, Config{Parallel: 2})
	mustRun(t, p, order("pass"), fresh)
	none := newTestPool(t, Config{Parallel: 2, Spares: -1})
	mustRun(t, none, order("pass"), warm)
	for _, p := range []*Pool{p, none} {
		if idle, starting := p.spares.count(); idle+starting != 0 {
			t.Errorf("%d spares wait, %d start", idle, starting)
		}
	}
}

func TestUnusedSparesEnd(t *testing.T) {
	clock, idle, expire := idleAt()
	p := newTestPool(t, Config{Parallel: 1, clock: clock})
	mustRun(t, p, order("pass"), warm)
	<-idle
	gone := p.spares.first().gone
	close(expire)
	<-gone
	p.Close()
	if n := p.Stats().Unused; n != 1 {
		t.Errorf("%d unused", n)
	}
}

func TestDeadSpare(t *testing.T) {
	clock, idle, _ := idleAt()
	p := newTestPool(t, Config{Parallel: 1, clock: clock})
	mustRun(t, p, order("pass"), warm)
	<-idle
	proc := p.spares.first()
	syscall.Kill(proc.cmd.Process.Pid, syscall.SIGKILL)
	<-proc.gone
	if run := mustRun(t, p, order("pass"), warm); run.Crash != nil {
		t.Errorf("crash = %v", run.Crash)
	}
}

func TestSpareThatCannotStart(t *testing.T) {
	p := newTestPool(t, Config{Parallel: 1, Quick: fakeSpec("exit at start")})
	for range 3 {
		_, err := p.Run(t.Context(), order("pass"), warm)
		var s *StartError
		if !errors.As(err, &s) || !strings.Contains(err.Error(), "UseFooGC") {
			t.Fatalf("err = %v", err)
		}
	}
	p.Close()
	if !p.spares.failed {
		t.Error("spares are to be given up")
	}
	mustRun(t, newTestPool(t, Config{}), order("pass"), fresh)
}

func TestManyQuestionsAtOnce(t *testing.T) {
	p := newTestPool(t, Config{Parallel: 4})
	var all sync.WaitGroup
	for i := range 40 {
		price := []suite.Price{suite.Fresh, suite.Warm, suite.Batched}[i%3]
		all.Go(func() {
			run, err := p.Run(t.Context(), order("pass", "fail"), Question{Price: price, Alone: i%10 == 0})
			if err != nil || run.Crash != nil || run.Price != price || run.Last().Outcome != fail {
				t.Errorf("run = %+v, err = %v", run, err)
			}
		})
	}
	all.Wait()
	s := p.Stats()
	if s.Questions[suite.Fresh] != 14 || s.Questions[suite.Warm] != 13 || s.Questions[suite.Batched] != 13 ||
		s.Tests != 80 || s.Crashes != 0 {
		t.Errorf("stats = %+v", s)
	}
	if s.Starts < 40 || s.StartSeconds <= 0 || s.RunSeconds <= 0 || s.Processor <= 0 {
		t.Errorf("stats = %+v", s)
	}
}

func TestPoolsThatShare(t *testing.T) {
	p := newTestPool(t, Config{Parallel: 2})
	patched, err := p.With(fakeSpec("", "MARK=patched"), Spec{})
	if err != nil {
		t.Fatal(err)
	}
	if run := mustRun(t, patched, order("env"), fresh); !strings.Contains(run.Output, "MARK=patched") {
		t.Errorf("output = %q", run.Output)
	}
	mustRun(t, p, order("pass"), fresh)
	patched.Close()
	mustRun(t, p, order("pass"), fresh)
	if s := p.Stats(); s.Questions[suite.Fresh] != 3 {
		t.Errorf("stats = %+v", s)
	}
	if p.timing.limit("A#env", false) != testLimits.Floor {
		t.Error("the pools do not share the durations of tests")
	}
}

// Other work takes the capacity of a question, and a question that runs alone waits for it.
func TestWorkBesideQuestions(t *testing.T) {
	p := newTestPool(t, Config{Parallel: 2, Spares: -1})
	err := p.Beside(t.Context(), false, func(ctx context.Context) error {
		mustRun(t, p, order("pass"), fresh)
		p.gate.mu.Lock()
		defer p.gate.mu.Unlock()
		if p.gate.inside != 1 || p.gate.alone {
			t.Errorf("%d inside, alone %v", p.gate.inside, p.gate.alone)
		}
		return errors.New("its own error")
	})
	if err == nil || err.Error() != "its own error" {
		t.Errorf("%v", err)
	}
}

func TestClose(t *testing.T) {
	var p *Pool
	closed := make(chan struct{})
	p = newTestPool(t, Config{clock: newFakeClock(func(d time.Duration, _ int) <-chan struct{} {
		if d == testLimits.Floor { // the test has begun
			go func() { p.Close(); close(closed) }()
		}
		return nil
	})})
	p.Learn("A#hang", time.Millisecond)
	if _, err := p.Run(t.Context(), order("pass", "hang"), fresh); !errors.Is(err, ErrClosed) {
		t.Errorf("err = %v", err)
	}
	<-closed
	if _, err := p.Run(t.Context(), order("pass"), fresh); !errors.Is(err, ErrClosed) {
		t.Errorf("err = %v", err)
	}
	if _, _, err := p.Discover(context.Background(), nil, nil); !errors.Is(err, ErrClosed) {
		t.Errorf("err = %v", err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

func TestNoCommand(t *testing.T) {
	if _, err := NewPool(Config{}); err == nil || !strings.Contains(err.Error(), "no command") {
		t.Errorf("err = %v", err)
	}
	if _, err := NewPool(Config{Exact: fakeSpec(""), Limits: Limits{Cap: -1}}); err == nil {
		t.Error("a negative limit was taken")
	}
}
