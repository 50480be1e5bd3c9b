package harness

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// Back is how putting state back went behind an order in a living process.
type Back struct {
	Problems []string      // why the process is not what it was; empty where it is exactly that
	Broken   bool          // the agent failed while the order ran, or did not tell: what the tests said is no answer
	Objects  int           // remembered: objects, and static fields by class
	Changed  int           // that had to be put back
	Took     time.Duration // to put them back and to look whether they are
	Asked    int           // orders that the process had answered before this one
}

// Exact says that nothing was found that differs from what was remembered.
func (b Back) Exact() bool { return len(b.Problems) == 0 }

const (
	// patience is how many processes in a row may answer one order and no more before none is started.
	patience = 3
	// livingIdle is how long a living process waits for a question.
	livingIdle = 30 * time.Second
	// maxProblems bounds what is kept of a process's word on itself.
	maxProblems = 20
)

// living keeps the processes that answer Rewound questions. Each has remembered all shared state when it was new, and
// puts it back behind every order. One that is not exactly what it was is asked nothing more; those that wait here are.
type living struct {
	pool *Pool
	spec Spec
	say  func(why string, ended bool)
	one  chan struct{} // held by the question that is asked
	// insists: it is never given up.
	insists bool

	mu     sync.Mutex
	idle   []*alive
	barren int    // processes in a row that were of no use beyond their first order
	off    string // why none is asked any more; empty: they are
}

// alive is a living process that is what it was when it was new.
type alive struct {
	proc  *process
	asked int
	taken chan struct{}
}

// Lives makes the pool answer Rewound questions by a process that is started like this (JVM.Living), one at a time: they take milliseconds,
// starting another process does not. What is asked meanwhile is answered as a Warm question. Say is told why one was not what it had been, and (ended) when none is asked any more. From then on, and without Lives,
// such questions are answered as Warm ones. To be called before the first question.
func (p *Pool) Lives(spec Spec, say func(why string, ended bool)) *Pool {
	if say == nil {
		say = func(string, bool) {}
	}
	p.living = &living{pool: p, spec: spec, say: say, one: make(chan struct{}, 1)}
	return p
}

// end tells once why no living process is asked any more, and ends those that wait.
func (l *living) end(why string) {
	l.mu.Lock()
	first := l.off == ""
	if first {
		l.off = why
	}
	idle := l.idle
	l.idle = nil
	l.mu.Unlock()
	for _, a := range idle {
		close(a.taken)
		a.proc.kill()
	}
	if first {
		l.say(why, true)
	}
}

func (l *living) works() bool {
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.off == ""
}

// rewound answers the order if a living process can. Otherwise the question is to be asked at the next dearer price, and nothing
// of what was heard counts. The first answer of a process is a Warm one: nothing has been put back in it yet.
func (p *Pool) rewound(ctx context.Context, order suite.Order, q Question) (run *suite.Run, err error) {
	select {
	case p.living.one <- struct{}{}:
		defer func() { <-p.living.one }()
	default: // a warm process is at hand sooner than that one
		return nil, nil
	}
	run, back, err := p.living.ask(ctx, order, q)
	if err != nil || run == nil || back.Broken {
		return nil, err
	}
	if back.Asked == 0 {
		run.Price = suite.Warm
	} else if !back.Exact() || !p.living.works() {
		return nil, nil
	}
	return run, nil
}

// EndLiving has no living process be asked any more, and ends the one that waits.
func (p *Pool) EndLiving(why string) {
	if p.living != nil {
		p.living.end(why)
	}
}

// Insist makes living processes be asked however often they turn out not to be what they were: for measuring.
func (p *Pool) Insist() { p.living.insists = true }

// Forget ends the living process that waits: the next question starts another one.
func (p *Pool) Forget() {
	p.living.mu.Lock()
	idle := p.living.idle
	p.living.idle = nil
	p.living.mu.Unlock()
	for _, a := range idle {
		close(a.taken)
		a.proc.quit(p.clock, p.limits.Quit)
	}
}

// RunLiving runs exactly this order in a living process, and says how putting back went. The Run is nil where the process
// broke; the error is one of starting it, or ctx's.
func (p *Pool) RunLiving(ctx context.Context, order suite.Order) (*suite.Run, Back, error) {
	q := Question{Price: suite.Rewound}
	if err := check(order, q); err != nil {
		return nil, Back{}, err
	}
	if p.living == nil {
		return nil, Back{}, fmt.Errorf("no process of this pool can put state back")
	}
	ctx, done, err := p.use(ctx)
	if err != nil {
		return nil, Back{}, err
	}
	defer done()
	if err := p.gate.enter(ctx, false); err != nil {
		return nil, Back{}, err
	}
	defer p.gate.leave(false)
	select {
	case p.living.one <- struct{}{}:
		defer func() { <-p.living.one }()
	case <-ctx.Done():
		return nil, Back{}, ctx.Err()
	}
	return p.living.ask(ctx, slices.Clone(order), q)
}

// ask runs the order in a living process and has it put back what it changed. The Run is nil where the process did not come so far.
// The caller holds one.
func (l *living) ask(ctx context.Context, order suite.Order, q Question) (*suite.Run, Back, error) {
	p := l.pool
	begin := p.clock.now()
	a, err := l.take(ctx)
	if a == nil {
		return nil, Back{}, err
	}
	back := Back{Asked: a.asked}
	a.proc.out.forget() // what earlier orders printed
	answer := newAnswer(order, suite.Rewound, p.orders.Add(1), p.timing)
	asking := asking{p: a.proc, a: answer, clock: p.clock, limits: p.limits, lingers: &p.lingers, keeps: true}
	run, err := asking.ask(ctx, q)
	if err != nil || run.Crash != nil {
		a.proc.kill()
		if ctx.Err() == nil { // else it is no fault of the process
			l.retire(a, unfinished(run, err))
		}
		return nil, back, ctx.Err() // a refusal is heard again at the next price
	}
	w, err := l.exchange(ctx, a.proc, cmdRewind)
	back.Broken = w.broken || err != nil
	back.Problems, back.Objects, back.Changed, back.Took = w.problems, int(w.objects), int(w.changed), time.Duration(w.micros)*time.Microsecond
	if err != nil {
		back.Problems = []string{err.Error()}
	}
	run.Nanos = p.clock.now().Sub(begin).Nanoseconds()
	if !back.Exact() {
		a.proc.quit(p.clock, asking.quitLimit())
		if ctx.Err() == nil {
			l.retire(a, back.Problems[0])
		}
		return run, back, ctx.Err()
	}
	a.asked++
	l.keep(a)
	return run, back, nil
}

// unfinished says why an order was not done.
func unfinished(run *suite.Run, err error) string {
	if err != nil {
		return err.Error()
	}
	return "it did not come to the end of an order: " + run.Crash.String()
}

// take is a process that waits, or a new one; nil where living processes do not work here, or on ctx's error.
func (l *living) take(ctx context.Context) (*alive, error) {
	l.mu.Lock()
	if n := len(l.idle); n > 0 && l.off == "" {
		a := l.idle[n-1]
		l.idle = l.idle[:n-1]
		close(a.taken)
		l.mu.Unlock()
		if !a.proc.dead() {
			return a, nil
		}
		return l.take(ctx)
	}
	off := l.off != ""
	l.mu.Unlock()
	if off {
		return nil, nil
	}
	return l.start(ctx)
}

func (l *living) start(ctx context.Context) (*alive, error) {
	proc, err := l.pool.start(ctx, l.spec, livingRole)
	if err != nil {
		if ctx.Err() == nil {
			l.end("a process with the agent cannot be started: " + err.Error())
		}
		return nil, ctx.Err()
	}
	w, err := l.exchange(ctx, proc, cmdMark)
	switch {
	case ctx.Err() != nil:
		proc.kill()
		return nil, ctx.Err()
	case err != nil:
		proc.kill()
		l.end("shared state cannot be remembered: " + err.Error())
		return nil, nil
	case len(w.problems) > 0:
		proc.kill()
		l.end("shared state cannot be remembered: " + w.problems[0])
		return nil, nil
	}
	return &alive{proc: proc}, nil
}

// retire takes note of a process that is asked nothing more.
func (l *living) retire(a *alive, why string) {
	l.mu.Lock()
	if a.asked > 0 {
		l.barren = 0
	} else {
		l.barren++
	}
	stop := l.barren >= patience && !l.insists
	l.mu.Unlock()
	l.say(why, false)
	if stop {
		l.end("no process was what it had been after an order: " + why)
	}
}

// keep lets the process wait for the next question.
func (l *living) keep(a *alive) {
	taken := make(chan struct{}) // of this wait: the next one may begin before what watches this has looked
	a.taken = taken
	l.mu.Lock()
	off := l.off != ""
	if !off {
		l.idle = append(l.idle, a)
	}
	l.mu.Unlock()
	ctx, done, err := l.pool.use(context.Background())
	if off || err != nil {
		if err == nil {
			done()
		}
		l.drop(a)
		a.proc.kill()
		return
	}
	go func() {
		defer done()
		timer, stop := l.pool.clock.after(livingIdle)
		defer stop()
		select {
		case <-taken:
			return
		case <-a.proc.gone:
		case <-timer:
		case <-ctx.Done():
		}
		if l.drop(a) {
			a.proc.kill()
		}
	}()
}

// drop is true where nobody took the process at the same moment.
func (l *living) drop(a *alive) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.idle, a)
	if i >= 0 {
		l.idle = slices.Delete(l.idle, i, i+1)
	}
	return i >= 0
}

// exchange has the process remember everything, or put it back.
func (l *living) exchange(ctx context.Context, proc *process, command byte) (w wentBack, err error) {
	frame, err := newMessage(command).frame()
	if err != nil {
		return w, err
	}
	proc.say(frame)
	timer, stop := l.pool.clock.after(l.pool.limits.Start)
	defer stop()
	for {
		select {
		case <-ctx.Done():
			return w, ctx.Err()
		case <-timer:
			return w, fmt.Errorf("the process said nothing for %v", l.pool.limits.Start)
		case e, ok := <-proc.events:
			switch e := e.(type) {
			case wentBack:
				return e, nil
			case refused:
				return w, fmt.Errorf("%s", clip(e.reason, maxMessage))
			}
			if !ok {
				return w, fmt.Errorf("the process ended")
			}
		}
	}
}

// wentBack is the frame that tells how remembering, or putting back, went.
type wentBack struct {
	problems         []string
	broken           bool
	objects, changed uint32
	micros           int64
}

func decodeWentBack(f *fields) wentBack {
	how := f.u8()
	exact := how == 1
	w := wentBack{broken: how == 2, problems: f.strs(), objects: f.u32(), changed: f.u32(), micros: f.i64()}
	w.problems = w.problems[:min(len(w.problems), maxProblems)]
	for i, text := range w.problems {
		w.problems[i] = clip(text, maxMessage)
	}
	if !exact && len(w.problems) == 0 {
		w.problems = []string{"it says so, and not why"}
	}
	return w
}
