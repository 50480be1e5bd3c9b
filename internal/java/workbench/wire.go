package workbench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// maxAnswer bounds one answer line: scripts of large tests and full texts of changed files.
const maxAnswer = 64 << 20

type hello struct {
	Version  int    `json:"version"`
	Java     string `json:"java"`
	Home     string `json:"home"`
	Compiler bool   `json:"compiler"`
}

type request struct {
	ID     int64  `json:"id"`
	Op     string `json:"op"`
	Params any    `json:"params"`
}

type answer struct {
	ID     int64           `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *Problem        `json:"error"`
}

// wire matches answers to requests over one pair of pipes.
type wire struct {
	hello chan hello    // receives once
	ended chan struct{} // closed when no more answers can come

	writing sync.Mutex
	in      io.WriteCloser

	mu      sync.Mutex
	next    int64
	waiting map[int64]chan answer
	closed  bool
}

func newWire(in io.WriteCloser, out io.Reader) *wire {
	w := &wire{hello: make(chan hello, 1), ended: make(chan struct{}), in: in, waiting: map[int64]chan answer{}}
	go w.read(out)
	return w
}

func (w *wire) read(out io.Reader) {
	defer close(w.ended)
	lines := bufio.NewScanner(out)
	lines.Buffer(make([]byte, 64<<10), maxAnswer)
	for first := true; lines.Scan(); {
		if first {
			var h hello
			if json.Unmarshal(lines.Bytes(), &h) == nil && h.Version > 0 {
				w.hello <- h
				first = false
			}
			continue
		}
		var a answer
		if json.Unmarshal(lines.Bytes(), &a) == nil {
			w.deliver(a)
		}
	}
	// A line that is too long ends the scanner. The rest is read and dropped so that the process
	// can end.
	_, _ = io.Copy(io.Discard, out)
}

func (w *wire) deliver(a answer) {
	w.mu.Lock()
	ch := w.waiting[a.ID]
	delete(w.waiting, a.ID)
	w.mu.Unlock()
	if ch != nil {
		ch <- a
	}
}

func (w *wire) call(ctx context.Context, op string, params, result any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	id, ch := w.enter()
	defer w.leave(id)
	if err := w.send(request{ID: id, Op: op, Params: params}); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-w.ended:
		// The answer may have arrived at the same time as the end.
		select {
		case a := <-ch:
			return a.into(result)
		default:
			return ErrClosed
		}
	case a := <-ch:
		return a.into(result)
	}
}

func (w *wire) enter() (int64, chan answer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next++
	ch := make(chan answer, 1)
	w.waiting[w.next] = ch
	return w.next, ch
}

func (w *wire) leave(id int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.waiting, id)
}

func (w *wire) send(r request) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	w.writing.Lock()
	defer w.writing.Unlock()
	if w.closed {
		return ErrClosed
	}
	if _, err := w.in.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("%w (%v)", ErrClosed, err)
	}
	return nil
}

func (w *wire) close() {
	w.writing.Lock()
	defer w.writing.Unlock()
	if !w.closed {
		w.closed = true
		_ = w.in.Close()
	}
}

func (a answer) into(result any) error {
	if a.Error != nil {
		return a.Error
	}
	if len(a.Result) == 0 {
		return errors.New("an answer without a result")
	}
	return json.Unmarshal(a.Result, result)
}
