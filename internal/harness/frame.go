package harness

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// maxFrame bounds the bytes after a frame's length word.
const maxFrame = 16 << 20

// errTruncated means that the stream ended inside a frame, as it does when a process ends while it
// writes.
var errTruncated = errors.New("the stream ended inside a frame")

// protocolError is a violation of the protocol by the harness.
type protocolError struct{ msg string }

func (e *protocolError) Error() string { return e.msg }

func protocolf(format string, args ...any) error {
	return &protocolError{fmt.Sprintf(format, args...)}
}

// readFrame reads the next frame whose type is in known. It skips other frames. The error is io.EOF
// at a clean end, errTruncated, a protocolError, or the reader's error.
func readFrame(r *bufio.Reader, known string) (kind byte, body []byte, err error) {
	for {
		kind, n, err := readHead(r)
		if err != nil {
			return 0, nil, err
		}
		if slices.Contains([]byte(known), kind) {
			body, err := readBody(r, n)
			return kind, body, err
		}
		if _, err := io.CopyN(io.Discard, r, n); err != nil {
			return 0, nil, inside(err)
		}
	}
}

// readHead reads length and type; n is the number of body bytes that follow.
func readHead(r *bufio.Reader) (kind byte, n int64, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, 0, ifUnexpected(err)
	}
	size := binary.BigEndian.Uint32(head[:4])
	if size < 1 || size > maxFrame {
		return 0, 0, protocolf("a frame of %d bytes (1 to %d are allowed)", size, maxFrame)
	}
	return head[4], int64(size) - 1, nil
}

// readBody allocates memory as bytes arrive, not as the length word says.
func readBody(r io.Reader, n int64) ([]byte, error) {
	var b bytes.Buffer
	if _, err := io.CopyN(&b, r, n); err != nil {
		return nil, inside(err)
	}
	return b.Bytes(), nil
}

func ifUnexpected(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errTruncated
	}
	return err
}

func inside(err error) error {
	if errors.Is(err, io.EOF) {
		return errTruncated
	}
	return err
}

// fields reads the fields of a body one after the other. After the first error, it keeps that error
// and returns zero values.
type fields struct {
	rest []byte
	err  error
}

func (f *fields) take(n uint64) []byte {
	if f.err != nil {
		return nil
	}
	if n > uint64(len(f.rest)) {
		f.err = protocolf("a field of %d bytes where %d are left", n, len(f.rest))
		return nil
	}
	b := f.rest[:n]
	f.rest = f.rest[n:]
	return b
}

func (f *fields) u8() byte {
	if b := f.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (f *fields) u32() uint32 {
	if b := f.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (f *fields) i64() int64 {
	if b := f.take(8); b != nil {
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

func (f *fields) str() string { return string(f.take(uint64(f.u32()))) }

// list calls item for each element. An element takes at least least bytes. So list can refuse a
// count that the body cannot hold before it allocates memory.
func (f *fields) list(least int, item func()) {
	n := f.u32()
	if f.err == nil && uint64(n)*uint64(least) > uint64(len(f.rest)) {
		f.err = protocolf("a list of %d where %d bytes are left", n, len(f.rest))
	}
	for i := uint32(0); i < n && f.err == nil; i++ {
		item()
	}
}

func (f *fields) strs() []string {
	var out []string
	f.list(4, func() { out = append(out, f.str()) })
	return out
}

// message is a frame under construction.
type message []byte

// newMessage begins a frame. frame sets its length word.
func newMessage(kind byte) message { return message{0, 0, 0, 0, kind} }

func (m message) i64(v int64) message { return binary.BigEndian.AppendUint64(m, uint64(v)) }

func (m message) str(s string) message {
	return append(binary.BigEndian.AppendUint32(m, uint32(len(s))), s...)
}

func (m message) strs(list []string) message {
	m = binary.BigEndian.AppendUint32(m, uint32(len(list)))
	for _, s := range list {
		m = m.str(s)
	}
	return m
}

// frame returns the finished frame, or an error if it is longer than maxFrame.
func (m message) frame() ([]byte, error) {
	n := len(m) - 4
	if n > maxFrame {
		return nil, fmt.Errorf("an order of %d bytes is longer than the %d that a test process accepts at once: ask "+
			"about fewer tests", n, maxFrame)
	}
	binary.BigEndian.PutUint32(m, uint32(n))
	return m, nil
}
