package github

import (
	"context"
	"errors"
	"io"
	"net/http"

	"golang.org/x/sync/semaphore"
)

// Memory for bodies whose signatures are not verified yet.
const (
	// ordinaryInFlight is for bodies up to ordinaryBody, largeInFlight for larger ones: senders of
	// large bodies delay only large bodies. A body that grows has its old and its new buffer, so the
	// ordinary ones of all connections fit.
	ordinaryInFlight = MaxConnections * (ordinaryBody + ordinaryBody/2 + 1)
	largeInFlight    = 8 * MaxBody
	firstBuffer      = 32 << 10
)

// intake bounds the memory for bodies.
type intake struct{ ordinary, large *semaphore.Weighted }

func newIntake() intake {
	return intake{semaphore.NewWeighted(ordinaryInFlight), semaphore.NewWeighted(largeInFlight)}
}

// errCrowded means that there was no memory in time.
var errCrowded = errors.New("no memory for the body")

// body is a body that is read. Its memory counts as it is allocated, and is allocated for bytes
// that have arrived, not for the announced length.
type body struct {
	intake
	buf  []byte
	free func()
}

// read reads a whole body. The caller calls free, also after an error.
func (b *body) read(ctx context.Context, r io.Reader, length int64) error {
	b.free = func() {}
	for {
		if len(b.buf) == cap(b.buf) {
			if err := b.grow(ctx, length); err != nil {
				return err
			}
		}
		n, err := r.Read(b.buf[len(b.buf):cap(b.buf)])
		b.buf = b.buf[:len(b.buf)+n]
		switch {
		case errors.Is(err, io.EOF) && length >= 0 && int64(len(b.buf)) != length:
			return io.ErrUnexpectedEOF
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// grow doubles the buffer. One byte more than the body lets read see its end.
func (b *body) grow(ctx context.Context, length int64) error {
	size := min(max(2*int64(cap(b.buf)), firstBuffer), MaxBody+1)
	if length >= int64(cap(b.buf)) {
		size = min(size, length+1)
	}
	if size <= int64(cap(b.buf)) {
		return &http.MaxBytesError{Limit: MaxBody}
	}
	from := b.ordinary
	if size > ordinaryBody+1 {
		from = b.large
	}
	if from.Acquire(ctx, size) != nil {
		return errCrowded
	}
	b.buf = append(make([]byte, 0, size), b.buf...)
	b.free() // the smaller buffer
	b.free = func() { from.Release(size) }
	return nil
}
