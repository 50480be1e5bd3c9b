package dispatch

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/odfix/odfix/internal/child"
	"github.com/odfix/odfix/internal/isolate"
	"github.com/odfix/odfix/internal/job"
)

// Local runs each job in a process on this machine. The zero value is ready to use.
type Local struct {
	Runner string        // the runner's program; empty: Find
	Env    []string      // its environment; nil: ours
	Log    io.Writer     // gets the runner's log; nil: only its end is kept, for errors
	Grace  time.Duration // from the request to stop until the kill; zero: DefaultGrace
	Slack  time.Duration // allowed beyond the job's budget; zero: DefaultSlack
	Quiet  time.Duration // without output, after which a runner is stopped; zero: DefaultQuiet
	Nice   int           // niceness, 0 to 19 as in nice(1)
}

// How long a runner may take to report after the request to stop, and how far it may exceed its
// budget. A runner keeps to the budget by itself; the limit is for broken ones.
const (
	DefaultGrace = 30 * time.Second
	DefaultSlack = time.Minute
	// DefaultQuiet is many times job.Beat, so that a busy machine causes no error.
	DefaultQuiet = 90 * time.Second
	// drain is how long output is still read when the runner has ended but another process holds
	// its pipes open.
	drain = time.Second
)

var _ Dispatcher = (*Local)(nil)

// Run implements Dispatcher.
func (l *Local) Run(ctx context.Context, j job.Job, on func(job.Event)) (*job.Report, error) {
	path := l.Runner
	if path == "" {
		var err error
		if path, err = Find(); err != nil {
			return nil, err
		}
	}
	cmd := exec.Command(path)
	cmd.Args[0] = isolate.RunnerName
	cmd.Env = l.Env
	if len(j.Env) > 0 {
		if cmd.Env == nil {
			cmd.Env = os.Environ()
		}
		cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], j.Env...)
	}
	t := terms{limit: or(j.Budget, job.MostBudget) + or(l.Slack, DefaultSlack), grace: or(l.Grace, DefaultGrace),
		quiet: or(l.Quiet, DefaultQuiet), log: l.Log, nice: l.Nice}
	return t.run(ctx, cmd, j, on)
}

// terms are the limits of a runner and what watches them.
type terms struct {
	limit, grace, quiet time.Duration
	log                 io.Writer
	nice                int
	watch               func(ctx context.Context) *job.Error // returns why a runner has to end, or nil when ctx ends; may be nil
}

// run starts a runner, gives it the job, and waits for its end.
func (t terms) run(ctx context.Context, cmd *exec.Cmd, j job.Job, on func(job.Event)) (*job.Report, error) {
	if ctx.Err() != nil {
		return nil, stopped("")
	}
	j.Version = cmp.Or(j.Version, job.Version)
	line, err := json.Marshal(j)
	if err != nil {
		return nil, &job.Error{Code: CodeJob, Message: "the job cannot be written as JSON: " + err.Error()}
	}
	p := &process{cmd: cmd, answer: newAnswer(on, t.log, j.MaxReport), exited: make(chan error, 1), nice: t.nice}
	if err := p.start(append(line, '\n')); err != nil {
		return nil, missing(err.Error())
	}
	defer p.ask()
	why := p.watch(ctx, t)
	return p.result(why)
}

func budget(j job.Job) time.Duration { return or(j.Budget, job.FittingBudget(j.Took)) }

func or(d, otherwise time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return otherwise
}

// process is a running runner.
type process struct {
	cmd    *exec.Cmd
	answer *answer
	nice   int
	ask    func()     // ends the runner's input, which asks the runner to stop
	exited chan error // the result of Wait, once
	err    error      // the same, when watch has returned
	over   *job.Error // the limit that the runner exceeded
}

func (p *process) start(line []byte) error {
	p.cmd.Stdout, p.cmd.Stderr = p.answer, p.answer.log
	p.cmd.WaitDelay = drain
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		return err
	}
	// If this process is killed where the kernel does not kill the runner, the runner stops at the
	// end of its input.
	if err := child.Start(p.cmd); err != nil {
		return err
	}
	go func() { p.exited <- p.cmd.Wait() }()
	// The niceness is set before the job is sent, so that all children of the runner have it.
	if p.nice > 0 {
		if err := child.Nice(p.cmd, p.nice); err != nil {
			child.Kill(p.cmd)
			return err
		}
	}
	// The input ends only after the whole job, so that a runner that is asked to stop at once still
	// learns what it was to do. The end of the runner ends a write that blocks.
	enough := make(chan struct{})
	p.ask = sync.OnceFunc(func() { close(enough) })
	go func() {
		_, _ = stdin.Write(line)
		<-enough
		_ = stdin.Close()
	}()
	return nil
}

// Why a runner was asked to stop.
type reason int

const (
	itself    reason = iota // it was not: it ended by itself
	asked                   // ctx ended
	overdue                 // it exceeded its budget
	nonsense                // its output is not in the wire format
	unhurried               // it wrote its report and did not end
	silent                  // it had no output for too long
	greedy                  // it used more than its limits, or a full disk ended it
)

// watch waits for the runner's end, and stops the runner if it has to.
func (p *process) watch(ctx context.Context, t terms) reason {
	deadline, alive := time.NewTimer(t.limit), time.NewTimer(t.quiet)
	defer deadline.Stop()
	defer alive.Stop()
	kill := time.NewTimer(0)
	<-kill.C
	defer kill.Stop()
	defer child.Kill(p.cmd) // processes that the runner started and left
	looked, look := context.WithCancel(context.WithoutCancel(ctx))
	defer look()
	over := p.looking(looked, t.watch)
	limits := over // nil once it has been read
	why := itself
	stop := func(because reason, within time.Duration) {
		if why == itself {
			why = because
			p.ask() // at the end of its input a runner reports what it has
			kill.Reset(within)
		}
	}
	for {
		select {
		case p.err = <-p.exited:
			look()
			// It is waited for: it looks at what the next runner replaces. Its reason may come
			// after the end that it caused.
			for e := range over {
				stop(greedy, 0)
				p.over = e
			}
			return why
		case <-ctx.Done():
			stop(asked, t.grace)
			ctx = context.WithoutCancel(ctx)
		case <-deadline.C:
			stop(overdue, t.grace)
		case <-p.answer.active:
			alive.Reset(t.quiet)
		case <-alive.C:
			stop(silent, 0)
		case e, ok := <-limits:
			if limits = nil; ok {
				stop(greedy, 0)
				p.over = e
			}
		case <-p.answer.broken:
			stop(nonsense, 0)
		case <-p.answer.complete:
			stop(unhurried, t.grace)
		case <-kill.C:
			child.Kill(p.cmd)
		}
	}
}

// looking runs the watch function in the background. The channel is closed when it has returned.
func (p *process) looking(ctx context.Context, watch func(context.Context) *job.Error) <-chan *job.Error {
	over := make(chan *job.Error, 1)
	if watch == nil {
		close(over)
		return over
	}
	go func() {
		defer close(over)
		if e := watch(ctx); e != nil {
			over <- e
		}
	}()
	return over
}

// result is the report, or the error that explains why there is none.
func (p *process) result(why reason) (*job.Report, error) {
	report, bad := p.answer.result()
	if report != nil {
		report.Tidy()
		return report, nil
	}
	tail := p.answer.log.String()
	switch {
	case bad != nil:
		bad.Detail = tail
		return nil, bad
	case why == asked:
		return nil, stopped(tail)
	case why == greedy && p.over != nil:
		p.over.Detail = tail
		return nil, p.over
	case why == silent:
		return nil, &job.Error{
			Code:    CodeSilent,
			Message: "the runner gave no sign of life any more and was ended",
			Hint:    "the machine may be out of memory or have slept; try again",
			Detail:  tail,
		}
	case why == overdue:
		return nil, &job.Error{
			Code:    CodeOverdue,
			Message: "the runner did not answer within its budget, nor when it was asked to stop",
			Hint:    "give it more time with --budget; with -v you see what it is doing",
			Detail:  tail,
		}
	}
	return nil, died(p.err, tail)
}

func stopped(tail string) *job.Error {
	return &job.Error{Code: CodeStopped, Message: "stopped before there was anything to report", Detail: tail}
}

func died(err error, tail string) *job.Error {
	how := "ended normally"
	if err != nil {
		how = fmt.Sprintf("ended with %q", err.Error())
	}
	return &job.Error{
		Code:    CodeDied,
		Message: "the runner " + how + " and left no report",
		Hint: "if it was killed, the machine may be short of memory (try --parallel 1); otherwise this is a " +
			"defect of odfix: please report it with its log",
		Detail: tail,
	}
}
