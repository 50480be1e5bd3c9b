package harness

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

func nanos(n int64) time.Duration { return time.Duration(n) }

// orderRun runs one order in one process, under the watchdog.
type orderRun struct {
	p      *process
	a      *answer
	clock  clock
	limits Limits
	// lingers is set after a process of this project did not end by itself.
	lingers  *atomic.Bool
	keeps    bool          // the process runs more orders afterwards
	forget   bool          // files were written since its last order
	moreTime bool          // see Question
	within   time.Duration // after which the order is stopped; 0: never
}

// lingerLimit is how long a process may take to end if an earlier one did not end. Otherwise every
// question would wait for the whole limit.
const lingerLimit = time.Second

// quitLimit is how long the process may take to end.
func (s orderRun) quitLimit() time.Duration {
	if s.lingers.Load() {
		return min(lingerLimit, s.limits.Quit)
	}
	return s.limits.Quit
}

// ask runs the order in p and ends the process, unless it runs more orders. The Run is nil only if
// there is an error: ctx's, or a *RefusedError.
func (s orderRun) ask(ctx context.Context, q Question) (*suite.Run, error) {
	frame, err := orderFrame(s.a.id, q, s.a.run.Order)
	if err != nil {
		s.p.kill()
		return nil, err
	}
	if s.forget {
		before, _ := newMessage(cmdForget).frame()
		frame = append(before, frame...)
	}
	s.p.send(frame)
	if err := s.listen(ctx); err != nil {
		return nil, err
	}
	s.a.learn()
	s.a.run.Output = s.output()
	return s.a.run, nil
}

// output returns the end of the output. It is short if nothing crashed, because a search keeps
// thousands of runs.
func (s orderRun) output() string {
	if s.a.run.Crash == nil {
		return s.p.printed(maxMessage)
	}
	return s.p.printed(maxOutput)
}

func orderFrame(id int64, q Question, order suite.Order) ([]byte, error) {
	ids := make([]string, len(order))
	for i, t := range order {
		ids[i] = string(t)
	}
	m := newMessage(cmdRun).i64(id).str(q.Switches).strs(ids)
	if q.restore != nil {
		m = m.strs(q.restore.Fields).i64(int64(q.restore.Before))
	}
	return m.frame()
}

// listen handles events until the order is complete or the process cannot continue.
func (s orderRun) listen(ctx context.Context) error {
	budget, stop := s.clock.after(s.limits.Run)
	defer stop()
	var enough <-chan time.Time
	if s.within > 0 {
		timer, stop := s.clock.after(s.within)
		defer stop()
		enough = timer
	}
	for {
		limit := s.limit()
		timer, stop := s.clock.after(limit)
		select {
		case <-ctx.Done():
			stop()
			s.p.kill()
			return ctx.Err()
		case <-timer:
			s.hung(s.overdue(limit))
			s.markPremature(limit)
			return nil
		case <-budget:
			stop()
			s.hung(fmt.Sprintf("the whole order was not done within %v", s.limits.Run))
			return nil
		case <-enough:
			stop()
			s.p.kill()
			s.a.crash("killed", fmt.Sprintf("it was stopped after %v", s.within.Round(time.Second)), "")
			return nil
		case e, ok := <-s.p.events:
			stop()
			if done, err := s.handle(e, ok); done || err != nil {
				return err
			}
		}
	}
}

// limit returns how long the process may be silent from now on.
func (s orderRun) limit() time.Duration {
	if s.a.began {
		return s.a.timing.limit(s.a.during(), s.moreTime || s.a.next == 0)
	}
	return s.a.timing.between()
}

// markPremature marks a hang if the order should run again. It records a hang with more time.
func (s orderRun) markPremature(limit time.Duration) {
	test := s.a.during()
	s.a.run.Crash.Premature = !s.moreTime && s.a.timing.premature(test, limit)
	if s.moreTime {
		s.a.timing.hung(test)
	}
}

func (s orderRun) overdue(limit time.Duration) string {
	switch {
	case s.a.exit != nil:
		return fmt.Sprintf("%s, and the process had not ended %v later", clip(s.a.exit.how, maxMessage), limit)
	case s.a.began:
		return fmt.Sprintf("the test ran for more than %v", limit)
	}
	return fmt.Sprintf("no test began or ended for %v", limit)
}

// handle processes one event, or the end of them. If it returns done without an error, the order
// has ended.
func (s orderRun) handle(e event, ok bool) (done bool, err error) {
	if !ok {
		s.endOfEvents()
		return true, nil
	}
	done, err = s.a.take(e)
	if perr := (*protocolError)(nil); errors.As(err, &perr) {
		s.p.kill()
		s.a.crash("protocol", perr.msg, "")
		return true, nil
	}
	if late := (*lateError)(nil); errors.As(err, &late) {
		s.p.kill()
		s.a.refusedLate(late)
		return true, nil
	}
	if done && !s.keeps {
		if s.p.quit(s.clock, s.quitLimit()) {
			s.lingers.Store(true)
		}
	}
	return done, err
}

// endOfEvents distinguishes a process that ended from one that broke the protocol.
func (s orderRun) endOfEvents() {
	if !endOfStream(s.p.readErr) {
		s.p.kill()
		s.a.crash("protocol", s.p.readErr.Error(), "")
		return
	}
	if s.ends() {
		s.a.died(s.p)
	} else {
		s.a.crash("protocol", "the process closed its pipe for events and did not end", "")
	}
}

// ends reports whether the process ends by itself in time. If not, it kills the process.
func (s orderRun) ends() bool {
	timer, stop := s.clock.after(s.limits.Quit)
	defer stop()
	select {
	case <-s.p.gone:
		return true
	case <-timer:
		s.p.kill()
		return false
	}
}

// hung records a hang with the stacks of the process, and ends the process.
func (s orderRun) hung(detail string) {
	s.a.crash("hang", detail, clip(s.stacksAndKill(), maxOutput))
}

// stacksAndKill takes the stacks of the process and ends it.
func (s orderRun) stacksAndKill() string {
	text := s.stacks()
	s.p.kill()
	if text == "" {
		text = dumpIn(s.p.printed(maxOutput))
	}
	return text
}

// stacks requests a thread dump over the pipe. If there is no answer, it sends a signal. The JVM
// then prints the dump to its output, and the result is empty.
func (s orderRun) stacks() string {
	frame, _ := newMessage(cmdStacks).frame()
	s.p.send(frame)
	if text, ok := s.await(s.limits.Stacks); ok {
		return text
	}
	_ = s.p.cmd.Process.Signal(syscall.SIGQUIT) // makes a JVM print all its threads to standard output
	text, _ := s.await(s.limits.Stacks)
	return text
}

// await waits for stacks, and ignores other events.
func (s orderRun) await(limit time.Duration) (string, bool) {
	timer, stop := s.clock.after(limit)
	defer stop()
	for {
		select {
		case e, ok := <-s.p.events:
			if st, is := e.(stacks); is {
				return st.text, true
			} else if !ok {
				return "", false
			}
		case <-timer:
			return "", false
		}
	}
}

// dumpIn returns the last thread dump in a JVM's output.
func dumpIn(output string) string {
	if i := strings.LastIndex(output, "Full thread dump"); i >= 0 {
		return output[i:]
	}
	return ""
}
