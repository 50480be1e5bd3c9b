//go:build linux && (amd64 || arm64)

package isolate

import (
	"bytes"
	"encoding/binary"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// refused are system calls that builds and tests do not need and that attacks on kernels use:
// mounts and namespaces, modules, other processes' memory and files, keys, tracing, clocks,
// io_uring. Other protections refuse most of them, too, but only in the kernel's code for these
// calls.
var refused = []uint32{
	unix.SYS_ACCT, unix.SYS_ADD_KEY, unix.SYS_BPF, unix.SYS_CLOCK_ADJTIME, unix.SYS_CLOCK_SETTIME, unix.SYS_DELETE_MODULE,
	unix.SYS_FANOTIFY_INIT, unix.SYS_FANOTIFY_MARK, unix.SYS_FINIT_MODULE, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT,
	unix.SYS_FSOPEN, unix.SYS_FSPICK, unix.SYS_INIT_MODULE, unix.SYS_IO_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_IO_URING_SETUP, unix.SYS_KCMP, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_KEXEC_LOAD, unix.SYS_KEYCTL,
	unix.SYS_LOOKUP_DCOOKIE, unix.SYS_MIGRATE_PAGES, unix.SYS_MOUNT, unix.SYS_MOUNT_SETATTR, unix.SYS_MOVE_MOUNT,
	unix.SYS_MOVE_PAGES, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_OPEN_TREE, unix.SYS_PERF_EVENT_OPEN,
	unix.SYS_PIDFD_GETFD, unix.SYS_PIVOT_ROOT, unix.SYS_PROCESS_MADVISE, unix.SYS_PROCESS_MRELEASE, unix.SYS_PROCESS_VM_READV,
	unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PTRACE, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_REBOOT,
	unix.SYS_REQUEST_KEY, unix.SYS_SETDOMAINNAME, unix.SYS_SETHOSTNAME, unix.SYS_SETNS, unix.SYS_SETTIMEOFDAY,
	unix.SYS_SWAPOFF, unix.SYS_SWAPON, unix.SYS_SYSLOG, unix.SYS_UMOUNT2, unix.SYS_UNSHARE, unix.SYS_USERFAULTFD,
	unix.SYS_VHANGUP,
}

// families are the socket families that builds and tests need.
var families = []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6}

// The arguments of a system call in seccomp_data, in the byte order of both processors.
const (
	firstArgument  = 16
	secondArgument = 24
	thirdArgument  = 32
)

// reserve are the requests of ioctl(2) that do what fallocate(2) does: FS_IOC_RESVSP,
// FS_IOC_RESVSP64 and FS_IOC_ZERO_RANGE (linux/falloc.h), and of XFS before Linux 5.17 ALLOCSP, FREESP,
// ALLOCSP64 and FREESP64.
var reserve = []uint32{0x4030_5828, 0x4030_582a, 0x4030_5839, 0x4030_580a, 0x4030_580b, 0x4030_5824, 0x4030_5825}

// foreign is the first number of amd64's second table of calls (x32). All numbers of other
// processors are lower.
const foreign = 0x4000_0000

// denied is the filter as bwrap reads it: struct sock_filter after struct
// sock_filter (linux/filter.h), in the machine's byte order. Refused calls
// fail with EPERM; clone3, whose flags a filter cannot see, with ENOSYS, so that libc
// uses clone.
func denied(arch string) []byte {
	audit := map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}[arch]
	fail := func(e unix.Errno) bpf.Instruction {
		return bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(e)}
	}
	program := []bpf.Instruction{
		bpf.LoadAbsolute{Off: 4, Size: 4}, // seccomp_data.arch
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: audit, SkipTrue: 1},
		fail(unix.EPERM),
		bpf.LoadAbsolute{Off: 0, Size: 4}, // seccomp_data.nr
		bpf.JumpIf{Cond: bpf.JumpLessThan, Val: foreign, SkipTrue: 1},
		fail(unix.EPERM),
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_CLONE3, SkipTrue: 1},
		fail(unix.ENOSYS),
	}
	for _, n := range refused {
		program = append(program, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: n, SkipTrue: 1}, fail(unix.EPERM))
	}
	program = append(program, space(fail(unix.EOPNOTSUPP))...)
	program = append(program, threads(fail(unix.EPERM), fail(unix.ENOSYS))...)
	raw, err := bpf.Assemble(append(program, sockets(fail(unix.EAFNOSUPPORT))...))
	if err != nil {
		panic(err) // the program is a constant
	}
	var out bytes.Buffer
	for _, i := range raw {
		_ = binary.Write(&out, binary.NativeEndian, struct {
			Code   uint16
			JT, JF uint8
			K      uint32
		}{i.Op, i.Jt, i.Jf, i.K})
	}
	return out.Bytes()
}

// space refuses to take space of a disk without writing, which is so fast that nobody can measure
// it in time. Programs write instead, as posix_fallocate does. They may give space back, as some
// garbage collectors do.
func space(fail bpf.Instruction) []bpf.Instruction {
	allow := bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}
	out := []bpf.Instruction{
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_FALLOCATE, SkipTrue: 4},
		bpf.LoadAbsolute{Off: secondArgument, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: unix.FALLOC_FL_PUNCH_HOLE, SkipTrue: 1},
		fail, allow,
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_IOCTL, SkipTrue: uint8(2 + 2*len(reserve))},
		bpf.LoadAbsolute{Off: secondArgument, Size: 4},
	}
	for _, r := range reserve {
		out = append(out, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: r, SkipTrue: 1}, fail)
	}
	return append(out, allow)
}

// threads refuses threads that have other open files than their process, so that looking at one
// thread is enough. Programs do not make such threads. Some call close_range with flags, and do
// without it if it is missing.
func threads(fail, missing bpf.Instruction) []bpf.Instruction {
	allow := bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}
	return []bpf.Instruction{
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_CLONE, SkipTrue: 5},
		bpf.LoadAbsolute{Off: firstArgument, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: unix.CLONE_THREAD, SkipTrue: 2},
		bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: unix.CLONE_FILES, SkipTrue: 1},
		fail, allow,
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_CLOSE_RANGE, SkipTrue: 4},
		bpf.LoadAbsolute{Off: thirdArgument, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: unix.CLOSE_RANGE_UNSHARE, SkipTrue: 1},
		missing, allow,
	}
}

// sockets is the end of the filter: it allows all calls but those that make a socket of another
// family. Of netlink it allows the part that lists network interfaces, as Node and Go do.
func sockets(fail bpf.Instruction) []bpf.Instruction {
	allow := bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}
	out := []bpf.Instruction{
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SYS_SOCKET, SkipTrue: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SYS_SOCKETPAIR, SkipTrue: 1},
		allow,
		bpf.LoadAbsolute{Off: firstArgument, Size: 4},
	}
	for _, f := range families {
		out = append(out, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: f, SkipTrue: 1}, allow)
	}
	return append(out,
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.AF_NETLINK, SkipTrue: 3},
		bpf.LoadAbsolute{Off: thirdArgument, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.NETLINK_ROUTE, SkipTrue: 1},
		allow, fail)
}
