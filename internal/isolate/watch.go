package isolate

import (
	"context"
	"fmt"
	"time"
)

// the time between two measurements of a work folder; large folders are measured less often.
const lookEvery = time.Second

// floor is the free space below which jobs on a disk end.
const floor = 512 << 20

// Watch measures the work folder until ctx ends. It returns an error if the folder is too large or
// too deep, or if the disk is nearly full.
func (r *Room) Watch(ctx context.Context) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	w := watch{room: r, scale: scale{most: r.s.o.Limits.Disk}, free: free}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := w.look(); err != nil {
			return err
		}
	}
}

// watch is what is known of a Room's files.
type watch struct {
	room  *Room
	scale scale
	free  func(dir string) (int64, bool)
	next  time.Time // of the next measurement
	until int64     // the free space below which the Room may have exceeded its limit
}

// look measures if it is time, or if the disk has lost what the Room might still use.
func (w *watch) look() error {
	left, known := w.free(w.room.Work())
	if known && left < floor {
		return fmt.Errorf("only %d MiB of the disk are left", left>>20)
	}
	begun := time.Now()
	if begun.Before(w.next) && (!known || left > w.until) {
		return nil
	}
	most := w.room.s.o.Limits.Disk
	used, err := w.scale.measure(w.room.folders()...)
	if err != nil {
		return err
	}
	if used > most {
		return fmt.Errorf("%d MiB of files, where %d are allowed", used>>20, most>>20)
	}
	w.until = left - (most - used)
	w.next = time.Now().Add(10 * time.Since(begun))
	return nil
}

// folders are those that the Room's programs may fill.
func (r *Room) folders() []string {
	if r.maven == nil {
		return []string{r.writable()}
	}
	return []string{r.writable(), r.maven.path}
}

// Full reports whether the Room's processes have run out of memory.
func (r *Room) Full() bool { return r.group.full() }
