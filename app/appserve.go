package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/cache"
	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/investigate"
	"github.com/odfix/odfix/internal/lockfile"
)

// appOptions are the flags of `odfix serve` that identify the GitHub App and configure its
// investigations.
type appOptions struct {
	id      int64
	keyFile string
	client  clientOptions
	api     string
	runners int
	work    string
	offline bool
	jdks    []string
	env     string

	isolation isolationOptions

	key   []byte            // from the environment or keyFile
	homes map[int]string    // of jdks
	vars  map[string]string // in env
	pace  investigate.Pace
}

func (o *appOptions) register(f *pflag.FlagSet) {
	f.Int64Var(&o.id, "app-id", 0, "the App's `id`, from its settings page; without one, deliveries are only stored")
	f.StringVar(&o.keyFile, "private-key-file", "", "`file` with the App's private key, instead of ODFIX_PRIVATE_KEY")
	o.client.register(f)
	f.StringVar(&o.api, "github-api", "https://api.github.com", "`address` of GitHub's API")
	f.IntVar(&o.runners, "runners", 1, "most investigations at the same time on this machine")
	f.StringVar(&o.work, "work-dir", "", "`folder` for the sources and logs of running investigations "+
		"(default: the system's temporary one)")
	f.BoolVar(&o.offline, "offline", false, "forbid builds the network (mvn -o)")
	f.StringArrayVar(&o.jdks, "jdk", nil, "a JDK that .odfix.yml can ask for, as `RELEASE=FOLDER`; may be repeated")
	f.StringVar(&o.env, "environment-file", "",
		"`file` with NAME=value lines: variables that .odfix.yml can ask for by name, for tests; no secrets")
	o.isolation.register(f)
}

// complete checks the flags and reads the key.
func (o *appOptions) complete(getenv func(string) string) error {
	const variable = "ODFIX_PRIVATE_KEY"
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
	var err error
	if o.vars, err = variables(o.env); err != nil {
		return err
	}
	if err := o.isolation.complete(); err != nil {
		return err
	}
	if err := o.client.complete(getenv); err != nil {
		return err
	}
	switch {
	case o.runners < 1:
		return usage("Give a whole number from 1 on.", "--runners is %d", o.runners)
	case o.id < 0:
		return usage("The App's settings page shows it.", "--app-id is %d", o.id)
	case o.id == 0:
		return nil
	case o.keyFile == "":
		o.key = []byte(getenv(variable))
	default:
		var err error
		if o.key, err = os.ReadFile(o.keyFile); err != nil {
			return usage("Name a file that can be read.", "--private-key-file: %v", err)
		}
	}
	if len(o.key) == 0 {
		return usage("Set "+variable+" to the .pem file's text, or name the file with --private-key-file.",
			"there is no private key of the App %d", o.id)
	}
	return nil
}

// openApp creates the service that investigates red builds; nil if no App is named.
func (s *server) openApp(ctx context.Context, w world) (*investigate.Service, error) {
	o := s.o.app
	if o.id == 0 {
		s.log.Warn("no App is named with --app-id: deliveries are stored, and nothing is looked into")
		return nil, nil
	}
	app, err := github.NewApp(github.AppOptions{ID: o.id, Key: o.key, API: o.api})
	if err != nil {
		return nil, err
	}
	s.metrics.watch(app)
	if o.work != "" {
		if err := os.MkdirAll(o.work, 0o700); err != nil {
			return nil, fmt.Errorf("--work-dir: %w", err)
		}
	}
	dir, err := s.temporary(o.work)
	if err != nil {
		return nil, err
	}
	log := s.log.Named("investigate")
	runner, err := s.dispatcher(ctx, w, &zapWriter{log: log.Named("runner")})
	if err != nil {
		return nil, err
	}
	return investigate.New(investigate.Options{
		Store: s.store, App: app, Dispatcher: runner, Log: log, Now: w.now,
		Dir: dir, Runners: o.runners, Offline: o.offline, JDKs: o.homes, Environment: o.vars, Pace: o.pace,
		HelpURL: s.o.url, Observe: s.metrics.investigation,
	})
}

// temporary makes the folder for all sources, logs and artifacts of this process. It removes those
// of processes that were killed.
func (s *server) temporary(parent string) (string, error) {
	folders := lockfile.Folders{Dir: parent, Prefix: "odfix-serve-", Lock: "lock"}
	folders.Sweep(nil)
	dir, lock, err := folders.Make()
	if err != nil {
		return "", fmt.Errorf("--work-dir: %w", err)
	}
	s.remove = func() error {
		folders.Remove(dir)
		return lock.Close()
	}
	return dir, nil
}

// passed are the environment variables that a runner gets. It runs untrusted code, so it gets what
// a build needs, and no secrets.
var passed = []string{"PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "TMP", "TEMP", "TZ", "LANG", "LC_ALL",
	"LC_CTYPE", "JAVA_HOME", "M2_HOME", "MAVEN_HOME", "SYSTEMROOT", dispatch.RunnerEnv, cache.LimitEnv}

func runnerEnvironment(all []string) []string {
	out := []string{} // nil would mean the whole environment of odfix
	for _, v := range all {
		name, _, _ := strings.Cut(v, "=")
		if slices.Contains(passed, strings.ToUpper(name)) {
			out = append(out, v)
		}
	}
	return out
}

// zapWriter writes a runner's log lines to the server's log. Their text is untrusted.
type zapWriter struct{ log *zap.Logger }

func (z *zapWriter) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		if line = strings.TrimSpace(line); line != "" {
			z.log.Debug(line[:min(len(line), 2000)])
		}
	}
	return len(p), nil
}
