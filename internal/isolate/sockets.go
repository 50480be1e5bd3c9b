package isolate

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
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
		if f := strings.Fields(string(text)); len(f) == 3 {
			if pressure, err := strconv.ParseInt(f[1], 10, 64); err == nil && pressure >= need {
				continue
			}
		}
		if err := put(file, fmt.Sprintf("%[1]d %[1]d %[1]d\n", need)); err != nil {
			return changed, fmt.Errorf("sysctl %s: %w", name, err)
		}
		changed = append(changed, fmt.Sprintf("%s=%[2]d %[2]d %[2]d", name, need))
	}
	return changed, nil
}
