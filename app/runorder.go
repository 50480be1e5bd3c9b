package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/odfix/odfix/internal/ci"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
	"github.com/odfix/odfix/templates"
)

// runOrder holds the flags of `odfix run`.
type runOrder struct {
	project
	order  string
	orders string
	patch  string
	judged []string
	tests  string
	fails  bool
}

func runCommand(w world, code *int) *cobra.Command {
	var r runOrder
	cmd := &cobra.Command{
		Use: "run --order FILE [DIR] [-- BUILD ARGUMENTS]", DisableFlagsInUseLine: true,
		Short: "Run tests once, in exactly this order, in a fresh process",
		Long: `Runs tests once, in exactly the order of a file, and prints the outcome of each. The tests
run in a fresh process, launched as the project's own build launches it.

Exit status:
  0  all tests passed; with --test or --tests, these tests passed; with --each-fails,
     each of them failed
  1  a test failed, or the setup or teardown of a class; with --test or --tests,
     one of these tests failed; with --each-fails, one of them did not fail
  2  the command line is wrong
  3  a test has no result: the process crashed, hung, or ended before it
  4  nothing was run: the build is broken, there is no such test, …
130  Ctrl-C stopped it before it was complete`,
		Example: "  odfix run --order failing-order.txt\n" +
			"  odfix run --order failing-order.txt --patch odfix.patch --test com.acme.ReceiptTest#printsTheTotal",
		RunE: r.command(w, code, r.prepare, r.do),
	}
	fs := cmd.Flags()
	fs.StringVar(&r.order, "order", "", "a `file` with one test a line (or Surefire reports, or a log)")
	fs.StringVar(&r.orders, "orders", "", "a `file` of several orders, "+
		"one a line, tests separated by tabs; each runs in a process of its own")
	fs.StringArrayVarP(&r.judged, "test", "t", nil, "this `test` alone decides the exit status; may be repeated")
	fs.StringVar(&r.tests, "tests", "", "the tests in this `file` alone decide the exit status, one a line")
	fs.BoolVar(&r.fails, "each-fails", false, "expect that each test of --test and --tests fails, in every order")
	fs.StringVar(&r.patch, "patch", "", "apply this patch `file` to the copy in which the tests run")
	r.register(cmd)
	return cmd
}

func (r *runOrder) prepare(cmd *cobra.Command, dir string, forBuild []string) (job.Job, error) {
	j, err := r.job(job.KindRun, cmd, dir, forBuild)
	if err != nil {
		return j, err
	}
	if (r.order == "") == (r.orders == "") {
		return j, usage("Give a file with one test (CLASS#METHOD, or FILE#TITLES in Jest) a line: odfix run --order FILE",
			"which order? Either --order or --orders is needed")
	}
	if r.tests != "" {
		text, err := os.ReadFile(r.tests)
		if err != nil {
			return j, usage("", "--tests: %v", err)
		}
		named := strings.FieldsFunc(string(text), func(c rune) bool { return c == '\n' || c == '\r' })
		if len(named) == 0 {
			return j, usage("One test (CLASS#METHOD, or FILE#TITLES in Jest) a line.", "--tests: %s names no test", r.tests)
		}
		r.judged = append(r.judged, named...)
	}
	if r.fails && len(r.judged) == 0 {
		return j, usage("Name them with --test or --tests.", "--each-fails needs the tests that are expected to fail")
	}
	if r.patch != "" {
		if j.Patch, err = os.ReadFile(r.patch); err != nil {
			return j, usage("", "--patch: %v", err)
		}
	}
	if r.orders != "" {
		j.Orders, err = readOrders(r.orders)
		return j, err
	}
	ev, err := ci.Order(r.order)
	if err != nil {
		return j, usage("", "--order: %v", err)
	}
	j.Order = &job.ObservedOrder{Provenance: ev.Provenance, Source: ev.Source, Tests: ev.Tests}
	return j, nil
}

// readOrders reads a file with one order in each line and tabs between its tests.
func readOrders(path string) ([][]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, usage("", "--orders: %v", err)
	}
	defer f.Close()
	orders, err := job.ReadOrders(f)
	if err != nil {
		return nil, usage("One order a line, tests (Class#method) separated by tabs.", "--orders: %s: %v", path, err)
	}
	return orders, nil
}

func (r *runOrder) do(ctx context.Context, w world, j job.Job) int {
	code := runError
	ended := r.ask(ctx, w, j, func(s *session, report *job.Report) int {
		kept := s.keepReport(report)
		judged, err := judge(report, r.judged)
		if err != nil {
			return showError(w, r.project, err)
		}
		o := s.options(kept)
		if s.brief = s.temp && len(report.Crashes) == 0; s.brief {
			o.Out = "" // otherwise the folder would hold only a log of what is printed
		}
		s.show(report, templates.Runs(report, judged, o))
		if code = runCode(report, judged); r.fails {
			code = eachFails(report, judged)
		}
		return code
	})
	if ended == exitStopped {
		return exitStopped
	}
	return code
}

// judge finds the tests that --test names among those that were run.
func judge(r *job.Report, names []string) ([]suite.TestID, error) {
	var out []suite.TestID
	for _, n := range names {
		found := false
		for _, run := range r.Runs {
			for _, t := range run.Order {
				if ci.Same(string(t), n) {
					found = true
					out = append(out, t)
				}
			}
		}
		if !found && r.Error == nil {
			return nil, &job.Error{Code: "no-such-test",
				Message: fmt.Sprintf("%s is not in the order, so it has no outcome", n), Hint: "Name with --test only tests of the order."}
		}
	}
	return out, nil
}
