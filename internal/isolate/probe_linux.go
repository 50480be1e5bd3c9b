package isolate

import (
	"fmt"
	"net"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// protections are what the kernel says of a process in a Room.
func protections() []string {
	out := []string{"CapEff:\t0000000000000000", "CapBnd:\t0000000000000000", "NoNewPrivs:\t1"}
	if denied(runtime.GOARCH) != nil {
		out = append(out, "Seccomp:\t2") // a filter
	}
	return out
}

// inspect names the protection that is missing; empty if all hold.
func inspect() string {
	status, _ := os.ReadFile("/proc/self/status")
	for _, want := range protections() {
		if !strings.Contains(string(status), want) {
			return "the process's status lacks " + strings.ReplaceAll(want, "\t", " ")
		}
	}
	links, err := net.Interfaces()
	if err != nil || len(links) > 1 {
		return fmt.Sprintf("there is a network: %v %v", links, err)
	}
	if f, err := os.Create("/probe"); err == nil {
		f.Close()
		return "the root folder can be written"
	}
	if err := unix.Unshare(unix.CLONE_NEWUSER); err == nil {
		return "another user namespace can be made"
	}
	if err := os.WriteFile(Home+"/probe", nil, 0o600); err != nil {
		return "the work folder cannot be written: " + err.Error()
	}
	if os.Getpid() > 10 {
		return "there is no process namespace"
	}
	return ""
}
