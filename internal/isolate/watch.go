package isolate

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"
)

// between two looks at a work folder; one that takes long to go through is looked at less often.
const lookEvery = time.Second

// floor is how much of a disk is never a job's: below it, jobs on that disk end.
const floor = 512 << 20

// Watch measures the work folder until ctx ends. It returns an error when there
// is too much in it, or when the disk is nearly full.
func (r *Room) Watch(ctx context.Context) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	var next time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if free, ok := free(r.Work()); ok && free < floor {
			return fmt.Errorf("only %d MiB of the disk are left", free>>20)
		}
		begun := time.Now()
		if begun.Before(next) {
			continue
		}
		if used := r.usage(); used > r.s.o.Limits.Disk {
			return fmt.Errorf("%d MiB of files, where %d are allowed", used>>20, r.s.o.Limits.Disk>>20)
		}
		next = time.Now().Add(10 * time.Since(begun))
	}
}

func (r *Room) usage() int64 {
	used := usage(r.writable())
	if r.maven != nil {
		used += usage(r.maven.path)
	}
	return used
}

// Full says whether the Room's processes have run out of memory.
func (r *Room) Full() bool { return r.group.full() }

// perFile is what a file counts beside what is in it: a disk can run out of
// files, too.
const perFile = 4 << 10

// usage is how much of the disk a tree takes, in bytes. What changes meanwhile may be missed.
func usage(dir string) int64 {
	var sum int64
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d == nil {
			return nil
		}
		if info, err := d.Info(); err == nil {
			sum += perFile + blocks(info)
		}
		return nil
	})
	return sum
}
