package isolate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// lookEvery is the average time between two measurements of a Room's files. Many files are measured
// less often.
const lookEvery = time.Second

// glance is the time until the next look at the free space. Programs cannot foresee it, and so
// cannot give back what they use before each look.
func glance() time.Duration { return 10*time.Millisecond + rand.N(30*time.Millisecond) }

// Watch measures the Room's files until ctx ends. It returns an error if they are too large, too
// deep or too many, or if the disk is nearly full and of all Rooms this one uses most.
func (r *Room) Watch(ctx context.Context) error {
	tick := time.NewTimer(glance())
	defer tick.Stop()
	w := watch{room: r}
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-r.over:
			return err
		case <-tick.C:
		}
		if err := w.look(time.Now()); err != nil {
			return err
		}
		tick.Reset(glance())
	}
}

// watch is what is known of a Room's files.
type watch struct {
	room  *Room
	next  time.Time // of the next measurement
	early time.Time // the same, if the disk has lost what the Room might still use
	until int64     // the free space at which it has
}

// look looks at the free space, and measures if it is time.
func (w *watch) look(now time.Time) error {
	d := w.room.s.disk
	left, known := d.free(w.room.Work())
	if known && left < floor {
		d.relieve(now)
	}
	if now.Before(w.next) && (!known || left > w.until || now.Before(w.early)) {
		return nil
	}
	begun := time.Now()
	most := w.room.s.o.Limits.Disk
	used, _, err := w.room.use(false, w.room.folders()...)
	if err != nil {
		return err
	}
	if used > most {
		return fmt.Errorf("%d MiB of files, where %d are allowed; deleted files that are still open count", used>>20, most>>20)
	}
	took := time.Since(begun)
	w.until, w.early = left-(most-used), now.Add(2*took)
	w.next = now.Add(max(10*took, lookEvery/2+rand.N(lookEvery)))
	return nil
}

// use measures the Room's files: those in folders, and those without a name that its processes keep
// open. hidden: there are some whose size nobody can see. full: the disk is full, so those in sockets'
// queues are looked for, too.
func (r *Room) use(full bool, folders ...string) (used int64, hidden bool, err error) {
	r.measuring.Lock()
	defer r.measuring.Unlock()
	r.scale.most = r.s.o.Limits.Disk
	used, err = r.scale.measure(folders...)
	if err != nil || used > r.scale.most {
		return used, false, err
	}
	open, hidden, err := r.held(full)
	return used + open, hidden, err
}

// weight is what a Room uses of the disk. One that hides files counts as if it used all it may.
type weight struct{ bytes, seen int64 }

func (w weight) more(than weight) bool {
	return w.bytes > than.bytes || w.bytes == than.bytes && w.seen > than.seen
}

func (r *Room) weight() weight {
	folders := slices.DeleteFunc(r.folders(), func(dir string) bool { return !sameDisk(dir, r.writable()) }) // else in memory
	used, hidden, err := r.use(true, folders...)
	if hidden || err != nil {
		return weight{max(used, r.s.o.Limits.Disk), used}
	}
	return weight{used, used}
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
