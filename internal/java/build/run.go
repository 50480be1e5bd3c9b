package build

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// Run is one run of a build tool.
type Run struct {
	Tool     string   // its name, for people
	Check    string   // a command of people that shows that the tool works
	Command  []string // the program first
	Dir, Log string   // where it runs, and the file for its output
	Env      []string
	Low      bool // with low priority
	Messages *Messages
}

// Mark is the variable by whose value the processes of one run are known. Tests do not get it.
const Mark = "ODFIX_BUILD"

// ErrBudget is the cause of the end of a run that took too long.
var ErrBudget = errors.New("the build's budget is spent")

// Run runs a build tool to its end. The error of a failed build is an *Error with the reason that
// the output shows.
func (w *Workspace) Run(ctx context.Context, r Run) error {
	ctx, cancel := context.WithTimeoutCause(ctx, w.Opts.Budget, ErrBudget)
	defer cancel()
	command := r.Command
	if r.Low {
		command = lowPriority(command)
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env = r.Dir, r.Env
	out, err := newOutput(r.Log, w.Opts.Log, r.Messages.ErrorLine)
	if err != nil {
		return DiskError("cannot write the build's log", err)
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = io.Writer(out), out
	err = runGroup(ctx, cmd)
	if err == nil {
		return nil
	}
	if context.Cause(ctx) == ErrBudget {
		return &Error{Code: CodeTimeout, Message: fmt.Sprintf("%s did not finish within %s and was stopped", r.Tool,
			w.Opts.Budget.Round(time.Second)),
			Hint: "Raise the budget, or find out what hangs: the log is " + r.Log, Detail: out.Tail(30)}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, ok := errors.AsType[*exec.ExitError](err); !ok {
		return &Error{Code: CodeNoTool, Message: "cannot start " + r.Tool + ": " + err.Error(),
			Hint: "Check that `" + r.Check + "` works in " + w.At.Root}
	}
	return r.Messages.explain(out, r.Log)
}

// Passed returns whether a build passed, by the error of Run. It returns the error if that says
// nothing about the build.
func Passed(err error) (bool, error) {
	if failed, ok := errors.AsType[*Error](err); ok && failed.Code != CodeTimeout && failed.Code != CodeNoTool {
		return false, nil
	}
	return err == nil, err
}
