package main

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/cache"
	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/investigate"
	"github.com/odfix/odfix/internal/isolate"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/keys"
	"github.com/odfix/odfix/internal/pull"
	"github.com/odfix/odfix/internal/work"
)

// appOptions are the flags of `odfix serve` that identify the GitHub App and configure its
// investigations.
type appOptions struct {
	id int64
	keyOptions
	client  clientOptions
	api     string
	offline bool
	env     string
	// accountsFile names the accounts for which odfix works; empty: all.
	accountsFile   string
	mostJobMinutes int

	keepOptions
	runnerOptions

	set     []string             // the flags of runnerOptions that were set
	vars    map[string]string    // in env
	allowed *keys.File[[]string] // of accountsFile; nil: all accounts
	pace    investigate.Pace
}

func (o *appOptions) register(f *pflag.FlagSet) {
	f.Int64Var(&o.id, "app-id", 0, "the App's `id`, from its settings page; without one, deliveries are only stored")
	o.keyOptions.register(f)
	o.client.register(f)
	f.StringVar(&o.api, "github-api", "https://api.github.com", "`address` of GitHub's API")
	f.StringVar(&o.accountsFile, "accounts-file", "", "`file` with the accounts for which odfix works, one a line: logins, or "+
		"installation:ID; it is read again when it changes (default: all)")
	f.IntVar(&o.mostJobMinutes, "most-job-minutes", 60, "most `minutes` that a repository can set as budgets.job-minutes and budgets.proof-minutes")
	f.BoolVar(&o.offline, "offline", false, "forbid builds the network (mvn -o)")
	f.StringVar(&o.env, "environment-file", "",
		"`file` with NAME=value lines: variables that .odfix.yml can ask for by name, for tests; no secrets")
	o.keepOptions.register(f)
	o.runnerOptions.register(f)
}

// complete checks the flags and reads the key.
func (o *appOptions) complete(getenv func(string) string) error {
	var err error
	if o.vars, err = variables(o.env); err != nil {
		return err
	}
	if o.accountsFile != "" {
		if o.allowed, err = keys.Open(o.accountsFile, accountsIn); err != nil {
			return usage("Write logins or installation:ID, one a line.", "--accounts-file: %s: %v", o.accountsFile, err)
		}
	}
	if o.mostJobMinutes < 1 {
		return usage("Give a whole number from 1 on.", "--most-job-minutes is %d", o.mostJobMinutes)
	}
	if err := o.runnerOptions.complete(); err != nil {
		return err
	}
	if err := o.client.complete(getenv); err != nil {
		return err
	}
	if err := o.keepOptions.complete(); err != nil {
		return err
	}
	switch {
	case o.id < 0:
		return usage("The App's settings page shows it.", "--app-id is %d", o.id)
	case o.id == 0:
		return nil
	}
	return o.keyOptions.complete(getenv)
}

// openApp creates the service that investigates red builds; nil if no App is named.
func (s *server) openApp(ctx context.Context, w world) (*investigate.Service, error) {
	o := s.o.app
	if o.id == 0 {
		s.log.Warn("no App is named with --app-id: deliveries are stored, and nothing is looked into")
		return nil, nil
	}
	app, err := github.NewApp(github.AppOptions{ID: o.id, Sign: o.sign, API: o.api, Budget: w.budget,
		Writes: investigate.RecordWrites(s.store, s.log.Named("audit"))})
	if err != nil {
		return nil, err
	}
	s.metrics.watch(app)
	dir, remove, err := temporary(o.work, "odfix-serve-")
	if err != nil {
		return nil, err
	}
	s.remove = remove
	var runner dispatch.Dispatcher
	if o.isolation.kind != "" {
		if err := isolate.Hide(); err != nil { // the key, from builds, which run as the same user
			return nil, err
		}
		runner, err = s.workers(ctx, w, app)
	} else { // of a test or the sandbox, in this process
		packed := pull.Packed(app)
		runner = &work.Checkout{Dispatcher: w.runner(runnerLog(s.log)), Dir: dir, JDKs: o.homes,
			Source: func(ctx context.Context, j job.Job, into io.Writer) error {
				return packed(ctx, j.Installation, j.Source, into)
			}}
	}
	if err != nil {
		return nil, err
	}
	return investigate.New(investigate.Options{
		Store: s.store, App: app, Dispatcher: runner, Log: s.log.Named("investigate"), Now: w.now,
		Dir: dir, Runners: o.runners, MostJobMinutes: o.mostJobMinutes, Offline: o.offline, Environment: o.vars, Pace: o.pace, Keep: o.keep(),
		HelpURL: s.o.url, Observe: s.metrics.investigation,
		Accounts: o.accounts(s.log), LeftOut: s.metrics.leave,
	})
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
