package isolate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// socketMemory are the limits of the memory in sockets' buffers, each for the whole machine: three
// numbers of pages, see tcp(7) and udp(7).
var socketMemory = []string{"net.ipv4.tcp_mem", "net.ipv4.udp_mem"}

// jobSockets bounds the memory in TCP buffers of a Room, in bytes, where its limit of memory does not
// count them. Tests use much less, and the limit of the smallest machine is some 100 MiB.
const jobSockets = 32 << 20

// AllowSockets lets this number of jobs have as much memory in sockets as they may have in all, so
// that a job that fills buffers reaches its own limit before that of the machine. Only root can, and
// only cgroups of version 2 count these buffers. It returns what was changed, for the log.
func (s *Sandbox) AllowSockets(jobs int) (changed []string, err error) {
	if !s.root || s.groups.v2 == "" || s.Weaker() != "" {
		return nil, nil
	}
	need := s.o.Limits.Memory * int64(jobs) / int64(os.Getpagesize())
	for _, name := range socketMemory {
		file := filepath.Join(s.sysctls, strings.ReplaceAll(name, ".", "/"))
		text, err := os.ReadFile(file)
		if os.IsNotExist(err) {
			continue // another network namespace: the machine's limit is not seen
		}
		if err != nil {
			return changed, err
		}
		var have, want [3]int64
		_, _ = fmt.Sscan(string(text), &have[0], &have[1], &have[2]) // what cannot be read counts as 0
		for i := range have {
			want[i] = max(have[i], need)
		}
		if want == have {
			continue
		}
		value := strings.Trim(fmt.Sprint(want), "[]")
		if err := put(file, value); err != nil {
			return changed, fmt.Errorf("sysctl %s: %w", name, err)
		}
		changed = append(changed, name+"="+value)
	}
	return changed, nil
}
