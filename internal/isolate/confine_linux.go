package isolate

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// become turns this process into the spec's program, or returns why it cannot.
func (s *spec) become() error {
	// The parent's death signal and no_new_privs are attributes of the thread.
	runtime.LockOSThread()
	// What opens more from here on closes it at an exec.
	if err := closeAtExec(s.Keep); err != nil {
		return fmt.Errorf("files that odfix was started with: %w", err)
	}
	for _, file := range s.Groups {
		if err := os.WriteFile(file, []byte("0"), 0); err != nil {
			return err
		}
	}
	if len(s.Stage) > 0 {
		if err := s.stage(); err != nil {
			return err
		}
	}
	for _, l := range s.Limits {
		var now unix.Rlimit
		if err := unix.Getrlimit(l.Resource, &now); err != nil {
			return err
		}
		highest := min(now.Max, l.Value)
		if l.Resource == unix.RLIMIT_CORE && unix.Setrlimit(l.Resource, &unix.Rlimit{Cur: l.Value, Max: l.Value}) == nil {
			continue // the value is not a bound, see noCore
		}
		if err := unix.Setrlimit(l.Resource, &unix.Rlimit{Cur: min(now.Cur, highest), Max: highest}); err != nil {
			return fmt.Errorf("limit %d: %w", l.Resource, err)
		}
	}
	if s.Nice > 0 { // of the thread, too
		// EACCES: this process is nicer already
		if err := unix.Setpriority(unix.PRIO_PROCESS, 0, s.Nice); err != nil && !errors.Is(err, unix.EACCES) {
			return fmt.Errorf("niceness %d: %w", s.Nice, err)
		}
	}
	if err := s.drop(); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	// The change of user has cleared the parent's death signal.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return err
	}
	if os.Getppid() != s.Parent {
		return errors.New("the process that started it has ended")
	}
	return unix.Exec(s.Program, s.Args, nil)
}

// closeAtExec has an exec close all files from a descriptor on. odfix itself may have been started
// with open files, which all its children get.
func closeAtExec(from int) error {
	err := unix.CloseRange(uint(from), math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EPERM) {
		return closeEachAtExec(from) // before Linux 5.11, or in a container that refuses the call
	}
	return err
}

func closeEachAtExec(from int) error {
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, e := range open {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd >= from {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

// drop changes to a user that owns nothing.
func (s *spec) drop() error {
	if s.User == 0 {
		return nil
	}
	if err := unix.Setgroups(nil); err != nil {
		return err
	}
	if err := unix.Setresgid(s.User, s.User, s.User); err != nil {
		return err
	}
	return unix.Setresuid(s.User, s.User, s.User)
}

// stage binds files below stageDir. It opens all of them first, since some may be in the folder
// that stageDir covers.
func (s *spec) stage() error {
	if err := forget(s.Stage); err != nil {
		return err
	}
	fds := make([]int, len(s.Stage))
	for i, path := range s.Stage {
		fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		fds[i] = fd
	}
	if err := unix.Mount("tmpfs", stageDir, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755,size=1m"); err != nil {
		return fmt.Errorf("a place to bind from: %w", err)
	}
	for i, fd := range fds {
		if err := bindFD(fd, filepath.Join(stageDir, strconv.Itoa(i))); err != nil {
			return fmt.Errorf("%s: %w", s.Stage[i], err)
		}
	}
	return nil
}

func bindFD(fd int, at string) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	err := os.Mkdir(at, 0o755)
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		_ = os.Remove(at)
		err = os.WriteFile(at, nil, 0o644)
	}
	if err != nil {
		return err
	}
	return unix.Mount(fmt.Sprintf("/proc/self/fd/%d", fd), at, "", unix.MS_BIND|unix.MS_REC, "")
}
