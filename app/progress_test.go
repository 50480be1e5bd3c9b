package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/odfix/odfix/internal/job"
)

// clock is a clock that tests set.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func newLive(out *bytes.Buffer, c *clock, width int) *progress {
	return &progress{out: out, now: c.now, started: c.t, live: true, width: width, done: make(chan struct{})}
}

func TestProgressOneLine(t *testing.T) {
	var out bytes.Buffer
	c := &clock{time.Unix(0, 0)}
	p := newLive(&out, c, 60)
	c.t = c.t.Add(75 * time.Second)
	p.event(job.Event{Phase: job.PhaseDiagnose, Message: "halving", Done: 12, Best: "one of 40"})
	if want := "\r75s diagnose · 12 orders run · halving · so far: one of 40\x1b[K"; out.String() != want {
		t.Errorf("got %q, want %q", &out, want)
	}
	out.Reset()
	p.event(job.Event{Phase: job.PhaseRepair, Message: strings.Repeat("ü", 100)})
	if line := strings.TrimSuffix(strings.TrimPrefix(out.String(), "\r"), "\x1b[K"); utf8.RuneCountInString(line) >= 60 {
		t.Errorf("%q does not fit into 60 columns", line)
	}
	out.Reset()
	p.event(job.Event{Message: "evil\x1b[2J\nforged"})
	if strings.Count(out.String(), "\x1b") != 1 || strings.Contains(out.String(), "\n") {
		t.Errorf("hostile text reaches the terminal: %q", &out)
	}
}

func TestProgressEnds(t *testing.T) {
	var out bytes.Buffer
	p := newLive(&out, &clock{}, 60)
	p.stopping()
	wantIn(t, out.String(), "Ctrl-C again")
	out.Reset()
	p.close()
	p.close()
	p.event(job.Event{Message: "late"})
	p.stopping()
	if out.String() != "\r\x1b[K" {
		t.Errorf("after the end: %q", &out)
	}
}

func TestProgressVerboseLog(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(world{stderr: &out, now: time.Now, getenv: func(string) string { return "" }}, true)
	defer p.close()
	for _, part := range []string{"one\ntw", "o\x1b[0m\nthree"} {
		if n, err := p.Write([]byte(part)); n != len(part) || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	if want := "one\ntwo\\x1b[0m\n"; out.String() != want {
		t.Errorf("got %q", &out)
	}
}
