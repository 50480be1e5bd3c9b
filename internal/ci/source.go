package ci

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Bounds on what is read at once.
const (
	sniffBytes  = 64 << 10 // read to find the kind of a file
	maxLineHead = 16 << 10 // kept from the beginning of a line
	maxLineTail = 4 << 10  // kept from the end of a longer one
)

// source is an open file: decompressed, without byte-order mark, and converted from UTF-16 to
// UTF-8.
type source struct {
	br      *bufio.Reader
	closers []io.Closer
	path    string
	reader
	left   int64
	lineNo int
}

func (r reader) open(path string) (*source, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", path, err)
	}
	s, err := r.source(path, f)
	if err != nil {
		f.Close()
		return nil, err
	}
	s.closers = append(s.closers, f)
	return s, nil
}

// source wraps an open file; path is for messages only.
func (r reader) source(path string, file io.Reader) (*source, error) {
	s := &source{path: path, reader: r, left: r.limits.Bytes}
	br := bufio.NewReaderSize(file, sniffBytes)
	if head, _ := br.Peek(4); r.limits.Own && bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(br)
		if err != nil {
			return nil, fmt.Errorf("%s looks gzip-compressed and cannot be unpacked: %w", path, err)
		}
		s.closers = append(s.closers, z)
		br = bufio.NewReaderSize(z, sniffBytes)
	} else if bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		return nil, fmt.Errorf("%s is a zip archive; unpack it and give the log or the report folder inside", path)
	}
	head, _ := br.Peek(3)
	switch {
	case bytes.HasPrefix(head, []byte{0xef, 0xbb, 0xbf}):
		br.Discard(3)
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}), bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		br.Discard(2)
		br = bufio.NewReaderSize(&utf16Reader{r: br, big: head[0] == 0xfe}, sniffBytes)
	}
	s.br = br
	return s, nil
}

// Close closes all opened readers, innermost first.
func (s *source) Close() error {
	var errs []error
	for _, c := range s.closers {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

var errTooLong = errors.New("source too long")

// Read makes a source a bounded io.Reader.
func (s *source) Read(p []byte) (int, error) {
	if s.left <= 0 {
		return 0, errTooLong
	}
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := s.br.Read(p)
	s.left -= int64(n)
	return n, err
}

// line returns the next line without its end. It keeps the beginning and the end of a very long
// line, because a plugin's output may follow a test's.
func (s *source) line() ([]byte, error) {
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	chunk, err := s.br.ReadSlice('\n')
	if s.left -= int64(len(chunk)); s.left < 0 {
		return nil, errTooLong
	}
	if !errors.Is(err, bufio.ErrBufferFull) && len(chunk) <= maxLineHead {
		return s.ended(chunk, err)
	}
	head := append([]byte(nil), chunk[:min(len(chunk), maxLineHead)]...)
	tail := lastBytes(nil, chunk[len(head):])
	for errors.Is(err, bufio.ErrBufferFull) {
		chunk, err = s.br.ReadSlice('\n')
		if s.left -= int64(len(chunk)); s.left < 0 {
			return nil, errTooLong
		}
		tail = lastBytes(tail, chunk)
	}
	return s.ended(append(head, tail...), err)
}

func (s *source) ended(line []byte, err error) ([]byte, error) {
	if len(line) == 0 && err != nil {
		return nil, err
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	s.lineNo++
	return bytes.TrimRight(line, "\r\n"), nil
}

func lastBytes(tail, more []byte) []byte {
	tail = append(tail, more[max(0, len(more)-maxLineTail):]...)
	return append([]byte(nil), tail[max(0, len(tail)-maxLineTail):]...)
}

// failure converts a reading error into one for people.
func (s *source) failure(err error) error {
	if errors.Is(err, errTooLong) {
		return fmt.Errorf("%s is larger than %d GiB unpacked; cut out the test step's lines", s.path, s.limits.Bytes>>30)
	}
	return fmt.Errorf("%s cannot be read to its end (line %d): %w", s.path, s.lineNo, err)
}

// validUTF8 replaces bytes that are not UTF-8.
func validUTF8(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}

// utf16Reader decodes UTF-16 (what PowerShell writes with '>') as it goes.
type utf16Reader struct {
	r    *bufio.Reader
	big  bool
	rest []byte
}

func (u *utf16Reader) Read(p []byte) (int, error) {
	for len(u.rest) < len(p) && len(u.rest) < utf8.UTFMax {
		r, err := u.unit()
		if err != nil {
			if len(u.rest) > 0 {
				break
			}
			return 0, err
		}
		if utf16.IsSurrogate(r) {
			if low, err := u.unit(); err == nil {
				r = utf16.DecodeRune(r, low)
			}
		}
		u.rest = utf8.AppendRune(u.rest, r)
	}
	n := copy(p, u.rest)
	u.rest = u.rest[:copy(u.rest, u.rest[n:])]
	return n, nil
}

func (u *utf16Reader) unit() (rune, error) {
	var b [2]byte
	if _, err := io.ReadFull(u.r, b[:]); err != nil {
		return 0, io.EOF
	}
	if u.big {
		return rune(b[0])<<8 | rune(b[1]), nil
	}
	return rune(b[1])<<8 | rune(b[0]), nil
}
