package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// tests returns the suite whose orders are made. An error is about the command line. failed means
// that the reason was already shown.
func (o *orders) tests(cmd *cobra.Command, w world, args []string) (s *suite.Suite, failed bool, err error) {
	switch {
	case cmd.Flags().Changed("sizes"):
		s, err = parseSizes(o.sizes)
		return s, false, err
	case cmd.Flags().Changed("suite"):
		s, err = readSuite(o.suite, w)
		return s, false, err
	case o.order != "" && len(args) == 0:
		return &suite.Suite{}, false, nil // only the order is given, so the tests' own order is not known
	}
	dir, err := oneDir(args)
	if err != nil {
		return nil, false, err
	}
	if len(args) > 0 {
		o.dir = args[0]
	}
	j, err := o.job(job.KindList, cmd, dir, nil)
	if err != nil {
		return nil, false, err
	}
	j.Observe = o.needsObserver()
	s, err = o.discover(cmd, w, j)
	if err != nil {
		showError(w, o.project, err)
	}
	return s, err != nil, nil
}

// discover builds the module and lists its tests.
func (o *orders) discover(cmd *cobra.Command, w world, j job.Job) (*suite.Suite, error) {
	s, err := newSession(w, o.project, &j)
	if err != nil {
		return nil, err
	}
	report, err := s.ask(cmd.Context(), j)
	if err != nil {
		return nil, err
	}
	s.brief = s.temp
	defer s.forget()
	if report.Error != nil {
		return nil, report.Error
	}
	tests, err := order.ParseSuite(report.Suite)
	if err != nil {
		return nil, &job.Error{Code: "bad-suite", Message: "the tests of the module cannot be put in order: " + err.Error()}
	}
	if j.Observe {
		return tests, o.observes(w, report, tests)
	}
	return tests, nil
}

// observes adds the results of an observed run.
func (o *orders) observes(w world, report *job.Report, tests *suite.Suite) error {
	r, err := state.Parse(report.Relation, suite.NewGroups(tests, o.syntax()))
	if err != nil {
		return &job.Error{Code: "bad-relation", Message: "what the tests do with static state cannot be used: " + err.Error()}
	}
	o.observed = r
	for _, note := range r.Notes {
		fmt.Fprintln(w.stderr, "odfix:", note)
	}
	if o.relation != "" {
		err = os.WriteFile(o.relation, report.Relation, 0o644)
	}
	return err
}

// maxSuiteFile is the size limit for a suite file, in bytes.
const maxSuiteFile = 256 << 20

// readSuite reads the tests of a suite file that can run.
func readSuite(path string, w world) (*suite.Suite, error) {
	in := w.stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, usage("", "--suite: %v", err)
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxSuiteFile+1))
	if err == nil && len(text) > maxSuiteFile {
		err = errors.New("it is larger than 256 MiB")
	}
	if err != nil {
		return nil, usage("", "--suite: %s: %v", path, err)
	}
	s, err := order.ParseSuite(text)
	if err != nil {
		return nil, usage("docs/suite.schema.json describes suite files.", "--suite: %s: %v", path, err)
	}
	runs, disabled := order.Runnable(s)
	switch {
	case len(runs.Order()) == 0:
		return nil, usage("", "--suite: %s: every test is disabled; there is nothing to put in order", path)
	case disabled > 0:
		fmt.Fprintf(w.stderr, "odfix: disabled tests run in no order; left out of %s: %d\n", path, disabled)
	}
	return runs, nil
}

func parseSizes(text string) (*suite.Suite, error) {
	hint := "Give the number of tests of each class, such as --sizes 3,2,5."
	var sizes []int
	for _, part := range strings.Split(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil {
			return nil, usage(hint, "--sizes: %q is not a number of tests", part)
		}
		sizes = append(sizes, n)
	}
	s, err := order.Sizes(sizes...)
	if err != nil {
		return nil, usage(hint, "--sizes: %v", err)
	}
	return s, nil
}

// readPairs reads a relation. It reports pairs with a test that is not in the suite. If no pair is
// in the suite, the file is about other tests, which is an error.
func readPairs(stderr io.Writer, flag, path string, s *suite.Suite) (order.Pairs, error) {
	list, err := pairsOf(flag, path)
	if err != nil {
		return nil, err
	}
	held, foreign := order.Held(s, list)
	if len(held) > 0 && len(foreign) > 0 {
		fmt.Fprintf(stderr, "odfix: %s: %d of the %d pairs in %s are left out: the suite does not hold both tests "+
			"of them; the first is %s and %s\n",
			flag, len(foreign), len(list), path, foreign[0][0], foreign[0][1])
	}
	if len(held) > 0 {
		return order.Relation(held), nil
	}
	return nil, usage("", "%s: no pair in %s is of two tests of the suite; its first is %s and %s", flag, path, list[0][0], list[0][1])
}
