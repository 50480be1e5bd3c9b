package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/shell"
)

// project holds the flags that choose tests and say how they are built.
type project struct {
	framework string
	buildTool string
	module    string
	budget    time.Duration
	format    string
	out       string
	offline   bool
	javaHome  string
	parallel  int
	timeout   time.Duration
	buildArgs []string
	verbose   bool
	rerun     int
	findAll   bool
}

func (p *project) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&p.framework, "framework", "", frameworkUsage)
	f.StringVar(&p.buildTool, "build-tool", "", "`maven` or gradle, where a folder has files of both (default: maven)")
	f.StringVar(&p.module, "module", "", "the `module`: its folder, groupId:artifactId with Maven, the path of the project with Gradle, or the package of "+
		"a workspace (its folder); default: the one that has the tests")
	f.DurationVar(&p.budget, "budget", job.DefaultBudget, "wall `time` for everything, the build included")
	f.StringVar(&p.format, "format", "text", formatUsage(cmd.Name()))
	f.StringVar(&p.out, "out", "", "`folder` for report.json, odfix.patch and logs (default: a new temporary one)")
	f.BoolVar(&p.offline, "offline", false, "build without network")
	f.StringVar(&p.javaHome, "java-home", "", "`JDK` to build and test with (default: as the build tool chooses)")
	f.IntVar(&p.parallel, "parallel", 0, "most test processes at the same time (default: one per core)")
	f.DurationVar(&p.timeout, "test-timeout", 0, "`time` after which a test counts as hung (default: a multiple of its usual time)")
	buildArgs(f, &p.buildArgs, "an `argument` for the build tool, such as -Pfast; may be repeated, or given after --")
	f.BoolVarP(&p.verbose, "verbose", "v", false, "print every event and the runner's log to standard error")
}

// rerunFlag adds --rerun.
func (p *project) rerunFlag(f *pflag.FlagSet) {
	f.IntVar(&p.rerun, "rerun", 0, fmt.Sprintf("how many `times` each conclusion is confirmed in fresh processes "+
		"(default: %d, or %d where many tests confirm each other)", job.DefaultRerun, job.DefaultRerun-1))
}

// placeFlag adds --place.
func placeFlag(f *pflag.FlagSet, to *string) {
	f.StringVar(to, "place", anyPlace, "the only `place` for patches: polluter-teardown, victim-setup or victim-start; or any")
}

const anyPlace = "any"

// places are the values of --place.
func places() []string {
	out := []string{anyPlace}
	for _, p := range patch.Places {
		out = append(out, string(p))
	}
	return out
}

func placeOf(name string) (patch.Location, error) {
	switch {
	case name == anyPlace:
		return "", nil
	case !slices.Contains(places(), name):
		return "", usage("", "--place is %q: it can be %s", name, strings.Join(places(), ", "))
	}
	return patch.Location(name), nil
}

// command returns the function of a command that sends one job about DIR. An error of prepare is
// about the command line, or a *job.Error.
func (p *project) command(w world, code *int, prepare func(cmd *cobra.Command, dir string, forBuild []string) (job.Job, error),
	do func(context.Context, world, job.Job) int) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		ours, forBuild := split(cmd, args)
		dir, err := oneDir(ours)
		if err != nil {
			return err
		}
		j, err := prepare(cmd, dir, forBuild)
		if e := (*job.Error)(nil); errors.As(err, &e) {
			*code = showError(w, *p, e)
			return nil
		}
		if err == nil {
			*code = do(cmd.Context(), w, j)
		}
		return err
	}
}

// buildArgs registers --build-arg.
func buildArgs(f *pflag.FlagSet, to *[]string, help string) {
	f.StringArrayVar(to, "build-arg", nil, help)
}

const frameworkUsage = "test `framework`: junit or jest (default: junit where Maven or Gradle builds, else jest where there is a package.json)"

// languages are the languages of the test frameworks.
var languages = map[string]string{"": "", "junit": "java", "jest": "jest"}

// job checks the flags and the folder, and begins a job with them.
func (p *project) job(kind job.Kind, cmd *cobra.Command, dir string, dashed []string) (job.Job, error) {
	j := job.Job{
		Version: job.Version, Kind: kind, Module: p.module, Budget: p.budget,
		BuildArgs: append(append([]string(nil), p.buildArgs...), dashed...),
		Offline:   p.offline, Parallel: p.parallel, TestTimeout: p.timeout, Rerun: p.rerun, FindAll: p.findAll,
	}
	if err := checkFormat(p.format, kind); err != nil {
		return j, err
	}
	var known bool
	if j.Language, known = languages[p.framework]; !known {
		return j, usage("", "--framework is %q: it can be junit or jest", p.framework)
	}
	if j.BuildTool = p.buildTool; !slices.Contains([]string{"", job.Maven, job.Gradle}, p.buildTool) {
		return j, usage("", "--build-tool is %q: it can be maven or gradle", p.buildTool)
	}
	if p.budget < 0 || p.budget == 0 && cmd.Flags().Changed("budget") {
		return j, usage("Give a time such as 10m or 90s.", "--budget is %s: it must be more than 0s", p.budget)
	}
	if p.timeout < 0 || p.timeout == 0 && cmd.Flags().Changed("test-timeout") {
		return j, usage("Give a time such as 30s.", "--test-timeout is %s: it must be more than 0s", p.timeout)
	}
	if err := p.counts(cmd); err != nil {
		return j, err
	}
	var err error
	if j.Dir, err = folder(dir); err != nil {
		return j, err
	}
	if p.javaHome != "" {
		if j.Runtime, err = folder(p.javaHome); err != nil {
			return j, usage("Name the folder of a JDK, the one that holds bin/java.", "--java-home: %v", err)
		}
	}
	return j, nil
}

// counts checks the flags that are numbers.
func (p *project) counts(cmd *cobra.Command) error {
	for _, n := range []struct {
		flag        string
		value, most int
		without     string
	}{
		{"parallel", p.parallel, maxParallel, "one process per core runs"},
		{"rerun", p.rerun, maxRerun, "odfix chooses"},
	} {
		if cmd.Flags().Changed(n.flag) && (n.value < 1 || n.value > n.most) {
			return usage(fmt.Sprintf("Give a number from 1 to %d; without the flag, %s.", n.most, n.without), "--%s is %d", n.flag, n.value)
		}
	}
	return nil
}

// The largest numbers that flags can have.
const (
	maxParallel = 512
	maxRerun    = 100
)

// folder returns the absolute path of an existing folder.
func folder(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", usage("", "%s: %v", path, err)
	}
	fi, err := os.Stat(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist) && strings.Contains(path, "#"):
		return "", usage("Name a failing test with --test "+shell.Quote(path), "there is no folder %s", path)
	case errors.Is(err, fs.ErrNotExist):
		return "", usage("", "there is no folder %s", path)
	case err != nil:
		return "", usage("", "the folder %s cannot be used: %v", path, err)
	case !fi.IsDir():
		return "", usage("", "%s is not a folder", path)
	}
	return abs, nil
}

// split divides the arguments at "--": those before it are for odfix, those after it for the build.
func split(cmd *cobra.Command, args []string) (ours, forBuild []string) {
	if at := cmd.ArgsLenAtDash(); at >= 0 {
		return args[:at], args[at:]
	}
	return args, nil
}

// oneDir returns the optional argument DIR.
func oneDir(args []string) (string, error) {
	switch len(args) {
	case 0:
		return ".", nil
	case 1:
		return args[0], nil
	}
	hint := "Arguments for Maven, Gradle or Jest follow after --."
	for _, a := range args {
		if strings.Contains(a, "#") {
			hint = "Name each failing test with --test."
		}
	}
	return "", usage(hint, "one folder can be given, not %d: %s", len(args), strings.Join(args, " "))
}
