// Package archive unpacks untrusted archives: the sources of a commit, and the artifacts of a CI
// run. It also reads the sources without unpacking them (Tree).
//
// Invariants: nothing is written outside of the folder (an os.Root), whatever names and links an
// archive has. The number of bytes, of members, of links and of folders around a file are bounded,
// and so is the ratio of unpacked bytes to the archive's size; an archive beyond a bound is refused
// as a whole. The work grows linearly with the archive, and ends with the context. A file is executable only if the archive says
// so. No file is set-uid, a device or a pipe.
package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// Limits are the limits for an archive. For a zero field, the value of Defaults is used.
type Limits struct {
	Bytes   int64 // of all files
	Members int   // of any kind
	Ratio   int64 // bytes written for each byte read, beyond free
}

// Defaults are enough for large projects. They are for sandboxes, which have limits of their own. A
// server sets lower ones.
var Defaults = Limits{Bytes: 4 << 30, Members: 400_000, Ratio: 200}

// free is the number of bytes from which the ratio counts: small archives often have long runs of
// the same character.
const free = 8 << 20

func (l Limits) filled() Limits {
	l.Bytes = cmp.Or(l.Bytes, Defaults.Bytes)
	l.Members = cmp.Or(l.Members, Defaults.Members)
	l.Ratio = cmp.Or(l.Ratio, Defaults.Ratio)
	return l
}

// ErrRefused is wrapped by errors of the archive. Errors of the disk do not wrap it.
var ErrRefused = errors.New("refused")

func refuse(format string, args ...any) error {
	return fmt.Errorf("the archive is %w: %s", ErrRefused, fmt.Sprintf(format, args...))
}

// meter enforces the limits.
type meter struct {
	ctx     context.Context
	limits  Limits
	members int
	written int64
	read    func() int64 // bytes of the archive consumed so far
	buf     []byte       // for the contents of all members
	folders map[string]bool
}

func (m *meter) member() error {
	if m.members++; m.members > m.limits.Members {
		return refuse("it has more than %d files and folders", m.limits.Members)
	}
	return m.ctx.Err()
}

// beyondRatio reports whether so many bytes are too many for what was read of the archive.
func (m *meter) beyondRatio(bytes int64) bool {
	return bytes > free && bytes-free > m.limits.Ratio*m.read()
}

// copy writes a member's content within the limits.
func (m *meter) copy(w io.Writer, r io.Reader) error {
	if m.buf == nil {
		m.buf = make([]byte, 64<<10)
	}
	for {
		n, err := r.Read(m.buf)
		m.written += int64(n)
		switch {
		case m.written > m.limits.Bytes:
			return refuse("it unpacks to more than %d MiB", m.limits.Bytes>>20)
		case m.beyondRatio(m.written):
			return refuse("it unpacks to more than %d times its size", m.limits.Ratio)
		case m.ctx.Err() != nil:
			return m.ctx.Err()
		}
		if _, werr := w.Write(m.buf[:n]); werr != nil {
			return werr
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return refuse("it is broken: %v", err)
		}
	}
}

// Bounds on a member's name or a link's target, in bytes, and on the folders around a member. The
// work for each member grows with both.
const (
	maxName  = 1024
	maxDepth = 100
)

// local returns a member's name as a path in the folder. It refuses names that leave the folder
// before anything is written. os.Root would refuse them later.
func local(name string) (string, error) {
	clean := path.Clean(name)
	switch {
	case name == "" || strings.ContainsAny(name, "\x00\\") || path.IsAbs(name):
		return "", refuse("the name %q is not a relative path", short(name))
	case len(name) > maxName:
		return "", refuse("a name has %d bytes", len(name))
	case strings.Count(clean, "/") > maxDepth:
		return "", refuse("%q… is in more than %d folders", short(name), maxDepth)
	case !fs.ValidPath(clean):
		return "", refuse("the name %q leaves the folder", short(name))
	}
	return clean, nil
}

func short(s string) string { return s[:min(len(s), 100)] }

// block is what a file or folder takes of a disk in addition to its content.
const block = 4 << 10

// around counts the folders around a file that are not there yet. Each counts as a member.
func (m *meter) around(name string) error {
	if m.folders == nil {
		m.folders = map[string]bool{}
	}
	for dir := path.Dir(name); dir != "." && !m.folders[dir]; dir = path.Dir(dir) {
		m.folders[dir] = true
		m.written += block
		if err := m.member(); err != nil {
			return err
		}
	}
	return nil
}

// write makes a file in root, with its folders.
func (m *meter) write(root *os.Root, name string, executable bool, r io.Reader) error {
	if err := m.around(name); err != nil {
		return err
	}
	m.written += block
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return within(err)
	}
	mode := fs.FileMode(0o644)
	if executable {
		mode = 0o755
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return refuse("it has %q twice", short(name))
	}
	if err != nil {
		return within(err)
	}
	err = m.copy(f, r)
	return errors.Join(err, f.Close())
}

// within adds ErrRefused to an error of making a file. Mostly it is a fault of the archive, such as
// an impossible name or a link out of the folder.
func within(err error) error {
	return fmt.Errorf("a file of the archive cannot be made (%w): %w", ErrRefused, err)
}

// counter counts the bytes that are read through it.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
