package isolate

import (
	"os"
	"strconv"
	"strings"
)

// watchesFile holds how many epoll watches one user of this machine may have, in all its processes
// and namespaces.
const watchesFile = "/proc/sys/fs/epoll/max_user_watches"

// watchMemory is the least memory in bytes that a watch takes of its job's limit: a struct epitem
// with pointers of 64 bits (fs/eventpoll.c, slab cache eventpoll_epi). Nearly all watches also have
// a struct eppoll_entry, which makes about 190 bytes. Those of files in /proc/sys do not.
const watchMemory = 128

// Watches are how many epoll watches all jobs may have together, and how many they need so that
// none can use them up: a job that tries to then reaches its limit of memory. Without watches, programs such
// as odfix fail. need is 0 if each job has a user of its own, or if no limit of memory holds for a
// whole job.
func (s *Sandbox) Watches(jobs int) (have, need int64) {
	if s.root || s.Weaker() != "" {
		return 0, 0
	}
	text, _ := os.ReadFile(watchesFile) // what cannot be read counts as none
	have, _ = strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return have, s.o.Limits.Memory / watchMemory * int64(jobs)
}
