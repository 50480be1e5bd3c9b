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
	unix.SYS_FSOPEN, unix.SYS_FSPICK, unix.SYS_INIT_MODULE, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
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

// newest is the last system call that this filter was made for.
const newest = unix.SYS_MSEAL

// subvolumes are the requests of ioctl(2) (linux/btrfs.h, type and number) that make a subvolume or a
// snapshot, which odfix could not remove: SNAP_CREATE, SUBVOL_CREATE, and both of version 2.
var subvolumes = []uint32{0x9401, 0x940e, 0x9417, 0x9418}

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
		bpf.JumpIf{Cond: bpf.JumpLessOrEqual, Val: newest, SkipTrue: 1},
		fail(unix.ENOSYS),
	}
	for _, n := range refused {
		program = append(program, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: n, SkipTrue: 1}, fail(unix.EPERM))
	}
	program = append(program, requests(fail(unix.EPERM))...)
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

// requests refuses some requests of ioctl.
func requests(fail bpf.Instruction) []bpf.Instruction {
	out := []bpf.Instruction{
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_IOCTL, SkipTrue: uint8(3 + 2*len(subvolumes))},
		bpf.LoadAbsolute{Off: secondArgument, Size: 4},
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xffff},
	}
	for _, r := range subvolumes {
		out = append(out, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: r, SkipTrue: 1}, fail)
	}
	return append(out, bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW})
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
