package isolate

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// The times between two looks at a Room's disk: at its free space, and at its files if it is shared.
// Many files are measured less often.
const (
	lookEvery    = 20 * time.Millisecond
	measureEvery = time.Second
)

// floor is the free space below which all jobs end that share a disk.
const floor = 512 << 20

// spare is the free space below which a Room's own disk counts as full. It is more than nothing,
// so that a disk is seen that is full for a moment only: what fails then is no result.
func (l Limits) spare() int64 { return min(l.Disk/32, 64<<20) }

// ErrDisk is wrapped by Watch's error if the disk that jobs share is nearly full.
var ErrDisk = errors.New("the disk is full")

// Watch looks at the Room's disk until ctx ends. It returns an error if the disk is full, or, on a
// disk that jobs share, if the Room's files are too large, too deep or too many.
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
			return err
		}
	}
}

// watch is what is known of a Room's files.
type watch struct {
	room  *Room
	scale scale
	next  time.Time // of the next measurement
}

// DiskError is the reason why the Room has to end if its disk is full now; nil if it is not.
func (r *Room) DiskError() error {
	left, known := r.s.free(r.writable())
	switch {
	case !known:
	case r.s.shared == "" && left < r.s.o.Limits.spare():
		return fmt.Errorf("nearly all of %d MiB are used, or the files are too many", r.s.o.Limits.Disk>>20)
	case r.s.shared != "" && left < floor:
		return fmt.Errorf("%w: %d MiB are left", ErrDisk, left>>20)
	}
	return nil
}

func (w *watch) look(now time.Time) error {
	most := w.room.s.o.Limits.Disk
	if err := w.room.DiskError(); err != nil || w.room.s.shared == "" || now.Before(w.next) {
		return err
	}
	begun := time.Now()
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
