// Package workbench is the client of a separate JVM that reads Java sources, renders patches into
// them and compiles the result (runner/junit/workbench). It is the Java half of iFixFlakies'
// Patcher (Shi et al., ESEC/FSE 2019, section 3.2). The search over statements is not here.
//
// The process is stateless and long-lived. Every request carries all that its answer needs, and
// requests may run at the same time. The process ends when its standard input ends, so it never
// outlives odfix. It writes only class files, below the folder that the request names. It returns a
// patch as an answer.
package workbench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/odfix/odfix/internal/child"
	"github.com/odfix/odfix/runner/junit"
)

// Options are the process to start and its limits.
type Options struct {
	// Java is the java executable of the project's own JDK (8 or later). A JRE has no compiler and
	// is refused.
	Java string
	// Dir is where the jar is unpacked; empty: the user's cache folder.
	Dir string
	// Budget bounds each call; zero means DefaultBudget.
	Budget time.Duration
}

// DefaultBudget bounds a single call if Options does not.
const DefaultBudget = 60 * time.Second

// startBudget is long, because a JVM may start slowly on a loaded machine.
const startBudget = 60 * time.Second

// Problem is an answer without a result. It has a stable code, and a sentence for people with the
// reason and the remedy.
type Problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (p *Problem) Error() string { return p.Message }

// SlowError means that a call took too long and was abandoned. Other calls may still be answered.
type SlowError struct {
	Op    string
	After time.Duration
}

func (e *SlowError) Error() string {
	return fmt.Sprintf("the workbench did not finish %s within %v", e.Op, e.After)
}

// ErrClosed is returned for calls to a workbench that was closed or died.
var ErrClosed = errors.New("the workbench process has ended")

// Client is one workbench process. Its methods may be called from several goroutines.
type Client struct {
	cmd    *exec.Cmd
	wire   *wire
	budget time.Duration
	tail   child.Tail // the end of what it prints besides answers
	hello  hello
	stop   sync.Once
	done   chan struct{}
}

// Start starts the process and waits until it is ready.
func Start(ctx context.Context, o Options) (*Client, error) {
	if o.Java == "" {
		return nil, errors.New("no java executable was given for the workbench")
	}
	dir := o.Dir
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, err
		}
		dir = filepath.Join(cache, "odfix", "jars")
	}
	jar, err := junit.Unpack(dir, junit.Workbench)
	if err != nil {
		return nil, err
	}
	c := &Client{budget: o.Budget, tail: child.Tail{Size: 4 << 10}, done: make(chan struct{})}
	if c.budget <= 0 {
		c.budget = DefaultBudget
	}
	if err := c.start(o.Java, jar); err != nil {
		return nil, err
	}
	if err := c.greet(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// arguments make the JVM start quickly, because it lives for minutes and its work is short.
func arguments(jar string) []string {
	return []string{"-Xshare:auto", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xms64m", "-Xmx768m",
		"-Dfile.encoding=UTF-8", "-Djava.awt.headless=true", "-jar", jar}
}

func (c *Client) start(java, jar string) error {
	cmd := exec.Command(java, arguments(jar)...)
	cmd.Env = environment(os.Environ())
	cmd.Stderr = &c.tail
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting the workbench with %s: %w", java, err)
	}
	c.cmd = cmd
	c.wire = newWire(in, out)
	go func() {
		<-c.wire.ended // Wait closes the pipe, so all output is read before
		_ = cmd.Wait()
		close(c.done)
	}()
	return nil
}

// environment leaves out variables that would change the JVM or make it print on startup.
func environment(env []string) []string {
	var out []string
	for _, e := range env {
		switch name, _, _ := strings.Cut(e, "="); name {
		case "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH":
		default:
			out = append(out, e)
		}
	}
	return out
}

// printed returns the end of what the process printed, for messages.
func (c *Client) printed() string {
	if s := strings.TrimSpace(c.tail.String()); s != "" {
		return ": " + s
	}
	return ""
}

func (c *Client) greet(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startBudget)
	defer cancel()
	select {
	case <-ctx.Done():
		return fmt.Errorf("the workbench did not start: %w%s", ctx.Err(), c.printed())
	case <-c.wire.ended:
		select {
		case <-c.done: // all that it printed has been read
		case <-ctx.Done():
		}
		return fmt.Errorf("the workbench did not start with %s%s", c.cmd.Path, c.printed())
	case c.hello = <-c.wire.hello:
	}
	if !c.hello.Compiler {
		return &Problem{Code: "no-compiler", Message: fmt.Sprintf(
			"%s is a JRE without a compiler (java %s); point JAVA_HOME at a JDK", c.hello.Home, c.hello.Java)}
	}
	return nil
}

// Close ends the process and waits for it. Running calls fail with ErrClosed.
func (c *Client) Close() error {
	c.stop.Do(func() {
		c.wire.close()
		t := time.NewTimer(2 * time.Second)
		defer t.Stop()
		select {
		case <-c.done:
		case <-t.C:
			_ = c.cmd.Process.Kill()
			<-c.done
		}
	})
	return nil
}

func (c *Client) call(ctx context.Context, op string, params, result any) error {
	bounded, cancel := context.WithTimeout(ctx, c.budget)
	defer cancel()
	err := c.wire.call(bounded, op, params, result)
	var p *Problem
	switch {
	case err == nil || errors.As(err, &p) || ctx.Err() != nil:
		return err // the caller's time is over, so there is no better reason
	case errors.Is(err, context.DeadlineExceeded):
		return &SlowError{Op: op, After: c.budget}
	case errors.Is(err, ErrClosed):
		return fmt.Errorf("%w%s", err, c.printed())
	}
	return fmt.Errorf("workbench %s: %w", op, err)
}
