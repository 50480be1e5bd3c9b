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
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	w := watch{room: r}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := w.look(time.Now()); err != nil {
			r.group.kill() // all at once: bwrap's end would have to wait for its turn among very many processes
			return err
		}
	}
}

// watch is what is known of a Room.
type watch struct {
	room       *Room
	scale      scale
	next       time.Time // of the next measurement of files
	nextKernel time.Time // of the next look at what the kernel keeps
	first      int       // the first process of the Room's namespaces; 0: not known yet
}

// DiskError is the reason why the Room has to end if its own disk is full now; nil if it is not, or
// if the Room shares a disk.
func (r *Room) DiskError() error {
	if left, known := r.s.free(r.writable()); known && r.s.shared == "" && left < r.s.o.Limits.spare() {
		return fmt.Errorf("nearly all of %d MiB are used, or the files are too many", r.s.o.Limits.Disk>>20)
	}
	return nil
}

func (w *watch) look(now time.Time) error {
	if err := w.room.s.memoryError(); err != nil {
		return err
	}
	if err := w.kernelError(now); err != nil {
		return err
	}
	return w.lookAtDisk(now)
}

func (w *watch) lookAtDisk(now time.Time) error {
	s := w.room.s
	if s.shared == "" {
		return w.room.DiskError()
	}
	if left, known := s.free(w.room.writable()); known && left < floor {
		return fmt.Errorf("%w: %d MiB of its disk are left", ErrMachine, left>>20)
	}
	if now.Before(w.next) {
		return nil
	}
	begun, most := time.Now(), s.o.Limits.Disk
	w.scale.most = most
	used, err := w.scale.measure(w.room.writable())
	if err != nil {
		return err
	}
	if used > most {
		return fmt.Errorf("%d MiB of files, where %d are allowed", used>>20, most>>20)
	}
	w.next = now.Add(max(measureEvery, 10*time.Since(begun)))
	return nil
}

// Full reports whether the Room's processes have run out of memory.
func (r *Room) Full() bool { return r.group.full() }
