// Package keys holds what a server reads from files that may change while it runs, above all its
// secrets, and the App's private key, which may be outside of this process.
//
// Invariants: what a file had before counts until the file has something that can be used. No error
// of this package contains a secret.
package keys

import (
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"
)

// maxFile is the size limit of a file.
const maxFile = 64 << 10

// File is a value that is read from a file, and read again when the file has changed. It is safe for
// concurrent use.
type File[T any] struct {
	path  string // empty: the value never changes
	parse func(text []byte) (T, error)

	mu    sync.Mutex
	seen  fs.FileInfo // of the last reading
	read  time.Time
	sum   [sha256.Size]byte // of the text
	value T
	err   error
	note  func(T, error)
}

// Open reads a file. Later, parse is called for each change of it.
func Open[T any](path string, parse func(text []byte) (T, error)) (*File[T], error) {
	f := &File[T]{path: path, parse: parse, note: func(T, error) {}}
	f.look()
	if f.seen != nil && !f.seen.Mode().IsRegular() {
		f.path = "" // a pipe, which can be read once
	}
	return f, f.err
}

// Fixed is a value that never changes, such as one of the environment.
func Fixed[T any](value T) *File[T] { return &File[T]{value: value} }

// Get is the value of the file, or the last one that could be used.
func (f *File[T]) Get() T {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.look()
	return f.value
}

// Err says why the file's present content does not count; nil if it does.
func (f *File[T]) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.look()
	return f.err
}

// Notify has f called whenever the file has changed, with the value that counts, and with an error if
// it is not that of the file. It must not call File's methods.
func (f *File[T]) Notify(note func(T, error)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.note = note
}

// tick is more than the precision of a file's time. A file that changed this shortly before it was
// read may have changed once more, with the same time.
const tick = 2 * time.Second

// look reads the file if it may have changed, or could not be used. A link may lead to another file by
// now, as in a Secret of Kubernetes.
func (f *File[T]) look() {
	if f.path == "" {
		return
	}
	now, err := os.Stat(f.path)
	if err == nil && f.err == nil && f.seen != nil && os.SameFile(now, f.seen) && now.Size() == f.seen.Size() &&
		now.ModTime().Equal(f.seen.ModTime()) && f.read.Sub(now.ModTime()) > tick {
		return
	}
	var text []byte
	if err == nil && !f.read.IsZero() && !now.Mode().IsRegular() {
		now, err = nil, errors.New("it is not a regular file") // reading a pipe could block for ever
	}
	f.read, f.seen = time.Now(), now
	if err == nil {
		text, err = readBounded(f.path)
	}
	if sum := sha256.Sum256(text); err == nil && (f.err != nil || sum != f.sum) {
		var value T
		if value, err = f.parse(text); err == nil {
			f.value, f.sum, f.err = value, sum, nil
			f.note(f.value, nil)
			return
		}
	}
	if err != nil && (f.err == nil || f.err.Error() != err.Error()) {
		f.note(f.value, err)
	}
	f.err = err
}

// readBounded reads a file of at most maxFile bytes.
func readBounded(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = errors.New("it is larger than 64 KiB")
	}
	return text, err
}
