package build

import (
	"bytes"
	"time"
)

// maxLog bounds the log. Later output is dropped.
const maxLog = 64 << 20

// log writes a time stamp before every line, as GitHub's runner does.
type log struct {
	now  func() time.Time
	text bytes.Buffer
	open bool // the last line is not complete
}

func newLog() *log { return &log{now: time.Now} }

// Write implements io.Writer.
func (l *log) Write(p []byte) (int, error) {
	for line := range bytes.Lines(p) {
		if l.text.Len() > maxLog {
			break
		}
		if !l.open {
			l.text.WriteString(l.now().UTC().Format("2006-01-02T15:04:05.0000000Z "))
		}
		l.text.Write(line)
		l.open = line[len(line)-1] != '\n'
	}
	return len(p), nil
}

// line writes a line of the runner itself.
func (l *log) line(text string) {
	if l.open {
		text = "\n" + text
	}
	_, _ = l.Write([]byte(text + "\n"))
}

func (l *log) bytes() []byte { return l.text.Bytes() }
