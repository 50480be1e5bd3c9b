package isolate

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"
)

// the time between two measurements of a work folder; large folders are measured less often.
const lookEvery = time.Second

// floor is the free space below which jobs on a disk end.
const floor = 512 << 20

// Watch measures the work folder until ctx ends. It returns an error if the folder is too large, or
// if the disk is nearly full.
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

// Full reports whether the Room's processes have run out of memory.
func (r *Room) Full() bool { return r.group.full() }

// perFile is added for each file: a disk can run out of files, too.
const perFile = 4 << 10

// usage is the disk space of a tree, in bytes. Files that change meanwhile may be missed.
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
