// Package archive unpacks archives that anybody could have made: a commit's
// sources, the artifacts of a CI run.
//
// Invariants: nothing is written outside of the folder, whatever names and links
// an archive holds (the folder is an os.Root); what is written, how many members
// and how much more than was packed are bounded, and an archive beyond a
// bound is refused, never cut; nothing that is unpacked is executable unless the
// archive says so, and nothing is set-uid, a device or a pipe.
package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// Limits bound what is unpacked; the zero value takes Defaults.
type Limits struct {
	Bytes   int64 // written in all
	Members int   // of any kind
	Ratio   int64 // bytes written for each byte read, beyond what is free
}

// Defaults are room for large projects.
var Defaults = Limits{Bytes: 4 << 30, Members: 400_000, Ratio: 200}

// free is how much may be written before the ratio counts: small archives of
// long runs of the same character are usual.
const free = 8 << 20

func (l Limits) filled() Limits {
	if l.Bytes == 0 {
		l.Bytes = Defaults.Bytes
	}
	if l.Members == 0 {
		l.Members = Defaults.Members
	}
	if l.Ratio == 0 {
		l.Ratio = Defaults.Ratio
	}
	return l
}

// ErrRefused is wrapped by the errors that say what is wrong with an archive, as
// opposed to those of the disk.
var ErrRefused = errors.New("refused")

func refuse(format string, args ...any) error {
	return fmt.Errorf("the archive is %w: %s", ErrRefused, fmt.Sprintf(format, args...))
}

// meter counts against the limits.
type meter struct {
	ctx     context.Context
	limits  Limits
	members int
	written int64
	read    func() int64 // bytes of the archive consumed so far
}

func (m *meter) member() error {
	if m.members++; m.members > m.limits.Members {
		return refuse("it holds more than %d files", m.limits.Members)
	}
	return m.ctx.Err()
}

// copy writes a member's content, counting.
func (m *meter) copy(w io.Writer, r io.Reader) error {
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		m.written += int64(n)
		switch {
		case m.written > m.limits.Bytes:
			return refuse("it unpacks to more than %d MiB", m.limits.Bytes>>20)
		case m.written > free && m.written-free > m.limits.Ratio*m.read():
			return refuse("it unpacks to more than %d times its size", m.limits.Ratio)
		case m.ctx.Err() != nil:
			return m.ctx.Err()
		}
		if _, werr := w.Write(buf[:n]); werr != nil {
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

// local is a member's name as a path below the folder, or an error. An os.Root
// would refuse what leaves it, too; this says so before anything is made.
func local(name string) (string, error) {
	clean := path.Clean(name)
	switch {
	case name == "" || strings.ContainsAny(name, "\x00\\") || path.IsAbs(name):
		return "", refuse("the name %q is not a relative path", short(name))
	case len(name) > 4096:
		return "", refuse("a name has %d bytes", len(name))
	case !fs.ValidPath(clean):
		return "", refuse("the name %q leaves the folder", short(name))
	}
	return clean, nil
}

func short(s string) string { return s[:min(len(s), 100)] }

// write makes a file below root, with the folders above it.
func (m *meter) write(root *os.Root, name string, executable bool, r io.Reader) error {
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return within(err)
	}
	mode := fs.FileMode(0o644)
	if executable {
		mode = 0o755
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return refuse("it holds %q twice", short(name))
	}
	if err != nil {
		return within(err)
	}
	err = m.copy(f, r)
	return errors.Join(err, f.Close())
}

// within names the archive in an error of the folder it is unpacked into. That a
// name cannot be made, or that a link leads out, is the archive's doing mostly.
func within(err error) error {
	return fmt.Errorf("a file of the archive cannot be made (%w): %w", ErrRefused, err)
}

// counter counts what is read through it.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
