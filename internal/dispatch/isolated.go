package dispatch

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/odfix/odfix/internal/isolate"
	"github.com/odfix/odfix/internal/job"
)

// Isolated runs each job in a sandbox of its own on this machine. The sandbox holds the checkout,
// an empty work folder, the JDK, Maven and its repository, Gradle, and nothing else.
//
// Unless the job is Offline, it has two steps. The first builds up to the tests and can read from
// package registries. The second is the job itself, without network unless the job has Network set.
//
// Jobs share nothing: the job's Work is not used.
type Isolated struct {
	Sandbox *isolate.Sandbox
	Runner  string   // the runner's program
	Maven   string   // the machine's .m2 folder, for all jobs, never written to; empty: none
	Caches  string   // a folder with a .m2 folder for each installation, named by its id; empty: none
	Gradle  string   // the machine's .gradle folder, of which jobs see the distributions; empty: none
	Env     []string // for runners, beyond what they need ("NAME=value")
	Show    []string // further files and folders that a runner may read
	Allow   []string // HOST:PORT of package registries beyond isolate.Registries
	Log     io.Writer
	Grace   time.Duration // as in Local
	Slack   time.Duration
	Quiet   time.Duration
}

var _ Dispatcher = (*Isolated)(nil)

// Run implements Dispatcher.
func (d *Isolated) Run(ctx context.Context, j job.Job, on func(job.Event)) (*job.Report, error) {
	if ctx.Err() != nil {
		return nil, stopped("")
	}
	begun := time.Now()
	v, err := d.enter(ctx, j, on)
	if err != nil {
		return nil, noRoom(err)
	}
	report, err := v.work(ctx, begun)
	if cerr := v.close(); cerr != nil && d.Log != nil {
		_, _ = io.WriteString(d.Log, "removing what a job left: "+cerr.Error()+"\n")
	}
	return report, err
}

func noRoom(err error) *job.Error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, isolate.ErrNoDisk) {
		return full(err)
	}
	return &job.Error{Code: CodeMissing, Message: "the runner's sandbox cannot be made: " + err.Error(),
		Hint: "look for a full disk, and at what odfix said of its sandbox when it started"}
}

func full(err error) *job.Error {
	return &job.Error{Code: CodeFull, Message: "the job ended because the runner's machine was full, or too busy: " + err.Error(),
		Hint: "the operator of odfix can look at what fills the disk of --work-dir, or the machine's memory; try again"}
}

// visit is one job in its sandbox.
type visit struct {
	d    *Isolated
	job  job.Job
	on   func(job.Event)
	room *isolate.Room
	exit *isolate.Exit // nil if no step has network
}

func (d *Isolated) enter(ctx context.Context, j job.Job, on func(job.Event)) (*visit, error) {
	v := &visit{d: d, job: j, on: on}
	private := d.private(j)
	w := isolate.Want{Java: j.Runtime, Maven: d.Maven, Private: private, Own: !j.Offline || private != "",
		Env: slices.Concat(d.Env, j.Env), ReadOnly: d.Show}
	var further []string
	if j.BuildTool == job.Gradle {
		w.Gradle, further = &d.Gradle, isolate.Gradle
	}
	top, err := checkout(j.Dir)
	if err != nil {
		return nil, err
	}
	w.ReadOnly = append(w.ReadOnly[:len(w.ReadOnly):len(w.ReadOnly)], top)
	if v.room, err = d.Sandbox.Room(ctx, w); err != nil {
		return nil, err
	}
	if !j.Offline || j.Network {
		exit := &isolate.Exit{Allow: d.Allow, Further: further}
		if err := exit.Open(); err != nil {
			return nil, errors.Join(err, v.room.Close())
		}
		v.exit = exit
	}
	v.job.Work, v.job.Out, v.job.Budget = v.room.Work(), "", budget(j)
	return v, nil
}

func (v *visit) close() error {
	var err error
	if v.exit != nil {
		err = v.exit.Close()
		v.contacted(v.exit.Contacts())
	}
	return errors.Join(err, v.room.Close())
}

// private is the .m2 folder of the job's installation; empty: none.
func (d *Isolated) private(j job.Job) string {
	if d.Caches == "" || j.Installation <= 0 {
		return ""
	}
	dir := filepath.Join(d.Caches, strconv.FormatInt(j.Installation, 10))
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return ""
	}
	return dir
}

// contacted sends the hosts that the job asked for.
func (v *visit) contacted(list []isolate.Contact) {
	if len(list) == 0 || v.on == nil {
		return
	}
	e := job.Event{Time: time.Now(), Phase: job.PhaseBuild}
	for _, c := range list {
		e.Contacted = append(e.Contacted, job.Contact(c))
	}
	v.on(e)
}

// work runs both steps, which share the budget.
func (v *visit) work(ctx context.Context, begun time.Time) (*job.Report, error) {
	if !v.job.Offline {
		first := job.Job{Version: v.job.Version, Kind: job.KindBuild, Language: v.job.Language, BuildTool: v.job.BuildTool,
			Dir: v.job.Dir, Module: v.job.Module, Tests: v.job.Tests, Budget: v.job.Budget, MaxReport: v.job.MaxReport,
			BuildArgs: v.job.BuildArgs, Runtime: v.job.Runtime, Env: v.job.Env, Work: v.job.Work}
		report, err := v.step(ctx, first, true)
		if err != nil || report.Error != nil {
			return report, err
		}
		v.job.Budget = max(v.job.Budget-time.Since(begun), time.Second)
	}
	return v.step(ctx, v.job, v.job.Network)
}

func (v *visit) step(ctx context.Context, j job.Job, out bool) (*job.Report, error) {
	way := ""
	if out {
		way = v.exit.Socket()
	}
	cmd, err := v.room.Command(v.d.Runner, way)
	if err != nil {
		return nil, noRoom(err)
	}
	for _, f := range cmd.ExtraFiles {
		defer f.Close()
	}
	d := v.d
	t := terms{limit: j.Budget + or(d.Slack, DefaultSlack), grace: or(d.Grace, DefaultGrace),
		quiet: or(d.Quiet, DefaultQuiet), log: d.Log, watch: v.watch}
	report, err := t.run(ctx, cmd, j, v.on)
	if filled := limitError(v.room.DiskError()); filled != nil && ctx.Err() == nil { // its tests may have failed for that reason
		return nil, filled
	}
	return report, v.explain(err)
}

// watch reports a job that exceeds its limits, or that a full machine ends.
func (v *visit) watch(ctx context.Context) *job.Error {
	return limitError(v.room.Watch(ctx))
}

// limitError makes an error of Room.Watch or Room.DiskError one of the job.
func limitError(err error) *job.Error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, isolate.ErrMachine):
		return full(err)
	case errors.Is(err, isolate.ErrKernel):
		return &job.Error{Code: CodeGreedy, Message: "the build or its tests used more than a job may: " + err.Error(),
			Hint: "look for tests that make these and do not close them"}
	}
	return &job.Error{Code: CodeGreedy, Message: "the build or its tests filled the disk: " + err.Error(),
		Hint: "the operator of odfix can allow more with --job-disk"}
}

// explain adds to the error that the runner ran out of memory, if it did.
func (v *visit) explain(err error) error {
	if e, ok := errors.AsType[*job.Error](err); ok && e.Code == CodeDied && v.room.Full() {
		e.Code, e.Message, e.Hint = CodeGreedy, "the build or its tests used more memory than a job may",
			"the operator of odfix can allow more with --job-memory"
	}
	return err
}

// checkout is the folder that a build in dir needs: the nearest git work tree at or above dir.
// Without one it is the topmost folder of those above dir that all have a pom, or the nearest one with
// settings of Gradle. Folders outside it are not shown, not even a work tree around this one. Packages
// maven and gradle find the project in the same way.
func checkout(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", err
	}
	top, settings := dir, ""
	for d, unbroken := dir, true; d != filepath.Dir(d); d = filepath.Dir(d) {
		if has(d, ".git") {
			return d, nil
		}
		if unbroken = unbroken && has(d, "pom.xml"); unbroken {
			top = d
		}
		if settings == "" && (has(d, "settings.gradle") || has(d, "settings.gradle.kts")) {
			settings = d
		}
	}
	if settings != "" && len(settings) < len(top) {
		top = settings
	}
	return top, nil
}

func has(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}
