package isolate

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// jobSockets bounds the memory in TCP buffers of a Room, in bytes, where its limit of memory does
// not count them. Tests use much less, and the limit of the smallest machine is some 100 MiB. Each
// socket may have a page beyond that.
const jobSockets = 32 << 20

// The least memory in bytes that a TCP socket and an open file take of their job's limit: a struct
// tcp_sock (slab cache TCP) and a struct file (filp).
const (
	socketMemory = 2048
	fileMemory   = 192
)

// maxFiles is seen also where only the machine's operator may change it.
const maxFiles = "fs.file-max"

// sysctl is a limit for the whole machine, of one or several numbers, see tcp(7), udp(7) and
// proc(5).
type sysctl struct {
	name string
	need uint64 // so that a job reaches its own limit of memory before it
}

// sysctls are the limits of the machine that this number of jobs could use up.
func (s *Sandbox) sysctls(jobs int) []sysctl {
	page := uint64(os.Getpagesize())
	all := uint64(s.o.Limits.Memory) * uint64(jobs)
	buffers := []sysctl{{"net.ipv4.tcp_mem", all / page}, {"net.ipv4.udp_mem", all / page}}
	if s.groups.v2 == "" { // which counts no buffers
		buffers = []sysctl{{"net.ipv4.tcp_mem", jobSockets/page*uint64(jobs) + all/socketMemory}}
	}
	return append(buffers, sysctl{"net.ipv4.tcp_max_orphans", min(all/socketMemory, math.MaxInt32)},
		sysctl{maxFiles, all / fileMemory})
}

func (s *Sandbox) file(c sysctl) string {
	return filepath.Join(s.proc, "sys", strings.ReplaceAll(c.name, ".", "/"))
}

// raised is the value that a sysctl needs; empty if it has that.
func (c sysctl) raised(now string) string {
	have := strings.Fields(now)
	want := make([]string, len(have))
	for i, number := range have {
		n, _ := strconv.ParseUint(number, 10, 64) // what cannot be read counts as 0
		want[i] = strconv.FormatUint(max(n, c.need), 10)
	}
	if value := strings.Join(want, " "); value != strings.Join(have, " ") {
		return value
	}
	return ""
}

// RaiseLimits lets this number of jobs have as much of the machine as their memory suffices for, so
// that none uses up sockets' buffers, closed connections or open files for all programs. Only root
// can. It returns what was changed, for the log.
func (s *Sandbox) RaiseLimits(jobs int) (changed []string, err error) {
	if !s.root || s.Weaker() != "" {
		return nil, nil
	}
	for _, c := range s.sysctls(jobs) {
		now, err := os.ReadFile(s.file(c))
		if os.IsNotExist(err) {
			continue // another network namespace: the machine's limit is not seen
		}
		if err != nil {
			return changed, err
		}
		value := c.raised(string(now))
		if value == "" {
			continue
		}
		if err := put(s.file(c), value); c.name == maxFiles && (errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.EROFS)) {
			continue // as in a container; most machines allow enough, and odfix doctor names it
		} else if err != nil {
			return changed, fmt.Errorf("sysctl %s: %w", c.name, err)
		}
		changed = append(changed, c.name+"="+value)
	}
	return changed, nil
}

// LowLimits are the limits that RaiseLimits would have to raise for this number of jobs, and that
// this process may not, each with the value that it needs.
func (s *Sandbox) LowLimits(jobs int) []string {
	if s.Weaker() != "" {
		return nil
	}
	var out []string
	for _, c := range s.sysctls(jobs) {
		now, _ := os.ReadFile(s.file(c))
		value := c.raised(string(now))
		if value == "" {
			continue
		}
		f, err := os.OpenFile(s.file(c), os.O_WRONLY, 0) // does not change it
		if err != nil {
			out = append(out, c.name+"="+value)
			continue
		}
		f.Close()
	}
	return out
}
