//go:build linux

package isolate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// sharingRoom is a Room on a shared disk, of a machine with these files in /proc. This process is its
// first one.
func sharingRoom(t *testing.T, proc map[string]string, free func(string) (int64, bool)) *Room {
	t.Helper()
	s := &Sandbox{o: Options{Limits: Limits{Disk: 10 << 20}}, shared: "a test", proc: plant(t, proc), free: free}
	return &Room{s: s, dir: t.TempDir(), cmd: &exec.Cmd{Process: &os.Process{Pid: os.Getpid()}}}
}

// TestAttackSlowMeasurement: a job whose files take long to be measured ends for each other reason
// meanwhile, and so does the measurement.
func TestAttackSlowMeasurement(t *testing.T) {
	sockets := fmt.Sprintf("%d/net/protocols", os.Getpid())
	for name, c := range map[string]struct {
		file, text string // of /proc, from the beginning of the measurement on
		left       int64  // of the disk, from then on
		want       error
	}{
		"memory":  {"meminfo", "MemTotal: 24684084 kB\nMemAvailable: 1 kB\n", floor, ErrMachine},
		"sockets": {sockets, fmt.Sprintf("NETLINK 1096 %d -1 NI\n", mostNetlink+1), floor, ErrKernel},
		"disk":    {"meminfo", "", floor - 1, ErrMachine},
	} {
		var left atomic.Int64
		left.Store(floor)
		r := sharingRoom(t, map[string]string{"meminfo": "", sockets: ""}, func(string) (int64, bool) { return left.Load(), true })
		w, ended := newWatch(r), make(chan bool)
		w.first = os.Getpid()
		w.measure = func(ctx context.Context, _ ...string) (int64, error) {
			defer close(ended)
			if err := os.WriteFile(r.s.proc+"/"+c.file, []byte(c.text), 0o600); err != nil {
				return 0, err
			}
			left.Store(c.left)
			<-ctx.Done()
			return 0, ctx.Err()
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // only a watch that waits needs it
		if err := w.run(ctx); !errors.Is(err, c.want) {
			t.Fatalf("%s: %v", name, err)
		}
		<-ended
		if ctx.Err() != nil {
			t.Fatalf("%s: the measurement went on", name)
		}
		cancel()
	}
}

// TestAttackManyMeasurements: one measurement runs at a time, however long it takes. Its result
// counts, and the next one waits for ten times as long.
func TestAttackManyMeasurements(t *testing.T) {
	r := sharingRoom(t, nil, func(string) (int64, bool) { return floor, true })
	w, now, begun, result := newWatch(r), time.Now(), make(chan bool, 9), make(chan int64)
	w.measure = func(context.Context, ...string) (int64, error) {
		begun <- true
		return <-result, nil
	}
	for hours := range 3 {
		must(t, w.look(t.Context(), now.Add(time.Duration(hours)*time.Hour)))
	}
	for _, bytes := range []int64{1, 20 << 20} {
		result <- bytes
		now = now.Add(100 * time.Hour)
		if err := lookToTheEnd(t, w, now); (err == nil) != (bytes == 1) || err != nil && !strings.Contains(err.Error(), "20 MiB of files") {
			t.Errorf("%d bytes: %v", bytes, err)
		}
		if len(begun) != 1 {
			t.Errorf("%d measurements at once", len(begun))
		}
		<-begun
		must(t, w.look(t.Context(), now.Add(measureEvery/2)))
		if w.measuring != nil {
			t.Error("the next measurement began at once")
		}
		must(t, w.look(t.Context(), now.Add(time.Hour)))
	}
	result <- 1
}

// TestAttackEndlessMeasurement: a measurement ends with its job.
func TestAttackEndlessMeasurement(t *testing.T) {
	dir := plant(t, map[string]string{"file": ""})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := &scale{most: 1 << 40}
	if n, err := s.measure(ctx, dir); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d bytes, %v", n, err)
	}
}
