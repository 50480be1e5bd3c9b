package main

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/templates"
)

// progress shows a person the current work. On a terminal, it is one line that is overwritten. With
// -v, it is every event and log line. Otherwise it shows nothing.
type progress struct {
	out     io.Writer
	now     func() time.Time
	started time.Time
	live    bool // one line, written over
	verbose bool
	width   int
	done    chan struct{}

	mu     sync.Mutex
	last   job.Event
	best   string
	closed bool
	ending bool   // a stop was requested
	part   []byte // the beginning of a log line
}

func newProgress(w world, verbose bool) *progress {
	p := &progress{
		out: w.stderr, now: w.now, started: w.now(), verbose: verbose,
		live: !verbose && isTerminal(w.stderr) && w.getenv("TERM") != "dumb",
		done: make(chan struct{}), width: width(w.stderr),
	}
	if p.live {
		go p.tick()
	}
	return p
}

// tick updates the time while nothing else happens.
func (p *progress) tick() {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-p.done:
			return
		case <-t.C:
			p.mu.Lock()
			p.draw()
			p.mu.Unlock()
		}
	}
}

// event shows an event of the runner.
func (p *progress) event(e job.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = e
	if e.Best != "" {
		p.best = e.Best
	}
	if p.verbose {
		fmt.Fprintln(p.out, p.line())
	}
	p.draw()
}

// stopping shows that Ctrl-C was pressed and the job is ending.
func (p *progress) stopping() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.ending = true
	if p.live {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
	if p.live || p.verbose {
		fmt.Fprintln(p.out, "Stopping: what was found so far follows. Ctrl-C again ends at once.")
	}
	p.draw()
}

func (p *progress) draw() {
	if p.live && !p.closed {
		fmt.Fprintf(p.out, "\r%s\x1b[K", p.line())
	}
}

// line returns the current state as one line that fits the terminal.
func (p *progress) line() string {
	s := fmt.Sprintf("%s %s", templates.Seconds(p.now().Sub(p.started).Truncate(time.Second).Seconds()), p.last.Phase)
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
	s = templates.Harmless(s, false)
	if p.live && p.width > 1 && utf8.RuneCountInString(s) >= p.width {
		s = string([]rune(s)[:p.width-2]) + "…"
	}
	return s
}

// Write receives the runner's log, for -v.
func (p *progress) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.part = append(p.part, b...)
	for {
		line, rest, ended := bytes.Cut(p.part, []byte("\n"))
		if !ended {
			return len(b), nil
		}
		fmt.Fprintln(p.out, templates.Harmless(string(line), false))
		p.part = append(p.part[:0], rest...)
	}
}

// close erases the line. Nothing is shown afterwards.
func (p *progress) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	if p.live {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
	p.closed = true
	close(p.done)
}
