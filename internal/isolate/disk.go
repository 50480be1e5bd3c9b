package isolate

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// floor is the free space below which jobs on a disk end, one after the other.
const floor = 512 << 20

// How long nobody else is ended after a Room was: until it is closed, and a moment longer.
const (
	closeWithin = 30 * time.Second
	settle      = time.Second
)

// ErrDisk is wrapped by Watch's error if the disk is nearly full and the Room within its limits.
var ErrDisk = errors.New("the disk is full")

// disk is what the Rooms of a Sandbox know of the file system that they share.
type disk struct {
	free   func(dir string) (int64, bool)
	within time.Duration // for looking at a Room's processes: the kernel can take long for some of what they have

	mu    sync.Mutex
	rooms map[*Room]bool // whether the Room was ended
	busy  bool           // the Rooms are being measured
	last  *Room          // the last one that was ended, while it is not closed
	until time.Time      // before this, no other is ended
}

func newDisk() *disk { return &disk{free: free, within: 2 * time.Second, rooms: map[*Room]bool{}} }

func (d *disk) enter(r *Room) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rooms[r] = false
}

func (d *disk) leave(r *Room, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.rooms, r)
	if d.last == r {
		d.last, d.until = nil, now.Add(settle)
	}
}

// relieve ends the Room that uses most. The watchers of all Rooms call it while the disk is nearly
// full, and one of them measures all.
func (d *disk) relieve(now time.Time) {
	rooms := d.begin(now)
	if rooms == nil {
		return
	}
	begun := time.Now()
	var most *Room
	var used weight
	for _, r := range rooms {
		if w := r.weight(); most == nil || w.more(used) {
			most, used = r, w
		}
	}
	left, known := d.free(most.Work())
	d.mu.Lock()
	defer d.mu.Unlock()
	d.busy = false
	if _, there := d.rooms[most]; !known || left >= floor || !there {
		// The space has come back, or the Room was closed. A disk at the floor causes no measurement
		// after the other.
		d.until = now.Add(2 * time.Since(begun))
		return
	}
	d.rooms[most], d.last, d.until = true, most, now.Add(closeWithin)
	most.over <- fmt.Errorf("%w: %d MiB are left, and of all jobs this one uses most, %d MiB", ErrDisk, left>>20, used.bytes>>20)
}

// begin returns the Rooms to be measured; nil if it is too early, or if another watcher measures.
func (d *disk) begin(now time.Time) []*Room {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.busy || now.Before(d.until) {
		return nil
	}
	var out []*Room
	for r, ended := range d.rooms {
		if !ended {
			out = append(out, r)
		}
	}
	d.busy = out != nil
	return out
}
