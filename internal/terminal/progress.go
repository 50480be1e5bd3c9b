package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/templates"
)

// Style is a way to show progress.
type Style int

// The styles.
const (
	Plain   Style = iota // a line for each phase, and a sign of life at least every quiet
	Live                 // one line of a terminal, written over
	Actions              // a group of GitHub Actions for each phase
	Verbose              // every event and every line of the log
)

// quiet is the longest time without a line, for a reader of a log.
const quiet = 30 * time.Second

// StyleOf chooses the style for an output.
func StyleOf(out io.Writer, verbose bool, getenv func(string) string) Style {
	switch {
	case verbose:
		return Verbose
	case Is(out) && getenv("TERM") != "dumb":
		return Live
	case getenv("GITHUB_ACTIONS") == "true":
		return Actions
	}
	return Plain
}

// Progress shows the current work.
type Progress struct {
	out     io.Writer
	now     func() time.Time
	started time.Time
	style   Style
	width   int
	done    chan struct{}

	mu      sync.Mutex
	last    job.Event
	best    string
	closed  bool
	ending  bool      // a stop was requested
	printed time.Time // the time of the last line
	group   bool      // a group of GitHub Actions is open
	part    []byte    // the beginning of a log line
}

// Start begins to show progress.
func Start(out io.Writer, now func() time.Time, style Style) *Progress {
	p := newProgress(out, now, style)
	go p.tick()
	return p
}

func newProgress(out io.Writer, now func() time.Time, style Style) *Progress {
	return &Progress{out: out, now: now, started: now(), printed: now(), style: style, done: make(chan struct{}), width: Width(out)}
}

// tick updates the time while nothing else happens.
func (p *Progress) tick() {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-p.done:
			return
		case <-t.C:
			p.beat()
		}
	}
}

// beat shows that odfix still works.
func (p *Progress) beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
	case p.style == Live:
		p.draw()
	case p.style != Verbose && p.last.Phase != "" && p.now().Sub(p.printed) >= quiet:
		p.print(p.line())
	}
}

// Event shows an event of the runner.
func (p *Progress) Event(e job.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	begins := e.Phase != "" && e.Phase != p.last.Phase
	p.note(e.Note)
	p.last = e
	if e.Best != "" {
		p.best = e.Best
	}
	switch {
	case p.style == Live:
		p.draw()
	case p.style == Verbose:
		p.print(p.line())
	case begins && p.style == Actions:
		p.endGroup()
		p.print("::group::odfix " + p.line())
		p.group = true
	case begins:
		p.print(p.line())
	}
}

// note prints a note on a line of its own.
func (p *Progress) note(text string) {
	if text == "" {
		return
	}
	if p.style == Live {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
	p.print(harmless(text))
}

// Stopping shows that a signal arrived and the job is ending.
func (p *Progress) Stopping() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.ending = true
	if p.style == Live {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
	p.endGroup()
	p.print("Stopping: what was found so far follows. Ctrl-C again ends at once.")
	if p.style == Live {
		p.draw()
	}
}

// Close ends the line or the group. Nothing is shown afterwards.
func (p *Progress) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	if p.style == Live {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
	p.endGroup()
	p.closed = true
	close(p.done)
}

func (p *Progress) endGroup() {
	if p.group {
		p.print("::endgroup::")
	}
	p.group = false
}

func (p *Progress) print(line string) {
	fmt.Fprintln(p.out, line)
	p.printed = p.now()
}

func (p *Progress) draw() { fmt.Fprintf(p.out, "\r%s\x1b[K", p.line()) }

// line returns the current state as one line. On a terminal, it fits the width.
func (p *Progress) line() string {
	s := fmt.Sprintf("%s %s", p.elapsed(), p.last.Phase)
	if p.ending {
		s += " · stopping"
	}
	switch n := p.last.Done; {
	case n == 1:
		s += " · 1 order run"
	case n > 1:
		s += fmt.Sprintf(" · %d orders run", n)
	}
	if p.last.Message != "" {
		s += " · " + p.last.Message
	}
	if p.best != "" {
		s += " · so far: " + p.best
	}
	s = harmless(s)
	if p.style == Live && p.width > 1 && utf8.RuneCountInString(s) >= p.width {
		s = string([]rune(s)[:p.width-2]) + "…"
	}
	return s
}

func (p *Progress) elapsed() string {
	d := p.now().Sub(p.started)
	if p.style == Live {
		d = d.Truncate(time.Second)
	}
	return templates.Seconds(d.Seconds())
}

// harmless removes what a terminal, or the log of GitHub Actions, takes as a command.
func harmless(s string) string { return WithoutCommands(templates.Harmless(s, false)) }

// WithoutCommands changes what the log of GitHub Actions takes as a command. Actions reads "::" only
// at the beginning of a line, and "##[" anywhere.
func WithoutCommands(text string) string {
	var out strings.Builder
	for line := range strings.Lines(strings.ReplaceAll(text, "##[", "# #[")) {
		if begin := strings.TrimLeft(line, " "); strings.HasPrefix(begin, "::") {
			line = ": " + begin
		}
		out.WriteString(line)
	}
	return out.String()
}
