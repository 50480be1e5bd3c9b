package main

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/templates"
)

// pollution holds the flags of `odfix pollution`.
type pollution struct {
	project
	tests   []string
	options job.PollutionOptions
}

const pollutionAbout = `Finds tests that leave shared state changed. Reports that state and the tests that it
breaks.

The tests run once in their own order, in one process. Before and after each test, odfix
compares shared state: in Java, static fields of the project's classes and all objects that
they lead to; in Jest, modules and mocks; and state of the process, such as system properties,
default locale, standard streams, files, ports and threads.

DIR is the checkout, by default the current folder. It is never changed.

What a test leaves changed gets one of these labels (label in the JSON report):

  breaks              another test passes alone and fails after this one: shown by
                      running both, in fresh processes
  failing-reader      a test that reads the field failed later in this run; whether
                      that is the reason is not known
  read                other tests read the field that leads to it; none was seen to fail
  reads-not-observed  files, ports, threads, child processes, environment variables,
                      shutdown hooks
  not-read            no test was seen to read that field
  cache               the value is created on first use and does not change later

Exit status:
  0  no test breaks another one by what it leaves
  1  something went wrong
  2  the command line is wrong
  3  a test breaks another one
130  Ctrl-C stopped it before it was complete`

func pollutionCommand(w world, code *int) *cobra.Command {
	var p pollution
	cmd := &cobra.Command{
		Use: "pollution [DIR] [--test TEST] [--changed-since REVISION] [-- BUILD ARGUMENTS]", DisableFlagsInUseLine: true,
		Short: "Find the tests of a project that leave shared state changed",
		Long:  pollutionAbout,
		Example: "  odfix pollution\n  odfix pollution ../shop --changed-since origin/main\n" +
			"  odfix pollution --format json | jq '.tests[].pollutes[] | select(.label == \"breaks\")'",
		RunE: p.command(w, code, p.prepare, p.do),
	}
	p.flags(cmd)
	return cmd
}

func (p *pollution) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	f.StringArrayVar(&p.tests, "test", nil, "report only this `test` (a class, or CLASS#METHOD); may be repeated")
	f.StringVar(&p.options.ChangedSince, "changed-since", "", "report only tests whose files have changed since this git `revision`")
	f.StringArrayVar(&p.options.IncludeRoots, "include-roots", nil,
		"observe only static fields of classes in this `package`, or of classes whose name "+
			"matches this regular expression (default: the project's own classes); may be repeated")
	f.StringArrayVar(&p.options.ExcludeRoots, "exclude-roots", nil,
		"leave out static fields whose Class.field matches this regular `expression`; may be repeated")
	f.StringArrayVar(&p.options.ExcludeFields, "exclude-fields", nil,
		"do not follow fields of objects whose Class.field matches this regular `expression`; may be repeated")
	f.StringArrayVar(&p.options.FileRoots, "file-root", nil,
		"also compare the files in this `folder` (relative to the folder in which tests run); may be repeated")
	f.StringVar(&p.options.ClassLoading, "class-loading", "initial",
		"`mode` for fields of classes that are loaded during a test: initial compares them with "+
			"the values that the class initialiser left, lazy leaves them out, "+
			"eager loads all classes before the first test (runs the tests twice)")
	f.BoolVar(&p.options.NoProof, "no-proof", false,
		"do not check which tests break, and do not search for the lines that changed the state")
	p.register(cmd)
	f.Lookup("out").Usage = "`folder` for pollution.json and the log (default: a new temporary one)"
	f.BoolVar(&p.findAll, "find-all", false, "find all tests that a polluter breaks, not just the first few")
	p.rerunFlag(f)
}

// prepare makes the job. Its errors are usage errors.
func (p *pollution) prepare(cmd *cobra.Command, dir string, forBuild []string) (job.Job, error) {
	j, err := p.job(job.KindPollution, cmd, dir, forBuild)
	if err != nil {
		return j, err
	}
	if c := p.options.ClassLoading; c != "lazy" && c != "initial" && c != "eager" {
		return j, usage("", "--class-loading is %q: it can be initial, lazy or eager", c)
	}
	if slices.ContainsFunc(p.options.FileRoots, func(r string) bool { return r == "" || strings.ContainsAny(r, "\r\n\x00") }) {
		return j, usage("Name a folder, such as /var/tmp/shop.", "--file-root is %q", p.options.FileRoots)
	}
	for _, e := range p.options.IncludeRoots { // a package name is also a valid regular expression
		if _, err := regexp.Compile(e); err != nil {
			return j, usage("Give a package, such as com.acme, or a regular expression that matches the whole "+
				"class name, such as 'com\\.acme\\..*Registry'.", "--include-roots: %v", err)
		}
	}
	for flag, list := range map[string][]string{"--exclude-roots": p.options.ExcludeRoots, "--exclude-fields": p.options.ExcludeFields} {
		for _, e := range list {
			if _, err := regexp.Compile(e); err != nil {
				return j, usage("Give a regular expression that matches the whole Class.field, such as "+
					"'com\\.acme\\.Clock\\..*'.", "%s: %v", flag, err)
			}
		}
	}
	j.Tests, j.Pollution = p.tests, &p.options
	return j, nil
}

// polluted is the result as it is printed and stored (docs/pollution.schema.json).
type polluted struct {
	Version  int         `json:"version"`
	Tool     string      `json:"tool"`
	Project  job.Project `json:"project"`
	Started  time.Time   `json:"started"`
	Finished bool        `json:"finished"`
	*state.Pollutions
	Cost  job.Cost   `json:"cost"`
	Notes []string   `json:"notes,omitempty"`
	Error *job.Error `json:"error,omitempty"`
}

func newPolluted(r *job.Report) (polluted, error) {
	r.Tidy()
	out := polluted{
		Version: r.Version, Tool: r.Tool, Project: r.Project, Started: r.Started, Finished: r.Finished,
		Pollutions: &state.Pollutions{Tests: []state.Polluter{}}, Cost: r.Cost, Notes: r.Notes, Error: r.Error,
	}
	if r.Pollution == nil {
		return out, nil
	}
	p, err := state.ParsePollutions(r.Pollution)
	if err == nil {
		out.Pollutions = p
	}
	return out, err
}

// do sends the job and shows the answer.
func (p *pollution) do(ctx context.Context, w world, j job.Job) int {
	return p.ask(ctx, w, j, func(s *session, report *job.Report) int {
		answer, err := newPolluted(report)
		if err != nil {
			return s.failed(err)
		}
		text, err := indented(answer)
		if err != nil {
			return s.failed(err)
		}
		if err := os.WriteFile(s.path(s.files.report), text, 0o644); err != nil {
			s.unkept(report, err)
			answer.Error = report.Error
		}
		if p.format == "json" {
			fmt.Fprint(w.stdout, string(text))
			return pollutionCode(answer)
		}
		if answer.Observed > 0 {
			fmt.Fprint(w.stdout, templates.Pollution(answer.Pollutions, answer.Notes, s.path(s.files.report), textOptions(w)))
		}
		if answer.Error != nil {
			return showError(w, p.project, answer.Error)
		}
		return pollutionCode(answer)
	})
}

// exitBreaks is the exit status if a test breaks another one.
const exitBreaks = 3

// pollutionCode returns the exit status for a result.
func pollutionCode(p polluted) int {
	if p.Error != nil || p.Observed == 0 {
		return exitError
	}
	for _, t := range p.Tests {
		for _, q := range t.Pollutes {
			if q.Label == state.Breaks {
				return exitBreaks
			}
		}
	}
	return exitOK
}
