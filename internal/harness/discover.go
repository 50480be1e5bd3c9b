package harness

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// maxBroken bounds how many classes may end the process that discovers them. Each of them costs a
// process.
const maxBroken = 20

// Discover lists the tests of the classes, in this order, as the project's build would launch them.
// A class that ends its process becomes a Problem, and another process discovers the rest. Looked
// is called after each class; it may be nil.
func (p *Pool) Discover(ctx context.Context, classes []string, looked func()) (*suite.Suite, Info, error) {
	d := newDiscovery(classes)
	d.looked = looked
	err := p.Beside(ctx, false, func(ctx context.Context) error { return p.discover(ctx, d) })
	if err != nil {
		return nil, Info{}, err
	}
	return d.suite, d.info, nil
}

func (p *Pool) discover(ctx context.Context, d *discovery) error {
	for broken := 1; ; broken++ {
		whole, err := p.look(ctx, d)
		if err != nil || whole || len(d.left()) == 0 {
			return err
		}
		if broken > maxBroken {
			return fmt.Errorf("looking at the test classes ended the process %d times, last %s; the project's "+
				"tests cannot be loaded as they are",
				broken, d.suite.Problems[len(d.suite.Problems)-1].Reason)
		}
	}
}

// look discovers the remaining classes in one process. If it returns false, the process ended, and
// the class in question is marked as a problem.
func (p *Pool) look(ctx context.Context, d *discovery) (whole bool, err error) {
	frame, err := newMessage(cmdDiscover).strs(d.left()).frame()
	if err != nil {
		return false, err
	}
	proc, err := p.start(ctx, p.exact, exactRole)
	if err != nil {
		return false, err
	}
	d.info.Java, d.info.Frameworks = proc.hello.java, proc.hello.frameworks
	proc.send(frame)
	l := looking{orderRun{p: proc, clock: p.clock, limits: p.limits, lingers: &p.lingers}, d, p.timing.between()}
	return l.listen(ctx)
}

// looking is a discovery by one process.
type looking struct {
	orderRun
	d     *discovery
	limit time.Duration // for one class
}

func (l looking) listen(ctx context.Context) (whole bool, err error) {
	for {
		timer, stop := l.clock.after(l.limit)
		select {
		case <-ctx.Done():
			stop()
			l.p.kill()
			return false, ctx.Err()
		case <-timer:
			return false, l.broke(l.hang())
		case e, ok := <-l.p.events:
			stop()
			if whole, more, err := l.handle(e, ok); !more {
				return whole, err
			}
		}
	}
}

func (l looking) hang() string {
	long := fmt.Sprintf("looking at it took more than %v", l.limit)
	text := l.stacksAndKill()
	if strings.TrimSpace(text) == "" { // Node prints none
		return long
	}
	return long + "; the process's threads:\n" + clip(text, maxMessage)
}

func (l looking) handle(e event, ok bool) (whole, more bool, err error) {
	if !ok {
		return false, false, l.broke(l.cause())
	}
	switch e := e.(type) {
	case classSeen:
		if err = l.d.add(e); l.d.looked != nil {
			l.d.looked()
		}
	case complete:
		if n := len(l.d.left()); n > 0 {
			err = protocolf("discovery was called complete with %d classes missing", n)
			break
		}
		l.p.quit(l.clock, l.limits.Quit)
		return true, false, nil
	case refused:
		l.p.kill()
		return false, false, &RefusedError{Reason: clip(e.reason, maxMessage)}
	case exiting:
		l.d.exit = e.how
	case stacks, invocation, busy:
	default:
		err = protocolf("an event out of place (%T) in discovery", e)
	}
	if err != nil {
		l.p.kill()
		return false, false, fmt.Errorf("the test process broke the protocol: %w", err)
	}
	return false, true, nil
}

// cause returns why the process stopped.
func (l looking) cause() string {
	if !endOfStream(l.p.readErr) {
		l.p.kill()
		return "the process broke the protocol: " + l.p.readErr.Error()
	}
	if !l.ends() {
		return "the process closed its pipe for events"
	}
	if how, _, _ := strings.Cut(l.d.exit, "\n"); how != "" {
		return clip(how, maxMessage)
	}
	_, detail := l.p.ended()
	return "the process ended: " + detail
}

// broke marks the class that the process was discovering as a problem.
func (l looking) broke(reason string) error {
	left := l.d.left()
	if len(left) == 0 {
		return errors.New("the test process did not end discovery properly: " + reason)
	}
	l.d.exit = ""
	l.d.problem(Class{Name: left[0], Framework: "none"}, reason)
	return nil
}
