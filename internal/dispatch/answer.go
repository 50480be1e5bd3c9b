package dispatch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/odfix/odfix/internal/child"
	"github.com/odfix/odfix/internal/job"
)

// maxLine bounds one message of a runner, in bytes. The largest is the report. A job can set a lower
// bound (job.Job.MaxReport), and then other messages may have up to maxEvent bytes.
const (
	maxLine  = 64 << 20
	maxEvent = 64 << 10
)

// message is one line of a runner's output; exactly one field is set.
type message struct {
	Event  *job.Event      `json:"event"`
	Log    json.RawMessage `json:"log"`
	Report *job.Report     `json:"report"`
	Alive  bool            `json:"alive"`
}

// answer reads a runner's output as it is written to it.
type answer struct {
	on       func(job.Event)
	log      *tail
	complete chan struct{} // receives once, when the report has arrived
	broken   chan struct{} // receives once, when output is not in the wire format
	active   chan struct{} // holds a value if there was output since it was last read

	bounds job.Bounds // of the report; zero: maxLine is the only one
	line   []byte     // the beginning of a line not yet ended
	report *job.Report
	err    *job.Error
}

var _ io.Writer = (*answer)(nil)

func newAnswer(on func(job.Event), log io.Writer, most int) *answer {
	if on == nil {
		on = func(job.Event) {}
	}
	a := &answer{
		on: on, log: &tail{Tail: child.Tail{Size: maxTail}, also: log},
		complete: make(chan struct{}, 1), broken: make(chan struct{}, 1), active: make(chan struct{}, 1),
	}
	if most > 0 {
		a.bounds = job.BoundsOf(min(most, maxLine))
	}
	return a
}

// room is how many bytes the line may have that begins like this.
func (a *answer) room(line []byte) int {
	switch {
	case a.bounds.Bytes == 0:
		return maxLine
	case bytes.HasPrefix(line, []byte(`{"report"`)):
		return a.bounds.Bytes
	}
	return min(maxEvent, a.bounds.Bytes)
}

// Write takes output in any portions. It never fails: a runner may go on writing after its report.
func (a *answer) Write(b []byte) (int, error) {
	n := len(b)
	select {
	case a.active <- struct{}{}:
	default:
	}
	for len(b) > 0 && a.err == nil && a.report == nil {
		part, rest, ended := bytes.Cut(b, []byte("\n"))
		begin := a.line
		if len(begin) < len(`{"report"`) {
			begin = append(begin[:len(begin):len(begin)], part[:min(len(part), len(`{"report"`))]...)
		}
		if most := a.room(begin); len(a.line)+len(part) > most {
			a.err = garbled(fmt.Sprintf("the runner sent a message of more than %d KiB", most>>10))
			a.broken <- struct{}{}
			break
		}
		a.line = append(a.line, part...)
		if ended {
			a.take(bytes.TrimSpace(a.line))
			a.line = a.line[:0]
		}
		b = rest
	}
	return n, nil
}

// take handles one whole line. A line that is no message is stray output: it goes to the log, where
// it can explain an error.
func (a *answer) take(line []byte) {
	l, bad := readLine(line, a.bounds)
	switch {
	case bad != nil:
		a.err = bad
		a.broken <- struct{}{}
	case l.Report != nil:
		a.report = l.Report
		a.complete <- struct{}{}
	case l.Event != nil:
		a.on(*l.Event)
	case l.Log != nil:
		_, _ = a.log.Write(append(l.Log, '\n'))
	}
}

// Line is one line of a runner's output. At most one field is set; none is set in a sign of life.
type Line struct {
	Event  *job.Event
	Report *job.Report
	Log    []byte // a log entry, or stray output
}

// ReadLine reads a line of the output of a runner whose report may have so many bytes. The line is
// foreign input.
func ReadLine(line []byte, most int) (Line, *job.Error) {
	a := answer{bounds: job.BoundsOf(min(most, maxLine))}
	if room := a.room(line); len(line) > room {
		return Line{}, garbled(fmt.Sprintf("the runner sent a message of more than %d KiB", room>>10))
	}
	return readLine(bytes.TrimSpace(line), a.bounds)
}

func readLine(line []byte, bounds job.Bounds) (Line, *job.Error) {
	if bounds.Bytes > 0 {
		if err := bounds.Check(line); err != nil {
			return Line{}, garbled("the runner's message is not read: " + err.Error())
		}
	}
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		if bytes.HasPrefix(line, []byte(`{"report"`)) {
			return Line{}, garbled("the runner's report cannot be read: " + err.Error())
		}
		return Line{Log: line}, nil
	}
	if m.Report != nil && m.Report.Version != job.Version {
		e := garbled(fmt.Sprintf("the runner answers in version %d of the report, this odfix reads version %d", m.Report.Version, job.Version))
		e.Code = CodeVersion
		return Line{}, e
	}
	return Line{Event: m.Event, Report: m.Report, Log: m.Log}, nil
}

func garbled(text string) *job.Error {
	return &job.Error{Code: CodeGarbled, Message: text, Hint: "restart odfix: its program may have been replaced by another release while it ran"}
}

// result may be called when the runner has ended and all its output was taken.
func (a *answer) result() (*job.Report, *job.Error) { return a.report, a.err }

// tail keeps the end of the log and passes everything on.
type tail struct {
	child.Tail
	mu   sync.Mutex
	also io.Writer
}

// maxTail is how many bytes of log an error carries.
const maxTail = 8 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.also != nil {
		_, _ = t.also.Write(b) // a full disk is no reason to lose the answer
	}
	return t.Tail.Write(b)
}

// String is the kept end, from the start of a line, without messages that a runner always logs.
func (t *tail) String() string {
	kept, before := t.End(maxTail)
	if i := strings.IndexByte(kept, '\n'); i >= 0 && before > 0 {
		kept = kept[i+1:]
	}
	var out strings.Builder
	for line := range strings.Lines(kept) {
		if !strings.HasPrefix(line, `{"level":"debug"`) && !strings.HasPrefix(line, `{"level":"info"`) {
			out.WriteString(line)
		}
	}
	return strings.TrimRight(out.String(), "\n")
}
