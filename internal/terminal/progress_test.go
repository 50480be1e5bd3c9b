package terminal

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

func (c *clock) pass(seconds float64) { c.t = c.t.Add(time.Duration(seconds * float64(time.Second))) }

func begin(style Style, width int) (*Progress, *bytes.Buffer, *clock) {
	var out bytes.Buffer
	c := &clock{time.Unix(0, 0)}
	p := newProgress(&out, c.now, style)
	p.width = width
	return p, &out, c
}

func TestOneLineOfATerminal(t *testing.T) {
	p, out, c := begin(Live, 60)
	c.pass(75)
	p.Event(job.Event{Phase: job.PhaseDiagnose, Message: "halving", Done: 12, Best: "one of 40"})
	if want := "\r75s diagnose · 12 orders run · halving · so far: one of 40\x1b[K"; out.String() != want {
		t.Errorf("got %q, want %q", out, want)
	}
	out.Reset()
	p.Event(job.Event{Phase: job.PhaseRepair, Message: strings.Repeat("ü", 100)})
	if line := strings.TrimSuffix(strings.TrimPrefix(out.String(), "\r"), "\x1b[K"); utf8.RuneCountInString(line) >= 60 {
		t.Errorf("%q does not fit into 60 columns", line)
	}
	out.Reset()
	p.Event(job.Event{Message: "evil\x1b[2J\nforged"})
	if strings.Count(out.String(), "\x1b") != 1 || strings.Contains(out.String(), "\n") {
		t.Errorf("hostile text reaches the terminal: %q", out)
	}
}

// A note stays above the line of a terminal.
func TestNote(t *testing.T) {
	p, out, _ := begin(Live, 60)
	p.Event(job.Event{Phase: job.PhaseDiagnose, Message: "starting", Note: "about 2\x1b[2J minutes"})
	if want := "\r\x1b[Kabout 2\\x1b[2J minutes\n\r0.0s diagnose · starting\x1b[K"; out.String() != want {
		t.Errorf("got %q, want %q", out, want)
	}
	p, out, _ = begin(Plain, 0)
	p.Event(job.Event{Phase: job.PhaseDiagnose, Message: "starting", Note: "about 2 minutes"})
	if want := "about 2 minutes\n0.0s diagnose · starting\n"; out.String() != want {
		t.Errorf("got %q, want %q", out, want)
	}
}

func TestEnd(t *testing.T) {
	p, out, _ := begin(Live, 60)
	p.Stopping()
	if !strings.Contains(out.String(), "Ctrl-C again") {
		t.Errorf("%q", out)
	}
	out.Reset()
	p.Close()
	p.Close()
	p.Event(job.Event{Message: "late"})
	p.Stopping()
	p.beat()
	if out.String() != "\r\x1b[K" {
		t.Errorf("after the end: %q", out)
	}
}

// work sends the events of a small job, in which a phase takes a minute and a half.
func work(p *Progress, c *clock) {
	p.Event(job.Event{Phase: job.PhaseBuild, Message: "compiling"})
	c.pass(3.4)
	p.Event(job.Event{Phase: job.PhaseDiagnose, Message: "running each failing test alone"})
	for range 90 {
		c.pass(1)
		p.Event(job.Event{Phase: job.PhaseDiagnose, Message: "::error::evil ##[error]", Done: 7})
		p.beat()
	}
	p.Event(job.Event{Phase: job.PhaseProve, Best: "a patch", Done: 8})
	p.Close()
}

func TestPlainLines(t *testing.T) {
	p, out, c := begin(Plain, 0)
	work(p, c)
	const want = `0.0s build · compiling
3.4s diagnose · running each failing test alone
33s diagnose · 7 orders run · ::error::evil # #[error]
63s diagnose · 7 orders run · ::error::evil # #[error]
93s diagnose · 7 orders run · ::error::evil # #[error]
93s prove · 8 orders run · so far: a patch
`
	if out.String() != want {
		t.Errorf("got\n%s", out)
	}
}

func TestGroupsOfActions(t *testing.T) {
	p, out, c := begin(Actions, 0)
	work(p, c)
	const want = `::group::odfix 0.0s build · compiling
::endgroup::
::group::odfix 3.4s diagnose · running each failing test alone
33s diagnose · 7 orders run · ::error::evil # #[error]
63s diagnose · 7 orders run · ::error::evil # #[error]
93s diagnose · 7 orders run · ::error::evil # #[error]
::endgroup::
::group::odfix 93s prove · 8 orders run · so far: a patch
::endgroup::
`
	if out.String() != want {
		t.Errorf("got\n%s", out)
	}
}

func TestStyleOf(t *testing.T) {
	for _, c := range []struct {
		verbose bool
		actions string
		want    Style
	}{{false, "", Plain}, {false, "true", Actions}, {true, "true", Verbose}} {
		getenv := func(name string) string { return map[string]string{"GITHUB_ACTIONS": c.actions}[name] }
		if got := StyleOf(&bytes.Buffer{}, c.verbose, getenv); got != c.want {
			t.Errorf("%v: %d", c, got)
		}
	}
}

// TestVerbose checks that events and log become lines of one kind, and that no event is shown twice.
func TestVerbose(t *testing.T) {
	p, out, c := begin(Verbose, 0)
	p.Event(job.Event{Phase: job.PhaseBuild, Message: "compiling"})
	c.pass(2)
	for _, part := range []string{
		"one\ntw", "o\x1b[0m\n", "::error::forged\n",
		`{"level":"debug","ts":"2026","msg":"progress","phase":"build"}` + "\n" + `{"level":"info","ts":"2026","msg":"asked","tests":3,`,
		`"price":"fresh","why":"two words","of":["a"]}` + "\n" + `{"level":"error","msg":"job failed","error":"no test"}` + "\nrest",
	} {
		if n, err := p.Write([]byte(part)); n != len(part) || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	const want = `0.0s build · compiling
one
two\x1b[0m
: ::error::forged
2.0s asked tests=3 price=fresh why="two words" of=["a"]
2.0s error: job failed error="no test"
`
	if out.String() != want {
		t.Errorf("got\n%s", out)
	}
}

// TestWithoutCommands: no line of a text is a command for GitHub Actions.
func TestWithoutCommands(t *testing.T) {
	for text, want := range map[string]string{
		"odfix: no\n::error::owned\n  ::stop": "odfix: no\n: ::error::owned\n: ::stop",
		"a ##[error]owned\n":                  "a # #[error]owned\n",
		"a::b":                                "a::b",
		"":                                    "",
	} {
		if got := WithoutCommands(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
