package main

import (
	"io"
	"os"
	"sync"
)

// jobLog is the log of a job. The log of a job that continues another one is a temporary file until
// the job is accepted, because a refused job changes nothing in its output folder.
type jobLog struct {
	mu   sync.Mutex
	file *os.File
	next string // the file that the log becomes; empty: it is that file
}

// createLog creates the log. If it is held, it becomes the file as soon as the job is accepted.
func createLog(path string, held bool) (l *jobLog, err error) {
	l = &jobLog{}
	if held {
		l.next = path
		l.file, err = os.CreateTemp("", "odfix-*.log")
	} else {
		l.file, err = os.Create(path)
	}
	return l, err
}

// Write implements io.Writer.
func (l *jobLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Write(p)
}

// accept moves a held log to its place. It stays where it is if that fails.
func (l *jobLog) accept() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next == "" {
		return
	}
	to, err := os.Create(l.next)
	if err != nil {
		return
	}
	l.next = ""
	if _, err := l.file.Seek(0, io.SeekStart); err == nil {
		_, _ = io.Copy(to, l.file)
	}
	_ = l.file.Close()
	_ = os.Remove(l.file.Name())
	l.file = to
}

// held reports whether the log is still a temporary file.
func (l *jobLog) held() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.next != ""
}

// path is where the log is now.
func (l *jobLog) path() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Name()
}

// Close implements io.Closer.
func (l *jobLog) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Close()
}
