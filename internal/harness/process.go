package harness

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/odfix/odfix/internal/child"
)

// drain is how long the pipes of a dead process are still read. What it wrote is available at once,
// but a stray child may hold the pipes open for ever.
const drain = 250 * time.Millisecond

// process is a test process that has been started. Its three goroutines (events, output, wait) end
// with it, even if nothing receives its events.
type process struct {
	cmd      *exec.Cmd
	commands *os.File // written by odfix
	events   chan event
	out      child.Tail

	unread     chan struct{} // closed when events are no longer read
	unreadOnce sync.Once
	readErr    error         // why events ended; valid once events is closed
	gone       chan struct{} // closed when the process has ended and its pipes were read
	hello      hello         // set by greet
}

// plumbing holds both ends of the pipes of a process.
type plumbing struct {
	commandsR, commandsW, eventsR, eventsW, outR, outW *os.File
}

func newPlumbing() (pl plumbing, err error) {
	for _, p := range []struct{ r, w **os.File }{
		{&pl.commandsR, &pl.commandsW}, {&pl.eventsR, &pl.eventsW}, {&pl.outR, &pl.outW},
	} {
		if *p.r, *p.w, err = os.Pipe(); err != nil {
			pl.close()
			return pl, err
		}
	}
	return pl, nil
}

func (pl plumbing) close() {
	pl.closeTheirs()
	for _, f := range []*os.File{pl.commandsW, pl.eventsR, pl.outR} {
		f.Close() // closing a nil file returns an error, which does not matter here
	}
}

func (pl plumbing) closeTheirs() {
	for _, f := range []*os.File{pl.commandsR, pl.eventsW, pl.outW} {
		f.Close()
	}
}

// launch starts a process that has sent nothing yet. After it has ended, ended receives its
// resource usage.
func launch(spec Spec, ended func(*os.ProcessState)) (*process, error) {
	pl, err := newPlumbing()
	if err != nil {
		return nil, &StartError{Command: spec.Command[0], Reason: err.Error()}
	}
	cmd := exec.Command(spec.Command[0], spec.Command[1:]...)
	cmd.Env, cmd.Dir = spec.Env, spec.Dir
	cmd.Stdout, cmd.Stderr = pl.outW, pl.outW
	cmd.ExtraFiles = []*os.File{pl.commandsR, pl.eventsW}
	if err := startChild(cmd); err != nil {
		pl.close()
		return nil, &StartError{Command: spec.Command[0], Reason: startReason(err, spec)}
	}
	pl.closeTheirs()
	p := &process{
		out: child.Tail{Size: maxOutput},
		cmd: cmd, commands: pl.commandsW, events: make(chan event),
		unread: make(chan struct{}), gone: make(chan struct{}),
	}
	p.attend(pl.eventsR, pl.outR, ended)
	return p, nil
}

// startChild starts cmd so that it ends with odfix.
func startChild(cmd *exec.Cmd) error {
	if runtime.GOOS == "windows" {
		return errors.New("running tests is not supported on Windows yet; use Linux, macOS or WSL")
	}
	return child.Start(cmd)
}

// startReason distinguishes a missing folder from a missing executable, which the operating system
// does not.
func startReason(err error, spec Spec) string {
	if fi, serr := os.Stat(spec.Dir); spec.Dir != "" && (serr != nil || !fi.IsDir()) {
		return "its working directory " + spec.Dir + " is not there"
	}
	if errors.Is(err, os.ErrNotExist) {
		return "there is no executable " + filepath.Clean(spec.Command[0])
	}
	return err.Error()
}

// maxOutput bounds how much of a process's output is kept, in bytes.
const maxOutput = 64 << 10

// printed returns at most the last n bytes of the output as valid UTF-8. A first line says how much
// is missing.
func (p *process) printed(n int) string {
	end, lost := p.out.End(n)
	text := strings.ToValidUTF8(end, "\uFFFD")
	if lost > 0 {
		return fmt.Sprintf("[%d earlier bytes left out]\n%s", lost, text)
	}
	return text
}

// attend starts the goroutines that read from the process and wait for it.
func (p *process) attend(events, out *os.File, ended func(*os.ProcessState)) {
	var readers sync.WaitGroup
	readers.Go(func() { p.readErr = p.listen(events); close(p.events) })
	readers.Go(func() { io.Copy(&p.out, out) })
	go func() {
		p.cmd.Wait()
		ended(p.cmd.ProcessState)
		child.Kill(p.cmd) // processes that the tests left running
		end := time.Now().Add(drain)
		events.SetReadDeadline(end)
		out.SetReadDeadline(end)
		readers.Wait()
		events.Close()
		out.Close()
		p.commands.Close()
		close(p.gone)
	}()
}

// listen passes on events until the pipe ends or a frame is invalid.
func (p *process) listen(r io.Reader) error {
	br := bufio.NewReaderSize(r, 64<<10)
	for {
		kind, body, err := readFrame(br, knownEvents)
		if err != nil {
			return err
		}
		e, err := decode(kind, body)
		if err != nil {
			return err
		}
		select {
		case p.events <- e:
		case <-p.unread:
			io.Copy(io.Discard, br) // the process must not block on a full pipe while it ends
			return nil
		}
	}
}

// send writes a frame without waiting for the process to read it. If the process does not read, the
// watchdog kills it, which ends the write.
func (p *process) send(frame []byte) { go p.commands.Write(frame) }

// stopReading ends listening. The process continues.
func (p *process) stopReading() { p.unreadOnce.Do(func() { close(p.unread) }) }

func (p *process) dead() bool {
	select {
	case <-p.gone:
		return true
	default:
		return false
	}
}

// kill ends the process and its group, and waits until they have ended.
func (p *process) kill() {
	p.stopReading()
	if p.dead() {
		return
	}
	child.Kill(p.cmd)
	p.cmd.Process.Kill()
	<-p.gone
}

// quit lets the process end by itself, including shutdown hooks. It kills the process after the
// limit, and reports whether it did.
func (p *process) quit(c clock, limit time.Duration) (killed bool) {
	p.stopReading()
	frame, _ := newMessage(cmdQuit).frame()
	p.send(frame)
	timer, stop := c.after(limit)
	defer stop()
	select {
	case <-p.gone:
		return false
	case <-timer:
		p.kill()
		return true
	}
}
