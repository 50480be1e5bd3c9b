package build

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
)

// Bounds on what is kept of a build's output.
const (
	maxLog   = 64 << 20 // bytes in the log file
	maxLine  = 4 << 10  // bytes of one line in memory
	maxLines = 2000     // lines in memory
)

// output receives what a build tool prints. It writes all of it (bounded) to a file, and keeps the
// last lines and the errors in memory.
type output struct {
	mu      sync.Mutex
	file    *os.File
	copy    io.Writer
	written int
	part    []byte   // the line being received
	tail    []string // the last lines
	errors  []string // lines marked as errors
	isError func(line string) (string, bool)
}

func newOutput(file string, copy io.Writer, isError func(string) (string, bool)) (*output, error) {
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	return &output{file: f, copy: copy, isError: isError}, nil
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.copy != nil {
		o.copy.Write(b)
	}
	if o.file != nil && o.written < maxLog {
		o.written += len(b)
		o.file.Write(b) // a full disk shows in the build itself
		if o.written >= maxLog {
			o.file.WriteString("\n… the rest is left out\n")
		}
	}
	for rest := b; len(rest) > 0; {
		line, more, whole := bytes.Cut(rest, []byte{'\n'})
		if room := maxLine - len(o.part); room > 0 {
			o.part = append(o.part, line[:min(room, len(line))]...)
		}
		if whole {
			o.line(string(o.part))
			o.part = o.part[:0]
		}
		rest = more
	}
	return len(b), nil
}

var ansi = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")

func (o *output) line(s string) {
	s = strings.TrimRight(ansi.ReplaceAllString(s, ""), "\r ")
	if len(o.tail) == maxLines {
		o.tail = append(o.tail[:0], o.tail[maxLines/2:]...)
	}
	o.tail = append(o.tail, s)
	if msg, ok := o.isError(s); ok && len(o.errors) < maxLines {
		o.errors = append(o.errors, msg)
	}
}

// Tail is the last n lines.
func (o *output) Tail(n int) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Join(o.tail[max(0, len(o.tail)-n):], "\n")
}

// Errors are the lines marked as errors.
func (o *output) Errors() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]string(nil), o.errors...)
}

func (o *output) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.file.Close()
}
