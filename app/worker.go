package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/redact"
	"github.com/odfix/odfix/internal/work"
)

const workerAbout = `Takes jobs from an odfix serve, until it is stopped. It fetches and unpacks the sources of each job,
builds them and runs their tests in a sandbox, and sends the result. It has no key of the App, no
webhook secret and no database. Any number of workers may run, on any machines that reach --server.

odfix serve starts a worker of its own. It needs others only if builds are to run on other machines,
or as another user: see --work-listen of odfix serve.

Every flag can also be given in the environment (--work-dir as ODFIX_WORK_DIR). The credential is one
of those that odfix serve has. It is read from a file, or from the environment:

  ODFIX_WORKER_TOKEN   the credential of workers

With --kubernetes, each job runs in a pod of its own instead of a sandbox. The chart in charts/odfix sets
this up. Such a worker only watches: pods go on while it does not run.

The first SIGTERM or SIGINT stops it gracefully: it takes no more jobs, and finishes those that run.
A job that does not end within --stop-after is given to another worker.`

// workerOptions are the flags of `odfix worker`.
type workerOptions struct {
	server    string
	name      string
	tokenFile string
	log       logOptions
	stopAfter time.Duration
	withInput bool // it stops when its input ends
	runners   runnerOptions
	pods      string // the file of --kubernetes
	caFile    string
	inPod     bool // this process does the one task of its pod

	token string // from the environment
	ca    []byte // of caFile
}

func workerCommand(w world, code *int) *cobra.Command {
	var o workerOptions
	cmd := &cobra.Command{
		Use: "worker [flags]", DisableFlagsInUseLine: true, Short: "Run the builds and tests of an odfix serve", Long: workerAbout,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.complete(cmd.Flags(), w.getenv); err != nil {
				return err
			}
			if err := runWorker(cmd.Context(), w, o); err != nil {
				*code = exitError
				complain(w, &job.Error{Message: err.Error(), Hint: "Fix that and start it again; the server keeps its jobs."})
			}
			return nil
		},
	}
	o.register(cmd.Flags())
	return cmd
}

func (o *workerOptions) register(f *pflag.FlagSet) {
	f.SortFlags = false
	f.StringVar(&o.server, "server", "", "`address` of --work-listen of odfix serve, such as https://odfix.example.com:8443")
	f.StringVar(&o.caFile, "server-ca", "", "`file` with the only certificate authorities, in PEM, that the server's certificate may be "+
		"signed by (default: those of the system)")
	f.StringVar(&o.tokenFile, "worker-token-file", "", "`file` with the credential, instead of ODFIX_WORKER_TOKEN; it is read again for each job")
	f.StringVar(&o.name, "name", "", "`name` of this worker in the server's log (default: the host's name)")
	o.log.register(f)
	f.DurationVar(&o.stopAfter, "stop-after", time.Hour, "`time` for running jobs to finish after a stop")
	f.BoolVar(&o.withInput, "stop-with-input", false, "stop at once when the standard input ends")
	_ = f.MarkHidden("stop-with-input") // for the worker that odfix serve starts
	f.StringVar(&o.pods, "kubernetes", "", "`file` that says where pods run and what they look like; --runners is then the most pods, "+
		"and the flags about this machine's sandbox have no effect")
	f.BoolVar(&o.inPod, "task", false, "do the one task that the environment names")
	_ = f.MarkHidden("task") // for pods
	o.runners.register(f)
}

func (o *workerOptions) complete(f *pflag.FlagSet, getenv func(string) string) error {
	if err := fromEnvironment(f, getenv); err != nil {
		return err
	}
	if err := o.log.complete(); err != nil {
		return err
	}
	if o.inPod {
		return nil // the task has its own server and credential
	}
	if o.stopAfter <= 0 {
		return usage("Give a time such as 1h.", "--stop-after is %s", o.stopAfter)
	}
	if o.server == "" {
		return usage("Name the address of --work-listen of odfix serve.", "no server is named with --server")
	}
	if o.token = getenv(workerToken); o.token == "" && o.tokenFile == "" {
		return usage("Set "+workerToken+" to a credential that odfix serve has, or name a file with --worker-token-file.",
			"there is no credential for the server")
	}
	if o.caFile != "" {
		var err error
		if o.ca, err = readBounded(o.caFile, maxServeFile); err != nil {
			return usage("Name a file that can be read.", "--server-ca: %v", err)
		}
		if !strings.HasPrefix(o.server, "https://") {
			return usage("Write --server with https://.", "--server-ca has no use, since --server is %s", o.server)
		}
	}
	if o.name == "" {
		o.name, _ = os.Hostname() // for people
	}
	return o.runners.complete()
}

// workerToken is the variable with the credential of workers; of `odfix serve`, several, one a line.
const workerToken = "ODFIX_WORKER_TOKEN"

// credential is the worker's credential.
func (o *workerOptions) credential() (string, error) {
	if o.tokenFile == "" {
		return o.token, nil
	}
	list, err := tokensIn(o.tokenFile)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%s holds no credential", o.tokenFile)
	}
	if err != nil {
		return "", err
	}
	return list[0], nil
}

// tokensIn reads credentials, one a line.
func tokensIn(file string) ([]string, error) {
	text, err := readBounded(file, maxServeFile)
	if err != nil {
		return nil, fmt.Errorf("--worker-token-file: %w", err)
	}
	return linesOf(string(text)), nil
}

// linesOf are the lines of a text that are not empty.
func linesOf(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// runWorker runs a worker from its start to its end.
func runWorker(ctx context.Context, w world, o workerOptions) (err error) {
	log := newLog(w, o.log, redact.New(o.token))
	if o.inPod {
		return workInPod(ctx, w, log)
	}
	client, err := work.NewClient(o.server, o.credential)
	if err != nil {
		return fmt.Errorf("--server: %w", err)
	}
	if o.ca != nil {
		if err := client.Trust(o.ca); err != nil {
			return fmt.Errorf("--server-ca: %s: %w", o.caFile, err)
		}
	}
	if o.pods != "" {
		return o.workOnKubernetes(ctx, client, log)
	}
	dir, remove, err := temporary(o.runners.work, "odfix-worker-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	d, err := o.runners.dispatcher(ctx, w, log)
	if err != nil {
		return err
	}
	tasks, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	claim, stop := context.WithCancel(ctx)
	defer stop()
	if o.withInput {
		go func() {
			_, _ = io.Copy(io.Discard, w.stdin)
			stop()
			end()
		}()
	}
	defer context.AfterFunc(claim, func() {
		log.Info("stopping", zap.Duration("at most", o.stopAfter))
		time.AfterFunc(o.stopAfter, end)
	})()
	log.Info("working", zap.String("version", version), zap.String("server", o.server), zap.Int("runners", o.runners.runners))
	worker := work.Worker{Client: client, Name: o.name, Slots: o.runners.runners, Dispatcher: d, Dir: dir, JDKs: o.runners.homes,
		Log: log.Named("worker")}
	return worker.Serve(claim, tasks)
}
