package github

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestAttackUnsignedBodies: the memory of all bodies is bounded, also of unsigned ones and of those
// that are not large.
func TestAttackUnsignedBodies(t *testing.T) {
	r := newRig(t)
	const others = ordinaryInFlight - firstBuffer
	if !r.hook.room.ordinary.TryAcquire(others) {
		t.Fatal("there is no room")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	req := request("check_run", "g", strings.Repeat(" ", 4*firstBuffer)).WithContext(ctx)
	req.Header.Set(headerSignature, sign("guess", "")) // as nobody knows before the end of the body
	if code, text := r.send(req); code != 503 || !strings.Contains(text, "redeliver") {
		t.Errorf("%d %s", code, text)
	}
	if code, _ := r.send(request("check_run", "small", checkRun)); code != 202 {
		t.Errorf("a small one: %d", code)
	}
	if !r.hook.room.ordinary.TryAcquire(firstBuffer) {
		t.Error("memory is not given back")
	}
}

// TestAttackSlowBodies: bodies that do not end, on all other connections, keep no memory from an
// ordinary delivery.
func TestAttackSlowBodies(t *testing.T) {
	r := newRig(t)
	var slow, all sync.WaitGroup
	end := make(chan struct{})
	for range MaxConnections - 1 {
		slow.Add(1)
		all.Go(func() {
			b := body{intake: r.hook.room}
			_ = b.read(t.Context(), io.MultiReader(bytes.NewReader(make([]byte, ordinaryBody)), stuck{&slow, end}), -1)
			b.free()
		})
	}
	slow.Wait()
	padded := strings.Replace(checkRun, `{`, `{`+strings.Repeat(" ", ordinaryBody-len(checkRun)), 1)
	if code, text := r.send(request("check_run", "g", padded)); code != 202 {
		t.Errorf("%d %s", code, text)
	}
	close(end)
	all.Wait()
}

// stuck is the rest of a body that does not arrive.
type stuck struct {
	reached *sync.WaitGroup
	end     chan struct{}
}

func (s stuck) Read([]byte) (int, error) {
	s.reached.Done()
	<-s.end
	return 0, io.ErrUnexpectedEOF
}

// TestAttackAnnouncedLength: an announced length takes no memory from others.
func TestAttackAnnouncedLength(t *testing.T) {
	r := newRig(t)
	b := body{intake: r.hook.room}
	if err := b.read(t.Context(), strings.NewReader("{"), MaxBody); err == nil || len(b.buf) != 1 {
		t.Errorf("%v, %d bytes", err, len(b.buf))
	}
	if !r.hook.room.large.TryAcquire(largeInFlight) || !r.hook.room.ordinary.TryAcquire(ordinaryInFlight-firstBuffer) {
		t.Error("it takes more than what has arrived")
	}
}
