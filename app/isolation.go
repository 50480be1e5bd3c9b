package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/doctor"
	"github.com/odfix/odfix/internal/isolate"
)

// The kinds of isolation of this machine from the code of pull requests.
const (
	isolationBubblewrap = "bubblewrap"
	isolationNone       = "none"
)

// isolationOptions are the flags about the sandbox of runners.
type isolationOptions struct {
	kind      string // empty in tests: the runner of the test is used
	memory    string
	disk      string
	processes int
	cpus      float64
	nice      int
	maven     string
	gradle    string
	caches    string
	weak      bool
	allow     []string

	limits isolate.Limits
}

func (o *isolationOptions) register(f *pflag.FlagSet) {
	f.StringVar(&o.kind, "isolation", isolationBubblewrap,
		"`how` builds and tests are isolated from this machine: bubblewrap, or none (only for trusted repositories)")
	f.StringVar(&o.memory, "job-memory", "4GiB", "`size` of memory that an isolated job may use")
	f.StringVar(&o.disk, "job-disk", "10GiB", "`size` of disk that an isolated job may use; a worker that is root reserves it")
	f.IntVar(&o.processes, "job-processes", isolate.DefaultProcesses, "processes and threads that an isolated job may have")
	f.Float64Var(&o.cpus, "job-cpus", 0, "cores that an isolated job may use, such as 1.5; 0: all")
	f.IntVar(&o.nice, "job-nice", isolate.DefaultNice,
		"niceness of jobs, as in nice(1), so that webhooks are answered first: 0 to 19")
	f.StringVar(&o.maven, "maven-cache", "",
		"`folder` with the Maven repository that isolated builds start from; it is only read, by the builds of all installations (default: ~/.m2)")
	f.StringVar(&o.gradle, "gradle-home", "",
		"`folder` whose wrapper/dists has the distributions of Gradle that isolated builds may use; it is only read (default: ~/.gradle)")
	f.StringVar(&o.caches, "installation-caches", "",
		"`folder` with such folders for single installations, named by their ids, such as 4711/repository; other installations cannot read them")
	f.BoolVar(&o.weak, "weak-limits", false,
		"start although one job can keep odfix and other jobs from working: limits of memory and processes hold for each process "+
			"of a job only, or all jobs share the epoll watches of one user")
	f.StringArrayVar(&o.allow, "allow-host", nil,
		"`HOST:PORT` of a package registry that isolated builds may read from, beside those of Maven, Gradle and npm; may be repeated")
}

var sizePattern = regexp.MustCompile(`^([0-9]{1,9})\s*(MiB|GiB|M|G)$`)

// size reads "512MiB" or "4GiB".
func size(flag, s string) (int64, error) {
	m := sizePattern.FindStringSubmatch(s)
	if m == nil {
		return 0, usage("Write it like 512MiB or 4GiB.", "--%s is %q", flag, s)
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	if n < 1 || err != nil {
		return 0, usage("Write it like 512MiB or 4GiB.", "--%s is %q", flag, s)
	}
	if strings.HasPrefix(m[2], "G") {
		n <<= 10
	}
	return n << 20, nil
}

var hostPort = regexp.MustCompile(`^[A-Za-z0-9.-]+:[0-9]{1,5}$`)

func (o *isolationOptions) complete() error {
	var err error
	if o.kind != isolationBubblewrap && o.kind != isolationNone {
		return usage("", "--isolation is %q: it can be bubblewrap or none", o.kind)
	}
	if o.limits.Memory, err = size("job-memory", o.memory); err != nil {
		return err
	}
	if o.limits.Disk, err = size("job-disk", o.disk); err != nil {
		return err
	}
	if o.processes < 64 {
		return usage("A build with its test JVMs needs some hundred.", "--job-processes is %d", o.processes)
	}
	if o.cpus < 0 {
		return usage("Give a number such as 1.5, or 0 for all.", "--job-cpus is %g", o.cpus)
	}
	if o.nice < 0 || o.nice > 19 {
		return usage("Give a whole number from 0 to 19.", "--job-nice is %d", o.nice)
	}
	for _, a := range o.allow {
		if !hostPort.MatchString(a) {
			return usage("Write it like nexus.example.org:8443.", "--allow-host is %q", a)
		}
	}
	o.limits.Processes, o.limits.CPUs, o.limits.Nice = o.processes, o.cpus, o.nice
	if o.caches != "" {
		if o.caches, err = folder(o.caches); err != nil {
			return err
		}
	}
	if o.maven, err = orInHome(o.maven, ".m2"); err == nil {
		o.gradle, err = orInHome(o.gradle, ".gradle")
	}
	return err
}

// orInHome is a given folder, or else one in the home folder, if there is such a one; empty: none.
func orInHome(given, name string) (string, error) {
	if given != "" {
		return folder(given)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", nil
	}
	if _, err := os.Stat(filepath.Join(home, name)); err != nil {
		return "", nil
	}
	return filepath.Join(home, name), nil
}

// enough is an error if no limit holds for a whole job: neither one of its own, nor one of the
// container around odfix.
func (o *isolationOptions) enough(why string, contained bool) error {
	if o.weak || contained {
		return nil
	}
	return fmt.Errorf("no limit of memory and processes holds for a whole job (%s), so a pull request could use up this machine. "+
		"Let odfix make cgroups, or limit its container (docker run --memory … --pids-limit …). "+
		"--weak-limits starts odfix all the same", why)
}

// startError is why odfix does not start.
func startError(f doctor.Finding) error { return fmt.Errorf("%s: %s. %s", f.What, f.Detail, f.Fix) }

// dispatcher starts runners. They are isolated, unless the operator's configuration allows runners
// without isolation.
func (r *runnerOptions) dispatcher(ctx context.Context, w world, log *zap.Logger) (dispatch.Dispatcher, error) {
	o := r.isolation
	if o.kind != isolationBubblewrap {
		if o.kind == isolationNone {
			log.Warn("BUILDS AND TESTS HAVE FULL ACCESS TO THIS MACHINE (--isolation none): anybody who can open a " +
				"pull request runs code as this user")
		}
		d := w.runner(runnerLog(log))
		if l, ok := d.(*dispatch.Local); ok {
			l.Env, l.Nice = runnerEnvironment(os.Environ()), o.nice
		}
		return d, nil
	}
	runner, err := dispatch.Find()
	if err != nil {
		return nil, err
	}
	box, err := isolate.Open(ctx, isolate.Options{Helper: runner, Limits: o.limits, Dir: r.work})
	if errors.Is(err, isolate.ErrNot) {
		return nil, fmt.Errorf("%w. odfix does not build pull requests without it. If everybody who can "+
			"open pull requests is trusted, --isolation none runs builds as this user", err)
	}
	if err != nil {
		return nil, err
	}
	log.Info("builds and tests are isolated", zap.Strings("how", box.About()))
	if why := box.Weaker(); why != "" {
		if err := o.enough(why, box.Contained()); err != nil {
			return nil, err
		}
		log.Warn("the limits of a job apply to each of its processes, not to all together, so one job can keep others from working",
			zap.String("because", why))
	}
	if why := box.SharedDisk(); why != "" {
		log.Warn("jobs share a disk, so one job can fill it for all", zap.String("because", why))
	}
	have, need := box.Space(r.runners)
	if f := doctor.JobDisks(have, need, r.runners, cmp.Or(r.work, os.TempDir())); f.Grade == doctor.Bad {
		return nil, startError(f)
	}
	have, need = box.Watches(r.runners)
	switch f := doctor.Watches(have, need, o.weak); f.Grade {
	case doctor.Bad:
		f.Fix += " --weak-limits starts odfix all the same."
		return nil, startError(f)
	case doctor.Warning:
		log.Warn("one job can keep others from working: it can use up the epoll watches of this user",
			zap.Int64("allowed", have), zap.Int64("needed", need))
	}
	changed, err := box.RaiseLimits(r.runners)
	switch {
	case err != nil && !o.weak:
		return nil, fmt.Errorf("one job could use up what this machine allows all programs together, and odfix may not raise it: %w. "+
			"Let it do so (ProtectKernelTunables=no). --weak-limits starts odfix all the same", err)
	case err != nil:
		log.Warn("one job can use up what this machine allows all programs together", zap.Error(err))
	case len(changed) > 0:
		log.Info("raised, so that no job can use up sockets or open files for all", zap.Strings("sysctls", changed))
	}
	return &dispatch.Isolated{Sandbox: box, Runner: runner, Maven: o.maven, Gradle: o.gradle, Caches: o.caches, Allow: o.allow, Log: runnerLog(log)}, nil
}
