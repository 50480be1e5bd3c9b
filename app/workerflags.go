package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/lockfile"
)

// runnerOptions are the flags of the process that starts runners: `odfix worker`, or the worker that
// `odfix serve` starts.
type runnerOptions struct {
	runners   int
	work      string
	jdks      []string
	isolation isolationOptions

	homes map[int]string // of jdks
}

func (o *runnerOptions) register(f *pflag.FlagSet) {
	f.IntVar(&o.runners, "runners", 1, "most investigations at the same time")
	f.StringVar(&o.work, "work-dir", "", "`folder` for the sources and logs of running investigations "+
		"(default: the system's temporary one)")
	f.StringArrayVar(&o.jdks, "jdk", nil, "a JDK that .odfix.yml can ask for, as `RELEASE=FOLDER`; may be repeated")
	o.isolation.register(f)
}

func (o *runnerOptions) complete() error {
	o.homes = map[int]string{}
	for _, s := range o.jdks {
		release, home, ok := strings.Cut(s, "=")
		n, err := strconv.Atoi(release)
		if !ok || err != nil || n < 8 {
			return usage("Write it like 17=/usr/lib/jvm/java-17.", "--jdk is %q", s)
		}
		if home, err = folder(home); err != nil {
			return err
		}
		o.homes[n] = home
	}
	if o.runners < 1 {
		return usage("Give a whole number from 1 on.", "--runners is %d", o.runners)
	}
	return o.isolation.complete()
}

// given are the flags of this kind that were set, wherever, for another process.
func (o *runnerOptions) given(f *pflag.FlagSet) []string {
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(runnerOptions).register(own)
	var out []string
	f.Visit(func(flag *pflag.Flag) {
		if own.Lookup(flag.Name) == nil {
			return
		}
		values := []string{flag.Value.String()}
		if several, ok := flag.Value.(pflag.SliceValue); ok {
			values = several.GetSlice()
		}
		for _, v := range values {
			out = append(out, "--"+flag.Name+"="+v)
		}
	})
	return out
}

// temporary makes the folder for all temporary files of this process, and removes those of processes
// that were killed.
func temporary(parent, prefix string) (dir string, remove func() error, err error) {
	if parent != "" {
		if err := os.MkdirAll(parent, 0o700); err != nil {
			return "", nil, fmt.Errorf("--work-dir: %w", err)
		}
	}
	folders := lockfile.Folders{Dir: parent, Prefix: prefix, Lock: "lock"}
	folders.Sweep(nil)
	dir, lock, err := folders.Make()
	if err != nil {
		return "", nil, fmt.Errorf("--work-dir: %w", err)
	}
	return dir, func() error {
		folders.Remove(dir)
		return lock.Close()
	}, nil
}

// runnerLog is where the lines of runners go.
func runnerLog(log *zap.Logger) *zapWriter { return &zapWriter{log: log.Named("runner")} }
