package isolate

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// The times between two looks at a Room: at the free space of its disk and the machine's memory,
// and at its files if the disk is shared. Many files are measured less often.
const (
	lookEvery    = 20 * time.Millisecond
	measureEvery = time.Second
)

// floor is the free space below which all jobs end that share a disk. All jobs of a machine end if
// it has less memory than that, or than a twentieth if that is less.
const floor = 512 << 20

// spare is the free space below which a Room's own disk counts as full. It is more than nothing,
// so that a disk is seen that is full for a moment only: what fails then is no result.
func (l Limits) spare() int64 { return min(l.Disk/32, 64<<20) }

// ErrMachine is wrapped by Watch's error if the machine has too little left for all of its jobs: of
// the disk that they share, or of memory.
var ErrMachine = errors.New("the machine is full")

// Watch looks at what the Room uses until ctx ends. It returns an error if the disk is full, or, on
// a disk that jobs share, if the Room's files are too large, too deep or too many; if the kernel
// keeps too much for the Room's programs; or if the machine is full. Then it kills the programs, if
// cgroups know them. The caller has started the Room's command.
func (r *Room) Watch(ctx context.Context) error {
	return newWatch(r).run(ctx)
}

// watch is what is known of a Room.
type watch struct {
	room *Room
	// measure is scale.measure, which tests replace; measuring gets the result of the measurement that
	// runs, and is nil if none does.
	measure    func(ctx context.Context, dirs ...string) (bytes int64, err error)
	measuring  chan measured
	next       time.Time // of the next measurement of files
	nextKernel time.Time // of the next look at what the kernel keeps
	first      int       // the first process of the Room's namespaces; 0: not known yet
}

// measured is the result of a measurement of files.
type measured struct {
	bytes int64
	err   error
	took  time.Duration
}

func newWatch(r *Room) *watch {
	files := &scale{most: r.s.o.Limits.Disk}
	return &watch{room: r, measure: files.measure}
}

func (w *watch) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // also ends the measurement
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := w.look(ctx, time.Now()); err != nil {
			w.room.group.kill() // all at once: bwrap's end would have to wait for its turn among very many processes
			return err
		}
	}
}

// DiskError is the reason why the Room has to end if its own disk is full now; nil if it is not, or
// if the Room shares a disk.
func (r *Room) DiskError() error {
	if left, known := r.s.free(r.writable()); known && r.s.shared == "" && left < r.s.o.Limits.spare() {
		return fmt.Errorf("nearly all of %d MiB are used, or the files are too many", r.s.o.Limits.Disk>>20)
	}
	return nil
}

// look never waits for a measurement of files: a program can make that take long.
func (w *watch) look(ctx context.Context, now time.Time) error {
	if err := w.room.s.memoryError(); err != nil {
		return err
	}
	if err := w.kernelError(now); err != nil {
		return err
	}
	return w.lookAtDisk(ctx, now)
}

func (w *watch) lookAtDisk(ctx context.Context, now time.Time) error {
	s := w.room.s
	if s.shared == "" {
		return w.room.DiskError()
	}
	if left, known := s.free(w.room.writable()); known && left < floor {
		return fmt.Errorf("%w: %d MiB of its disk are left", ErrMachine, left>>20)
	}
	return w.lookAtFiles(ctx, now)
}

// lookAtFiles takes the result of a measurement that has ended, or begins one if it is time for it.
func (w *watch) lookAtFiles(ctx context.Context, now time.Time) error {
	if w.measuring == nil {
		if !now.Before(w.next) {
			w.beginMeasurement(ctx)
		}
		return nil
	}
	var m measured
	select {
	case m = <-w.measuring:
	default:
		return nil
	}
	w.measuring, w.next = nil, now.Add(max(measureEvery, 10*m.took))
	switch most := w.room.s.o.Limits.Disk; {
	case m.err != nil && ctx.Err() != nil: // Watch ends
		return nil
	case m.err != nil:
		return m.err
	case m.bytes > most:
		return fmt.Errorf("%d MiB of files, where %d are allowed", m.bytes>>20, most>>20)
	}
	return nil
}

func (w *watch) beginMeasurement(ctx context.Context) {
	out := make(chan measured, 1) // nobody may be there to take it
	w.measuring = out
	go func() {
		begun := time.Now()
		n, err := w.measure(ctx, w.room.writable())
		out <- measured{n, err, time.Since(begun)}
	}()
}

// Full reports whether the Room's processes have run out of memory.
func (r *Room) Full() bool { return r.group.full() }
