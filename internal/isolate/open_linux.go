package isolate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/odfix/odfix/internal/child"
)

// probeTime bounds the start of the probe.
const probeTime = 20 * time.Second

// Open finds bwrap and starts a probe in a Room. Its error says what is missing and what to do.
func Open(ctx context.Context, o Options) (*Sandbox, error) {
	o.Limits.fill()
	path, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, fmt.Errorf("%w: there is no bwrap in PATH; install bubblewrap (0.8 or later)", ErrNot)
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	o.Dir = cmp.Or(o.Dir, os.TempDir())
	if o.Dir, err = filepath.Abs(o.Dir); err == nil {
		o.Dir, err = filepath.EvalSymlinks(o.Dir) // as the kernel names what is mounted
	}
	if err != nil {
		return nil, err
	}
	s := &Sandbox{o: o, bwrap: path, root: os.Geteuid() == 0, groups: findHierarchies("/sys/fs/cgroup", "/proc/self/cgroup"),
		deny: denied(runtime.GOARCH), free: free, proc: "/proc"}
	sweep(o.Dir)
	sweep(os.TempDir())
	sweep("/dev/shm") // where earlier versions had Maven repositories
	s.groups.sweep(time.Now())
	if s.shared, err = s.whyShared(ctx); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoDisk, err)
	}
	s.diskSize = trial
	if err := errors.Join(s.try(ctx), s.Close()); err != nil {
		return nil, err
	}
	s.diskSize = o.Limits.Disk
	return s, nil
}

// try runs the helper's probe in a Room.
func (s *Sandbox) try(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	r, err := s.Room(ctx, Want{Env: []string{probeEnv + "=1"}})
	if errors.Is(err, ErrNoDisk) {
		return err
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNot, err)
	}
	out, err := r.probe(ctx)
	err = errors.Join(err, r.Close())
	if err != nil || out != probeSays {
		return fmt.Errorf("%w: bwrap is here, but what it starts does not run as it should: %v %s; bubblewrap 0.8 "+
			"or later and user namespaces (sysctl kernel.unprivileged_userns_clone, "+
			"user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns) are needed",
			ErrNot, err, strings.TrimSpace(out))
	}
	return nil
}

func (r *Room) probe(ctx context.Context) (string, error) {
	cmd, err := r.Command(r.s.o.Helper, "")
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Second
	if err := child.Start(cmd); err != nil {
		return "", err
	}
	stop := context.AfterFunc(ctx, func() { child.Kill(cmd) })
	defer stop()
	err = errors.Join(cmd.Wait(), ctx.Err())
	return out.String(), err
}
