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
// calls. The machine has one limit for all filters (seccomp), and one for all requests of io_setup.
var refused = []uint32{
	unix.SYS_ACCT, unix.SYS_ADD_KEY, unix.SYS_BPF, unix.SYS_CLOCK_ADJTIME, unix.SYS_CLOCK_SETTIME, unix.SYS_DELETE_MODULE,
	unix.SYS_FANOTIFY_INIT, unix.SYS_FANOTIFY_MARK, unix.SYS_FINIT_MODULE, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT,
	unix.SYS_FSOPEN, unix.SYS_FSPICK, unix.SYS_INIT_MODULE, unix.SYS_IO_SETUP, unix.SYS_IO_URING_ENTER,
	unix.SYS_IO_URING_REGISTER, unix.SYS_IO_URING_SETUP, unix.SYS_KCMP, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_KEXEC_LOAD, unix.SYS_KEYCTL,
	unix.SYS_LOOKUP_DCOOKIE, unix.SYS_MIGRATE_PAGES, unix.SYS_MOUNT, unix.SYS_MOUNT_SETATTR, unix.SYS_MOVE_MOUNT,
	unix.SYS_MOVE_PAGES, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_OPEN_TREE, unix.SYS_PERF_EVENT_OPEN,
	unix.SYS_PIDFD_GETFD, unix.SYS_PIVOT_ROOT, unix.SYS_PROCESS_MADVISE, unix.SYS_PROCESS_MRELEASE, unix.SYS_PROCESS_VM_READV,
	unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PTRACE, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_REBOOT,
	unix.SYS_REQUEST_KEY, unix.SYS_SCHED_SETATTR, unix.SYS_SECCOMP, unix.SYS_SETDOMAINNAME, unix.SYS_SETHOSTNAME, unix.SYS_SETNS, unix.SYS_SETTIMEOFDAY,
	unix.SYS_SWAPOFF, unix.SYS_SWAPON, unix.SYS_SYSLOG, unix.SYS_UMOUNT2, unix.SYS_UNSHARE, unix.SYS_USERFAULTFD,
	unix.SYS_VHANGUP,
}

// The arguments of a system call in seccomp_data, in the byte order of both processors.
const (
	callNumber     = 0
	firstArgument  = 16
	secondArgument = 24
	thirdArgument  = 32
	fourthArgument = 40
)

// newest is the last system call that this filter was made for.
const newest = unix.SYS_MSEAL

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
		bpf.LoadAbsolute{Off: callNumber, Size: 4},
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
	for _, c := range choices {
		program = append(program, c.instructions(fail(c.with))...)
	}
	raw, err := bpf.Assemble(append(program, sockets(fail(unix.EAFNOSUPPORT), fail(unix.EPROTONOSUPPORT))...))
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

// choice refuses some values of an argument of a call, of which the bits of the mask count.
type choice struct {
	call, argument, mask uint32
	values               []uint32
	with                 unix.Errno
	second               *uint32 // only if the second argument is this; nil: always
}

const (
	whole     = 0xffff_ffff // the mask of an argument of which all 32 bits count
	sharedBig = 0o4000      // SHM_HUGETLB (linux/shm.h)
	tcpKey    = 38          // TCP_AO_ADD_KEY (linux/tcp.h)
	async     = 0x5452      // FIOASYNC (asm-generic/ioctls.h)
	flowLabel = 32          // IPV6_FLOWLABEL_MGR (linux/in6.h)
)

// choices are what one job could use up for the machine, or could leave that takes the kernel long to
// remove. The errors are those of a kernel or a network without it.
var choices = []choice{
	// Requests of btrfs (linux/btrfs.h, type and number) that make a subvolume or a snapshot, which
	// odfix could not remove: SNAP_CREATE, SUBVOL_CREATE, and both of version 2.
	{call: unix.SYS_IOCTL, argument: secondArgument, mask: 0xffff, values: []uint32{0x9401, 0x940e, 0x9417, 0x9418}, with: unix.EPERM},
	// Filters, for which the machine has one limit.
	{call: unix.SYS_PRCTL, argument: firstArgument, mask: whole, values: []uint32{unix.PR_SET_SECCOMP}, with: unix.EINVAL},
	{call: unix.SYS_SETSOCKOPT, second: value(unix.SOL_SOCKET), argument: thirdArgument, mask: whole, with: unix.EPERM,
		values: []uint32{unix.SO_ATTACH_FILTER, unix.SO_ATTACH_BPF, unix.SO_ATTACH_REUSEPORT_CBPF, unix.SO_ATTACH_REUSEPORT_EBPF}},
	// Keys that sign packets, whose memory is not the job's.
	{call: unix.SYS_SETSOCKOPT, second: value(unix.IPPROTO_TCP), argument: thirdArgument, mask: whole, with: unix.EPERM,
		values: []uint32{unix.TCP_MD5SIG, unix.TCP_MD5SIG_EXT, tcpKey}},
	// Members of multicast groups, and flow labels: a process that ends leaves each group, for which
	// the kernel walks the list of all groups, and keeps the lock of all networks.
	{call: unix.SYS_SETSOCKOPT, second: value(unix.IPPROTO_IP), argument: thirdArgument, mask: whole, with: unix.ENODEV,
		values: []uint32{unix.IP_ADD_MEMBERSHIP, unix.IP_ADD_SOURCE_MEMBERSHIP, unix.IP_MSFILTER, unix.MCAST_JOIN_GROUP,
			unix.MCAST_JOIN_SOURCE_GROUP, unix.MCAST_MSFILTER}},
	{call: unix.SYS_SETSOCKOPT, second: value(unix.IPPROTO_IPV6), argument: thirdArgument, mask: whole, with: unix.ENODEV,
		values: []uint32{unix.IPV6_JOIN_GROUP, unix.IPV6_JOIN_ANYCAST, flowLabel, unix.MCAST_JOIN_GROUP,
			unix.MCAST_JOIN_SOURCE_GROUP, unix.MCAST_MSFILTER}},
	// A close that waits for the other side. It would wait in the kernel's own thread that closes files for
	// the whole machine, or in one of odfix. The call succeeds without effect, since programs expect it.
	{call: unix.SYS_SETSOCKOPT, second: value(unix.SOL_SOCKET), argument: thirdArgument, mask: whole, values: []uint32{unix.SO_LINGER}},
	// Options that the kernel keeps for a socket, and counts for nobody.
	{call: unix.SYS_SETSOCKOPT, second: value(unix.IPPROTO_IPV6), argument: thirdArgument, mask: whole, with: unix.EPERM,
		values: []uint32{unix.IPV6_2292PKTOPTIONS}},
	// The limit of core dumps, see noCore.
	{call: unix.SYS_SETRLIMIT, argument: firstArgument, mask: whole, values: []uint32{unix.RLIMIT_CORE}, with: unix.EPERM},
	{call: unix.SYS_PRLIMIT64, argument: secondArgument, mask: whole, values: []uint32{unix.RLIMIT_CORE}, with: unix.EPERM},
	// Line disciplines of terminals. For one that is not there the kernel starts modprobe, as root and
	// outside of the sandbox.
	{call: unix.SYS_IOCTL, argument: secondArgument, mask: whole, values: []uint32{unix.TIOCSETD}, with: unix.EPERM},
	// Bridges and virtual networks, for which it does the same, without asking for a permission.
	{call: unix.SYS_IOCTL, argument: secondArgument, mask: whole, with: unix.ENOPKG, values: []uint32{unix.SIOCGIFVLAN, unix.SIOCSIFVLAN,
		unix.SIOCGIFBR, unix.SIOCSIFBR, unix.SIOCBRADDBR, unix.SIOCBRDELBR}},
	// Signals of files (O_ASYNC, F_NOTIFY, leases and delegations), whose lists are walked in the same way.
	{call: unix.SYS_IOCTL, argument: secondArgument, mask: whole, values: []uint32{async}, with: unix.EINVAL},
	{call: unix.SYS_FCNTL, second: value(unix.F_SETFL), argument: thirdArgument, mask: unix.O_ASYNC, values: []uint32{unix.O_ASYNC}, with: unix.EINVAL},
	{call: unix.SYS_FCNTL, argument: secondArgument, mask: whole, with: unix.EINVAL,
		values: []uint32{unix.F_NOTIFY, unix.F_SETLEASE, unix.F_SETDELEG}},
	// Processes that only run when no other does: they would end last, and others wait for them.
	{call: unix.SYS_SCHED_SETSCHEDULER, argument: secondArgument, mask: 0xff, values: []uint32{unix.SCHED_IDLE}, with: unix.EPERM},
	// Locks of open files: no process holds them, so that they could not be counted for a job.
	{call: unix.SYS_FCNTL, argument: secondArgument, mask: whole, values: []uint32{unix.F_OFD_SETLK, unix.F_OFD_SETLKW}, with: unix.EINVAL},
	// Huge pages, which are few, and the machine's.
	{call: unix.SYS_MEMFD_CREATE, argument: secondArgument, mask: unix.MFD_HUGETLB, values: []uint32{unix.MFD_HUGETLB}, with: unix.EINVAL},
	{call: unix.SYS_MMAP, argument: fourthArgument, mask: unix.MAP_HUGETLB, values: []uint32{unix.MAP_HUGETLB}, with: unix.EINVAL},
	{call: unix.SYS_SHMGET, argument: thirdArgument, mask: sharedBig, values: []uint32{sharedBig}, with: unix.EINVAL},
}

func value(v uint32) *uint32 { return &v }

// instructions begin and end with the call's number loaded.
func (c choice) instructions(fail bpf.Instruction) []bpf.Instruction {
	var then []bpf.Instruction
	then = append(then, bpf.LoadAbsolute{Off: c.argument, Size: 4}, bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: c.mask})
	for _, v := range c.values {
		then = append(then, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: v, SkipTrue: 1}, fail)
	}
	if c.second != nil {
		then = append([]bpf.Instruction{
			bpf.LoadAbsolute{Off: secondArgument, Size: 4},
			bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: *c.second, SkipTrue: uint8(len(then))},
		}, then...)
	}
	skip := bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: c.call, SkipTrue: uint8(len(then))}
	return append(append([]bpf.Instruction{skip}, then...), bpf.LoadAbsolute{Off: callNumber, Size: 4})
}

// protocols are those of internet sockets that builds and tests need. 0 is the usual one of a type.
var protocols = []uint32{0, unix.IPPROTO_TCP, unix.IPPROTO_UDP, unix.IPPROTO_ICMP, unix.IPPROTO_ICMPV6}

// sockets is the end of the filter: it allows all calls but those that make a socket of a family
// that builds and tests do not need, or of another protocol. Of netlink it allows the part that
// lists network interfaces, as Node and Go do.
func sockets(family, protocol bpf.Instruction) []bpf.Instruction {
	allow := bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}
	out := []bpf.Instruction{
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SYS_SOCKET, SkipTrue: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SYS_SOCKETPAIR, SkipTrue: 1},
		allow,
		bpf.LoadAbsolute{Off: firstArgument, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.AF_UNIX, SkipTrue: 1},
		allow,
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.AF_NETLINK, SkipTrue: 4},
		bpf.LoadAbsolute{Off: thirdArgument, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.NETLINK_ROUTE, SkipTrue: 1},
		allow, family,
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_INET, SkipTrue: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_INET6, SkipTrue: 1},
		family,
		bpf.LoadAbsolute{Off: thirdArgument, Size: 4},
	}
	for _, p := range protocols {
		out = append(out, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: p, SkipTrue: 1}, allow)
	}
	return append(out, protocol)
}
