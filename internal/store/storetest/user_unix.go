//go:build !windows

package storetest

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// other finds a user for PostgreSQL if the tests run as root, which PostgreSQL refuses: the user of
// its package, or nobody.
func other() (uid, gid int, err error) {
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err1 == nil && err2 == nil {
			return uid, gid, nil
		}
	}
	return 0, 0, fmt.Errorf("PostgreSQL does not run as root, and there is no user postgres or nobody: run the tests as another user")
}

func giveAway(dir string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	uid, gid, err := other()
	if err != nil {
		return err
	}
	return os.Chown(dir, uid, gid)
}

func lesser(cmd *exec.Cmd) {
	attr := &syscall.SysProcAttr{}
	if os.Geteuid() == 0 {
		if uid, gid, err := other(); err == nil {
			attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		}
	}
	dieWithParent(attr)
	cmd.SysProcAttr = attr
}

// interrupt requests a fast shutdown.
func interrupt(p *os.Process) { p.Signal(syscall.SIGINT) }
