//go:build sandbox

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.uber.org/zap/zapcore"

	"github.com/odfix/odfix/internal/child"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/java"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/sandbox"
	"github.com/odfix/odfix/internal/terminal"
	"github.com/odfix/odfix/templates"
)

const sandboxAbout = `Shows a pull request on a stand-in GitHub: red CI, webhooks, the App, a runner, and the comment of odfix.

Everything runs on this machine and listens on loopback only. Nothing is sent to github.com. CI is
Maven, Gradle or Jest, in a copy of the project. Without DIR, the project is one of odfix's examples:

%s
With DIR, it is your project: the pull request is the current state of DIR, against its last commit
(or --base). Arguments after -- are for CI's Maven, Gradle or Jest, such as -- test -Dsurefire.runOrder=reversealphabetical

The sandbox runs until Ctrl-C, so that you can read the page and accept suggestions. With --once, it
ends when odfix has finished its answer.

Exit status:
  0  odfix answered as the scenario expects
  1  something went wrong, or the answer took too long
  2  the command line is wrong
  3  odfix answered in another way
  6  CI was green, so there was nothing to investigate`

// exitOtherwise means that the pull request has settled, but not as its scenario expects.
const exitOtherwise = 3

// sandboxOptions are the flags of `odfix sandbox`.
type sandboxOptions struct {
	scenario string
	base     string
	once     bool
	format   string
	listen   string
	page     string
	budget   time.Duration
	offline  bool
	verbose  bool
}

func sandboxCommand(w world, code *int) *cobra.Command {
	var o sandboxOptions
	var list strings.Builder
	for _, s := range sandbox.Scenarios {
		fmt.Fprintf(&list, "  %-22s %s\n", s.Name, s.About)
	}
	cmd := &cobra.Command{
		Use: "sandbox [flags] [DIR] [-- BUILD ARGUMENTS]", DisableFlagsInUseLine: true,
		Short: "Run a pull request, from red CI to odfix' comment",
		Long:  fmt.Sprintf(sandboxAbout, list.String()), Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			ours, forBuild := split(cmd, args)
			scenario, err := o.complete(cmd.Flags(), ours)
			if err != nil {
				return err
			}
			play := sandboxPlay{w: w, o: o, scenario: scenario, args: forBuild, out: zapcore.Lock(zapcore.AddSync(w.stderr)),
				log: child.Tail{Size: 8 << 10}}
			*code = play.run(cmd.Context())
			return nil
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.scenario, "scenario", sandbox.Scenarios[0].Name, "`name` of the scenario, see above")
	var names []string
	for _, s := range sandbox.Scenarios {
		names = append(names, cobra.CompletionWithDesc(s.Name, s.About))
	}
	_ = cmd.RegisterFlagCompletionFunc("scenario", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	f.StringVar(&o.base, "base", "", "with DIR: the base `commit` of the pull request (default: HEAD)")
	f.BoolVar(&o.once, "once", false, "end when odfix has finished its answer")
	f.StringVar(&o.format, "format", "text", "`text`, or json: the pull request's final state, as GitHub's API returns it")
	f.StringVar(&o.listen, "listen", "127.0.0.1:0", "loopback `address` of the pull request's page (port 0: any free one)")
	f.StringVar(&o.page, "page", "", "also write the page into this `file`")
	f.DurationVar(&o.budget, "budget", sandbox.DefaultBudget, "longest wall `time` for the answer")
	f.BoolVar(&o.offline, "offline", false, "builds do not use the network (mvn -o, gradle --offline, npm ci --offline)")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "print the App's log to standard error")
	return cmd
}

// complete checks the command line and finds the scenario.
func (o *sandboxOptions) complete(f *pflag.FlagSet, args []string) (sandbox.Scenario, error) {
	scenario, err := sandbox.Find(o.scenario)
	if port, ok := strings.CutPrefix(o.listen, "localhost:"); ok {
		o.listen = "127.0.0.1:" + port
	}
	host, _, bad := net.SplitHostPort(o.listen)
	ip := net.ParseIP(host).To4()
	switch {
	case err != nil:
		return scenario, usage("", "--scenario: %v", err)
	case o.format != "text" && o.format != "json":
		return scenario, usage("", "--format is %q: it can be text or json", o.format)
	case bad != nil || !ip.IsLoopback():
		return scenario, usage("The page has no password, so it is for this machine only. Give an address such as "+
			"127.0.0.1:8090.", "--listen is %q", o.listen)
	case o.budget <= 0:
		return scenario, usage("Give a time such as 10m or 90s.", "--budget is %s", o.budget)
	case len(args) == 0 && f.Changed("base"):
		return scenario, usage("Name the project's folder.", "--base is for a project of yours")
	case len(args) == 0:
		return scenario, nil
	case f.Changed("scenario"):
		return scenario, usage("Leave out one of them.", "scenarios use odfix's own examples, and a folder was given, too")
	}
	dir, err := oneDir(args)
	if err == nil {
		dir, err = folder(dir)
	}
	if err != nil {
		return scenario, err
	}
	if !(java.Language{}).Recognises(dir) && !isThere(dir, "package.json") {
		return scenario, usage("Name the folder of a project of Maven, Gradle or Jest.",
			"there is no pom.xml, no build.gradle and no package.json in %s", dir)
	}
	return sandbox.Project(dir, o.base), nil
}

// sandboxPlay is one run of the command.
type sandboxPlay struct {
	w        world
	o        sandboxOptions
	scenario sandbox.Scenario
	args     []string
	log      child.Tail
	out      io.Writer // standard error, which the App's log shares
}

func (p *sandboxPlay) run(ctx context.Context) int {
	granted := map[string]string{}
	for _, n := range github.Needs() {
		granted[n.Name] = n.Level
	}
	s, err := sandbox.Open(ctx, sandbox.Options{
		Permissions: granted, Events: github.Subscriptions(),
		Scenario: p.scenario, Start: p.start, Listen: p.o.listen, Args: p.args, Offline: p.o.offline, Budget: p.o.budget,
		Env: runnerEnvironment(os.Environ()), Say: p.say,
	})
	if err != nil {
		return p.failed(ctx, err)
	}
	code := p.play(ctx, s)
	if err := s.Close(); err != nil {
		return max(code, p.failed(ctx, err))
	}
	return code
}

func (p *sandboxPlay) play(ctx context.Context, s *sandbox.Sandbox) int {
	err := s.Play(ctx)
	if errors.Is(err, sandbox.ErrGreen) {
		p.hint(err, "Give CI another order: odfix sandbox DIR -- test -Dsurefire.runOrder=reversealphabetical (Maven), "+
			"or odfix sandbox DIR -- --randomize --seed=1 (Jest 29.3 or later).")
		return exitNotReproduced
	}
	if err != nil {
		return p.failed(ctx, err)
	}
	r, err := s.Result(ctx)
	if err == nil {
		err = p.show(r)
	}
	if err == nil && p.o.page != "" {
		if err = s.WritePage(ctx, p.o.page); err == nil {
			fmt.Fprintf(p.out, "\nThe pull request as a page: %s\n", p.o.page)
		}
	}
	if err != nil {
		return p.failed(ctx, err)
	}
	if !p.o.once {
		fmt.Fprintf(p.out, "\nThe page of the pull request: %s (end with Ctrl-C)\n", s.Pull.URL())
		<-ctx.Done()
	}
	if !r.AsExpected {
		p.hint(fmt.Errorf("the result differs from that of the scenario %s: %s", r.Scenario, strings.Join(r.Unexpected, "; ")), "")
		return exitOtherwise
	}
	return exitOK
}

func (p *sandboxPlay) show(r sandbox.Result) error {
	if p.o.format == "json" {
		return printJSON(p.w, r)
	}
	return r.Show(p.w.stdout, sandbox.Style{Color: textOptions(p.w).Color, Width: textOptions(p.w).Width})
}

func (p *sandboxPlay) say(l sandbox.Line) {
	fmt.Fprintf(p.out, "%6.1fs  %s\n", l.At.Seconds(), l.Text)
}

// failed prints an error, and the end of the App's log.
func (p *sandboxPlay) failed(ctx context.Context, err error) int {
	if ctx.Err() != nil {
		p.hint(errors.New("stopped before the pull request had settled"), "")
		return exitError
	}
	if last := p.log.String(); last != "" {
		fmt.Fprintf(p.out, "The end of the App's log:\n%s\n", last)
	}
	p.hint(err, "--verbose shows the App's log.")
	return exitError
}

func (p *sandboxPlay) hint(err error, hint string) {
	o := textOptions(p.w)
	o.Color = o.Color && terminal.Is(p.w.stderr)
	fmt.Fprint(p.out, templates.Error(&job.Error{Message: err.Error(), Hint: hint}, o))
}

// logs is the writer for the App's log.
func (p *sandboxPlay) logs() io.Writer {
	if p.o.verbose {
		return p.out
	}
	return &p.log
}
