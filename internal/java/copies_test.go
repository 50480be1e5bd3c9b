package java

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// Working copies are made once, however many processes need them at a time. If none can be made,
// one of them learns why. A process whose time is over leaves that to the next.
func TestCopiesAreMadeOnce(t *testing.T) {
	broken := errors.New("no space left on device")
	for _, fails := range []bool{false, true} {
		var made, said atomic.Int64
		p := &laterCopies{copy: func(ctx context.Context) (*copies, error) {
			made.Add(1)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if fails {
				return nil, broken
			}
			return &copies{all: make([]*clone, 2)}, nil
		}}
		over, cancel := context.WithCancel(t.Context())
		cancel()
		if c, err := p.take(over); c != nil || err != nil {
			t.Errorf("without time: %v, %v", c, err)
		}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				c, err := p.take(t.Context())
				if err != nil {
					said.Add(1)
				}
				if (c == nil) != fails {
					t.Errorf("fails %v: copies %v", fails, c)
				}
			})
		}
		wg.Wait()
		if want := map[bool]int64{true: 1}[fails]; made.Load() != 2 || said.Load() != want {
			t.Errorf("fails %v: made %d times, %d errors", fails, made.Load(), said.Load())
		}
		if want := map[bool]int{false: 2}[fails]; p.count() != want {
			t.Errorf("fails %v: %d copies", fails, p.count())
		}
	}
}

// TestAgain: a run that may have seen files of other processes is made once more.
func TestAgain(t *testing.T) {
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		errs []error
		want error
	}{
		"met others": {[]error{errMet, nil}, nil}, "met nobody": {[]error{nil, broken}, nil},
		"failed": {[]error{broken, nil}, broken}, "met, and failed": {[]error{errMet, broken}, broken},
	} {
		asked := 0
		_, err := again(func() (*suite.Run, error) { asked++; return nil, c.errs[asked-1] })
		if err != c.want || asked != map[bool]int{true: 2, false: 1}[c.errs[0] == errMet] {
			t.Errorf("%s: asked %d times, %v", name, asked, err)
		}
	}
}

// TestCopyKeepsOthersOut: a process in a working copy waits for those that share the folder, and does
// not run again because of them.
func TestCopyKeepsOthersOut(t *testing.T) {
	d, file := kept(t)
	leave := d.enter(false, suite.Fresh)
	put(t, file)
	entered := make(chan bool)
	go func() {
		met, err := folder{d, true}.once(true, suite.Fresh, func() error { entered <- isThere(file); return nil })
		entered <- met || err != nil
	}()
	if leave() {
		t.Error("the process in the copy did not wait")
	}
	saw, again := <-entered, <-entered
	if saw || again {
		t.Error("it saw the file, or is to run again")
	}
}
