package isolate

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// mostOpen bounds the descriptors and mappings of a Room's processes that are looked at.
const mostOpen = 1 << 18

var errOpen = fmt.Errorf("its processes have more than %d open files and mappings", mostOpen)

// held finds the files that a Room's processes keep open and that have no name any more. No folder
// shows these.
type held struct {
	owner  uint32             // the user of the Room's files
	disks  map[uint64]bool    // the devices of its folders
	seen   map[[2]uint64]bool // files by device and inode
	queues bool               // look for files in sockets' queues, too
	end    time.Time
	looked int
	shut   int // processes that this process may not look at
	bytes  int64
	hidden bool // there are files whose size this process cannot see
}

// mostShut is the number of processes that odfix itself starts in a Room, and hides from the others:
// the first one, and the runner.
const mostShut = 2

// held returns their size, and whether there are some whose size nobody can see.
func (r *Room) held(queues bool) (int64, bool, error) {
	h := &held{owner: uint32(r.user), disks: map[uint64]bool{}, seen: map[[2]uint64]bool{}, queues: queues}
	if r.user == 0 {
		h.owner = uint32(os.Geteuid())
	}
	// With some file systems the device of files is another one than that of folders.
	for _, dir := range append(r.folders(), filepath.Dir(r.writable())) {
		for _, path := range []string{dir, filepath.Join(dir, lockName)} {
			var st unix.Stat_t
			if unix.Stat(path, &st) == nil {
				h.disks[st.Dev] = true
			}
		}
	}
	all, err := r.processes()
	if err != nil {
		return 0, true, nil
	}
	h.end = time.Now().Add(r.s.disk.within)
	for _, pid := range all {
		if h.late() {
			break
		}
		if err := h.process(pid); err != nil {
			return h.bytes, h.hidden, err
		}
	}
	h.hidden = h.hidden || h.shut > mostShut || h.late()
	return h.bytes, h.hidden, nil
}

// processes are the Room's, by their cgroup. Without one they are those of the Room's user, or, where
// that is the user of odfix, those that see the Room's home folder as theirs.
func (r *Room) processes() ([]string, error) {
	if r.group != nil {
		text, err := os.ReadFile(filepath.Join(r.group.dirs[0], "cgroup.procs"))
		return slices.DeleteFunc(strings.Fields(string(text)), func(pid string) bool { return pid == "0" }), err // of another namespace
	}
	home, err := os.Stat(r.home())
	if err != nil {
		return nil, err
	}
	all, err := os.ReadDir("/proc")
	var out []string
	for _, e := range all {
		if _, err := strconv.Atoi(e.Name()); err == nil && r.has("/proc/"+e.Name(), home) {
			out = append(out, e.Name())
		}
	}
	return out, err
}

// has reports whether a process, by its folder, is one of the Room.
func (r *Room) has(process string, home os.FileInfo) bool {
	if r.user != 0 {
		var st unix.Stat_t
		return unix.Stat(process, &st) == nil && st.Uid == uint32(r.user)
	}
	theirs, err := os.Stat(process + "/root" + Home)
	return err == nil && os.SameFile(home, theirs)
}

// process looks at one process. All its threads have the same files, since the filter of system
// calls refuses others. A thread that has ended has none, also if it is the first.
func (h *held) process(pid string) error {
	tasks, _ := os.ReadDir("/proc/" + pid + "/task")
	for _, t := range tasks {
		// Each thread has a folder here, too, which has more in it than that below task.
		dir, before := "/proc/"+t.Name(), h.looked
		if err := errors.Join(h.descriptors(dir), h.mappings(dir)); err != nil {
			return err
		}
		if h.looked > before {
			return nil
		}
	}
	return nil
}

// late reports whether the time is over: then the rest is not looked at.
func (h *held) late() bool { return time.Now().After(h.end) }

func (h *held) descriptors(dir string) error {
	f, err := os.Open(dir + "/fd")
	if errors.Is(err, fs.ErrPermission) {
		h.looked++ // the process's other threads are shut, too
		h.shut++
	}
	if err != nil {
		return nil
	}
	defer f.Close()
	for {
		names, err := f.Readdirnames(1024)
		for _, n := range names {
			if h.looked++; h.looked > mostOpen {
				return errOpen
			}
			if h.late() {
				return nil
			}
			st, err := h.count(dir + "/fd/" + n)
			if h.queues && err == nil && st.Mode&unix.S_IFMT == unix.S_IFSOCK && underWay(dir+"/fdinfo/"+n) {
				h.hidden = true
			}
		}
		if err != nil {
			return nil
		}
	}
}

// underWay reports whether files were sent to a socket and not yet received. They are in no
// process's table. The text is short, unless the process has put something else in the socket's place
// meanwhile.
func underWay(fdinfo string) bool {
	f, err := os.Open(fdinfo)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, 4096))
	_, n, found := strings.Cut(string(text), "\nscm_fds:")
	return len(text) == 4096 || found && strings.TrimSpace(n) != "0"
}

// mappings looks at files that are mapped into memory. Their descriptors may be closed.
func (h *held) mappings(dir string) error {
	_, _ = h.count(dir + "/exe")
	f, err := os.Open(dir + "/maps")
	if err != nil {
		return nil
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if h.looked++; h.looked > mostOpen {
			return errOpen
		}
		if h.late() {
			return nil
		}
		if strings.HasSuffix(lines.Text(), " (deleted)") {
			h.mapping(dir, strings.Fields(lines.Text()))
		}
	}
	if lines.Err() != nil { // such as a very long name: the rest is not seen
		h.hidden = true
	}
	return nil
}

// mapping counts a mapping by its line, see proc_pid_maps(5). Only root can see the size of its file,
// and nobody if the mapping has moved meanwhile.
func (h *held) mapping(dir string, field []string) {
	var from, to uint64
	var major, minor uint32
	if _, err := fmt.Sscanf(field[0], "%x-%x", &from, &to); err != nil {
		return
	}
	if _, err := h.count(fmt.Sprintf("%s/map_files/%x-%x", dir, from, to)); err == nil {
		return
	}
	if _, err := fmt.Sscanf(field[3], "%x:%x", &major, &minor); err == nil && h.disks[unix.Mkdev(major, minor)] {
		h.hidden = true
	}
}

// count adds a file of the Room if it has no name.
func (h *held) count(path string) (st unix.Stat_t, err error) {
	if err := unix.Stat(path, &st); err != nil {
		return st, err
	}
	file := [2]uint64{st.Dev, st.Ino}
	if st.Mode&unix.S_IFMT != unix.S_IFREG || st.Nlink > 0 || st.Uid != h.owner || h.seen[file] {
		return st, nil
	}
	h.seen[file] = true
	if h.disks[st.Dev] || !inMemory(path) {
		h.bytes += perFile + st.Blocks*512
	}
	return st, nil
}

// sameDisk reports whether two folders are on one disk, as far as this can be known.
func sameDisk(a, b string) bool {
	var one, other unix.Stat_t
	return unix.Stat(a, &one) != nil || unix.Stat(b, &other) != nil || one.Dev == other.Dev
}

// inMemory reports whether a file counts as memory. A disk can have several devices, such as the
// subvolumes of btrfs.
func inMemory(path string) bool {
	var st unix.Statfs_t
	err := unix.Statfs(path, &st)
	return err != nil || st.Type == unix.TMPFS_MAGIC || st.Type == unix.HUGETLBFS_MAGIC
}
