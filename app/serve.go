package main

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/keys"
)

const serveAbout = `Receives the webhooks of GitHub, and investigates red builds, until it is stopped.

Every flag can also be given in the environment (--database-url as ODFIX_DATABASE_URL), and in the file
of --config (as "database-url: …"). The command line overrides the environment, and the environment
overrides the file. Secrets are read from files or from the environment, since every user of the
machine can see the flags:

  ODFIX_WEBHOOK_SECRET   the webhook secret from the App's settings; several, one a line, during
                         a change of the secret
  ODFIX_PRIVATE_KEY      the App's private key, the text of the .pem file; not with --signer-command
  ODFIX_CLIENT_SECRET    the App's client secret, with which people sign in to the overview
  ODFIX_WORKER_TOKEN     the credential of workers on other machines; several, one a line, during a
                         change of it

This process has the App's key, and neither unpacks nor runs the code of pull requests. It starts a
worker for that, which is a process of its own without key, secrets and database. More workers can
run on other machines, see odfix worker.

The first SIGTERM or SIGINT stops it gracefully: /readyz fails, requests that have arrived are
answered, running jobs are finished, and the others stay in the queue.`

// serveOptions are the flags of `odfix serve`.
type serveOptions struct {
	config        string
	listen, ops   string
	url           string
	database      string
	secretFile    string
	log           logOptions
	stopAfter     time.Duration
	deliveryTasks int

	secrets *keys.File[[]string] // of the webhook
	work    workOptions
	app     appOptions
}

func serveCommand(w world, code *int) *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use: "serve [flags]", DisableFlagsInUseLine: true, Short: "Run the GitHub App", Long: serveAbout, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.complete(cmd.Flags(), w.getenv); err != nil {
				return err
			}
			o.app.pace = w.pace
			if err := serve(cmd.Context(), w, o); err != nil {
				*code = exitError
				complain(w, &job.Error{Message: err.Error(),
					Hint: "Fix that and start it again; deliveries that GitHub could not make can be redelivered."})
			}
			return nil
		},
	}
	o.register(cmd.Flags())
	return cmd
}

func (o *serveOptions) register(f *pflag.FlagSet) {
	f.SortFlags = false
	f.StringVar(&o.config, "config", "", "`file` with any of these settings, in YAML: flags without their dashes; "+
		"environment and command line override it")
	f.StringVar(&o.listen, "listen", "127.0.0.1:8080", "`address` for webhooks, at /webhook; use a reverse proxy with TLS in front of it")
	f.StringVar(&o.url, "url", "", "`address` of --listen for people, such as https://odfix.example.com; comments link to its page "+
		"about odfix (default: they link to odfix's documentation)")
	f.StringVar(&o.ops, "ops-listen", "127.0.0.1:8081", "`address` for /healthz, /readyz and /metrics; empty: none")
	f.StringVar(&o.database, "database-url", "odfix.db", "SQLite `file`, or a postgres:// URL where there are several replicas")
	f.StringVar(&o.secretFile, "webhook-secret-file", "", "`file` with webhook secrets, one a line, instead of ODFIX_WEBHOOK_SECRET; "+
		"it is read again when it changes")
	o.log.register(f)
	f.DurationVar(&o.stopAfter, "stop-after", 25*time.Second, "`time` for running jobs to finish after a stop")
	f.IntVar(&o.deliveryTasks, "delivery-tasks", 4, "most deliveries handled at the same time")
	f.StringVar(&o.work.listen, "work-listen", "", "`address` for workers on other machines, see `odfix worker` (default: none)")
	f.StringVar(&o.work.certFile, "work-tls-cert", "", "`file` with the certificate of --work-listen and its chain, in PEM; "+
		"it is read again when it changes")
	f.StringVar(&o.work.keyFile, "work-tls-key", "", "`file` with the key of that certificate, in PEM")
	f.BoolVar(&o.work.plain, "work-plain-http", false, "serve --work-listen without TLS on an address that other machines reach: "+
		"a proxy in front of it ends TLS, or the network encrypts")
	f.StringVar(&o.work.tokenFile, "worker-token-file", "", "`file` with credentials of these workers, one a line, instead of "+workerToken+
		"; it is read again when it changes")
	f.BoolVar(&o.work.local, "local-worker", true, "also start a worker on this machine, as a process of its own")
	o.app.register(f)
}

// variable returns the environment variable for a flag.
func variable(flag string) string {
	return "ODFIX_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// complete reads flags that the command line does not set from the environment. It checks
// everything before anything is opened.
func (o *serveOptions) complete(f *pflag.FlagSet, getenv func(string) string) error {
	if err := fromEnvironment(f, getenv); err != nil {
		return err
	}
	if o.config != "" {
		if err := fromFile(f, o.config); err != nil {
			return err
		}
	}
	if err := o.log.complete(); err != nil {
		return err
	}
	switch {
	case o.stopAfter <= 0:
		return usage("Give a time such as 25s.", "--stop-after is %s", o.stopAfter)
	case o.deliveryTasks < 1:
		return usage("Give a whole number from 1 on.", "--delivery-tasks is %d", o.deliveryTasks)
	}
	if o.url != "" {
		u, err := url.Parse(o.url)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || strings.ContainsAny(o.url, " ()<>?#") {
			return usage("Write it like https://odfix.example.com.", "--url is %q, which is no address of a page", o.url)
		}
	}
	if err := o.app.complete(getenv); err != nil {
		return err
	}
	o.app.set = o.app.given(f)
	if err := o.work.complete(getenv); err != nil {
		return err
	}
	var err error
	o.secrets, err = webhookSecrets(o.secretFile, getenv)
	return err
}

// fromEnvironment sets flags that the command line does not set.
func fromEnvironment(f *pflag.FlagSet, getenv func(string) string) error {
	var err error
	f.VisitAll(func(flag *pflag.Flag) {
		name := variable(flag.Name)
		if v := getenv(name); v != "" && !flag.Changed && err == nil {
			if f.Set(flag.Name, v) != nil {
				err = usage("Use a value that --"+flag.Name+" accepts.", "%s is %q, which cannot be used", name, v)
			}
		}
	})
	return err
}

// logOptions are the flags about a server's log.
type logOptions struct{ level, format string }

func (o *logOptions) register(f *pflag.FlagSet) {
	f.StringVar(&o.level, "log-level", "info", "`level`: debug, info, warn or error")
	f.StringVar(&o.format, "log-format", "json", "`format`: json or console")
}

func (o *logOptions) complete() error {
	switch {
	case !slices.Contains([]string{"debug", "info", "warn", "error"}, o.level):
		return usage("", "--log-level is %q: it can be debug, info, warn or error", o.level)
	case o.format != "json" && o.format != "console":
		return usage("", "--log-format is %q: it can be json or console", o.format)
	}
	return nil
}

// serve runs the server from its start to its end.
func serve(ctx context.Context, w world, o serveOptions) error {
	s, err := openServer(ctx, w, o)
	if err != nil {
		return err
	}
	return errors.Join(s.run(ctx), s.close())
}
