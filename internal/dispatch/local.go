package dispatch

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/odfix/odfix/internal/job"
)

// Local runs each job in a process of its own on this machine. The zero value
// is ready to use.
type Local struct {
	Runner string        // the runner's program; empty: Find
	Env    []string      // its environment; nil: ours
	Log    io.Writer     // what the runner logs, as it comes; nil: only the tail is kept, for errors
	Grace  time.Duration // from being told to stop until being killed; zero: DefaultGrace
	Slack  time.Duration // allowed beyond the job's budget; zero: DefaultSlack
	Quiet  time.Duration // without a sign of life, after which a runner is ended; zero: DefaultQuiet
	Nice   int           // how far it stands back for everybody else, 0 to 19 as in nice(1)
}

// How long a runner may take to hand over its best when told to stop, and how
// far it may overrun its budget (it watches the budget itself; this is for
// runners that do not).
const (
	DefaultGrace = 30 * time.Second
	DefaultSlack = time.Minute
	// DefaultQuiet is many times job.Beat: a busy machine is no reason to give up.
	DefaultQuiet = 90 * time.Second
	// drain is how long output is still read when the runner is gone but
	// something holds its pipes open.
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
	cmd.Env = l.Env
	if len(j.Env) > 0 {
		if cmd.Env == nil {
			cmd.Env = os.Environ()
		}
		cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], j.Env...)
	}
	cmd.SysProcAttr = attributes()
	t := terms{limit: budget(j) + or(l.Slack, DefaultSlack), grace: or(l.Grace, DefaultGrace), quiet: or(l.Quiet, DefaultQuiet), log: l.Log, nice: l.Nice}
	return t.run(ctx, cmd, j, on)
}

// terms are on what a runner works.
type terms struct {
	limit, grace, quiet time.Duration
	log                 io.Writer
	nice                int
	watch               func(ctx context.Context) *job.Error // says why a runner has to end, or returns nil when ctx ends; may be nil
}

// run starts a runner, gives it the job and sees it through to its end.
func (t terms) run(ctx context.Context, cmd *exec.Cmd, j job.Job, on func(job.Event)) (*job.Report, error) {
	if ctx.Err() != nil {
		return nil, stopped("")
	}
	if j.Version == 0 {
		j.Version = job.Version
	}
	line, err := json.Marshal(j)
	if err != nil {
		return nil, &job.Error{Code: CodeJob, Message: "the job cannot be written as JSON: " + err.Error()}
	}
	p := &process{cmd: cmd, answer: newAnswer(on, t.log), exited: make(chan error, 1), nice: t.nice}
	if err := p.start(append(line, '\n')); err != nil {
		return nil, missing(err.Error())
	}
	why := p.watch(ctx, t)
	return p.result(why)
}

func budget(j job.Job) time.Duration { return or(j.Budget, job.DefaultBudget) }

func or(d, otherwise time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return otherwise
}

// process is one runner at work.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	answer *answer
	nice   int
	exited chan error // the result of Wait, once
	err    error      // the same, when watch has returned
	over   *job.Error // of what the runner used too much
}

func (p *process) start(line []byte) error {
	p.cmd.Stdout, p.cmd.Stderr = p.answer, p.answer.log
	p.cmd.WaitDelay = drain
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		return err
	}
	p.stdin = stdin
	started := make(chan error)
	go func() {
		// Where a child is tied to the life of its parent, it is tied to
		// the thread that started it: keep that thread until the child ends.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			p.exited <- p.cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	// Before it knows its job: whatever it starts for that has the same niceness.
	if err := p.standBack(); err != nil {
		p.killGroup()
		return err
	}
	// A runner that reads nothing must not hold us up; closing stdin ends the write.
	go func() { _, _ = stdin.Write(line) }()
	return nil
}

// Why a runner was told to stop.
type reason int

const (
	itself    reason = iota // it was not: it ended by itself, or was done
	asked                   // ctx ended
	overdue                 // it overran its budget
	nonsense                // what it said cannot be understood
	unhurried               // it handed over its report and would not go
	silent                  // it gave no sign of life
	greedy                  // it used more than it may
)

// watch waits for the runner's end and sees to it that there is one.
func (p *process) watch(ctx context.Context, t terms) reason {
	deadline, alive := time.NewTimer(t.limit), time.NewTimer(t.quiet)
	defer deadline.Stop()
	defer alive.Stop()
	kill := time.NewTimer(0)
	<-kill.C
	defer kill.Stop()
	defer p.killGroup() // whatever the runner started and left behind
	looked, look := context.WithCancel(context.WithoutCancel(ctx))
	defer look()
	over := p.looking(looked, t.watch)
	why := itself
	stop := func(because reason, within time.Duration) {
		if why == itself {
			why = because
			_ = p.stdin.Close() // the end of its input tells a runner to hand over what it has
			kill.Reset(within)
		}
	}
	for {
		select {
		case p.err = <-p.exited:
			return why
		case <-ctx.Done():
			stop(asked, t.grace)
			ctx = context.WithoutCancel(ctx)
		case <-deadline.C:
			stop(overdue, t.grace)
		case <-p.answer.heard:
			alive.Reset(t.quiet)
		case <-alive.C:
			stop(silent, 0)
		case p.over = <-over:
			stop(greedy, 0)
		case <-p.answer.broken:
			stop(nonsense, 0)
		case <-p.answer.complete:
			stop(unhurried, t.grace)
		case <-kill.C:
			p.killGroup()
		}
	}
}

// looking asks watch, beside everything else.
func (p *process) looking(ctx context.Context, watch func(context.Context) *job.Error) <-chan *job.Error {
	over := make(chan *job.Error, 1)
	if watch != nil {
		go func() {
			if e := watch(ctx); e != nil {
				over <- e
			}
		}()
	}
	return over
}

// result is the report if there is one, else the reason why not.
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
			Message: "the runner did not answer within its budget, nor when it was told to stop",
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
		Hint:    "if it was killed, the machine may be short of memory (try --parallel 1); otherwise this is a defect of odfix: please report it with its log",
		Detail:  tail,
	}
}
