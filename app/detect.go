package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/odfix/odfix/internal/detect"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/shell"
	"github.com/odfix/odfix/internal/suite"
	"github.com/odfix/odfix/internal/wholefile"
	"github.com/odfix/odfix/templates"
)

// detection holds the flags of `odfix detect`.
type detection struct {
	project
	again   []string // the command line, without the output folder
	options job.DetectOptions
	pairs   string
	place   string
}

// detectBudget is the budget of a detection without --budget.
const detectBudget = 30 * time.Minute

const detectAbout = `Runs the tests of a project in many orders, each in a fresh process. Reports the tests
that depend on the order, and the test that each of them depends on.

DIR is the checkout, by default the current folder. It is never changed.

A test is reported as order-dependent if one order gives the same outcome each time,
and the test alone gives the other outcome each time. A test with different outcomes in
the same order is flaky. A test that fails in every order is a genuine failure.

Techniques:

  auto          a mixture, best first: orders that observed state makes likely (reach), the
                reverse, some random orders, single tests; then intra-class, then target-pairs
` + techniquesAbout + `
In a Jest project, a class is a test file.

The folder of --out holds report.json, detect.html (which test breaks which),
detect.xml (JUnit), odfix.patch with --fix, and detect.db. From detect.db, --resume
continues an interrupted search.

Exit status:
  0  no order-dependent test was found, or with --fix each has a proved patch
  1  something went wrong
  2  the command line is wrong
  3  order-dependent tests without a proved patch
  4  a genuine failure: a test fails in every order
  5  a test is flaky whatever the order of tests
130  Ctrl-C stopped it before it was complete
If several of 3, 4 and 5 apply, the status is the first of them.`

func detectCommand(w world, code *int) *cobra.Command {
	var d detection
	cmd := &cobra.Command{
		Use: "detect [DIR] [--technique NAME] [--budget TIME] [-- BUILD ARGUMENTS]", DisableFlagsInUseLine: true,
		Short: "Find the tests of a project that depend on the order of tests",
		Long:  detectAbout,
		Example: "  odfix detect\n  odfix detect --budget 2h --out found && odfix detect --resume --out found --budget 2h\n" +
			"  odfix detect ../shop --changed-since origin/main --fix",
		RunE: d.command(w, code, d.prepare, d.do),
	}
	d.flags(cmd)
	return cmd
}

func (d *detection) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&d.options.Technique, "technique", string(detect.Auto), "`name`: "+detect.Known())
	f.StringVar(&d.options.ChangedSince, "changed-since", "",
		"only pairs in which a file of one test has changed since this git `revision`")
	f.BoolVar(&d.options.Fix, "fix", false, "make and prove patches for what is found")
	placeFlag(f, &d.place)
	f.BoolVar(&d.options.Resume, "resume", false, "continue the interrupted search in --out")
	f.StringVar(&d.pairs, "pairs", "",
		"for target-pairs: a `file` of pairs, one a line, two tests separated by a tab; the second runs "+
			"directly after the first")
	f.Uint64Var(&d.options.Seed, "seed", 1, "`number` that chooses the random orders")
	d.register(cmd)
	d.budget = detectBudget
	f.Lookup("budget").DefValue = detectBudget.String()
	f.Lookup("out").Usage = "`folder` for the report, the page, patches and what --resume needs (default: a new temporary one)"
	f.BoolVar(&d.findAll, "find-all", false, "find all polluters, state-setters and cleaners, not just the first few")
	d.rerunFlag(f)
}

// prepare makes the job; its errors are about the command line.
func (d *detection) prepare(cmd *cobra.Command, dir string, forBuild []string) (job.Job, error) {
	j, err := d.job(job.KindDetect, cmd, dir, forBuild)
	if err != nil {
		return j, err
	}
	technique := order.Technique(d.options.Technique)
	asked := cmd.Flags().Changed("technique")
	if err := detect.Check(technique); err != nil {
		return j, usage("", "--technique: %v", err)
	}
	if j.Place, err = placeOf(d.place); err != nil {
		return j, err
	}
	switch {
	case j.Place != "" && !d.options.Fix:
		return j, usage("Add --fix to make patches.", "--place chooses the place of patches, and without --fix detect makes none")
	case d.options.Resume && d.out == "":
		return j, usage("Name the output folder of the interrupted run with --out.", "--resume needs --out")
	case d.options.ChangedSince != "" && (d.pairs != "" || asked && technique != order.TechniqueTarget):
		return j, usage("", "--changed-since chooses the pairs, and covers them by %s: so it goes neither with "+
			"--pairs nor with another technique", order.TechniqueTarget)
	case d.pairs != "" && technique != detect.Auto && technique != order.TechniqueTarget:
		return j, usage("", "--pairs are covered by %s and %s: they do not go with --technique %s",
			order.TechniqueTarget, detect.Auto, technique)
	}
	if d.pairs != "" {
		if d.options.Pairs, err = pairsOf("--pairs", d.pairs); err != nil {
			return j, err
		}
	}
	j.Detect = &d.options
	d.again = retyped(cmd, forBuild)
	return j, nil
}

// pairsOf reads the pairs in the file of a flag.
func pairsOf(flag, file string) ([][2]suite.TestID, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, usage("", "%s: %v", flag, err)
	}
	defer f.Close()
	pairs, err := order.ParsePairs(f)
	if err == nil && len(pairs) == 0 {
		err = errors.New("it holds no pair")
	}
	if err != nil {
		return nil, usage("Two tests a line, separated by a tab.", "%s: %s: %v", flag, file, err)
	}
	return pairs, nil
}

// do sends the job and shows the answer.
func (d *detection) do(ctx context.Context, w world, j job.Job) int {
	return d.ask(ctx, w, j, func(s *session, report *job.Report) int {
		_, _, o := s.keep(report, j)
		next := d.next(s, report)
		page := d.pages(s, report, next, o)
		s.show(report, templates.Detect(report, next, page, o))
		return detectCode(report)
	})
}

// The files for people and build servers, next to the report.
const (
	pageName  = "detect.html"
	junitName = "detect.xml"
)

// pages writes the page and the JUnit report, and returns the path of the page.
func (d *detection) pages(s *session, r *job.Report, next templates.NextCommands, o templates.Options) string {
	if r.Detection == nil {
		return ""
	}
	for name, text := range map[string]string{pageName: templates.DetectPage(r, o, next), junitName: templates.JUnit(r)} {
		if err := wholefile.Write(s.path(name), []byte(text), 0o644); err != nil {
			s.unkept(r, err)
			return ""
		}
	}
	return s.path(pageName)
}

// next returns the commands that continue an unfinished detection, and that make patches.
func (d *detection) next(s *session, r *job.Report) (out templates.NextCommands) {
	if r.Detection == nil {
		return out
	}
	if !r.Detection.Exhausted {
		out.Resume = d.resumed(s)
	}
	if !d.options.Fix && len(r.Detection.Finds) > 0 {
		out.Fix = d.resumed(s, "--fix")
	}
	return out
}

// resumed returns the command that runs the detection again with what it has stored.
func (d *detection) resumed(s *session, more ...string) string {
	return shell.Line(slices.Concat([]string{"odfix", "detect", "--resume", "--out", s.out}, more, d.again)...)
}

// retyped returns the words of the same command line, without those that name the output folder.
func retyped(cmd *cobra.Command, forBuild []string) []string {
	ours, _ := split(cmd, cmd.Flags().Args())
	var words []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		many, ok := f.Value.(pflag.SliceValue)
		switch {
		case f.Name == "out" || f.Name == "resume":
		case ok:
			for _, v := range many.GetSlice() {
				words = append(words, "--"+f.Name+"="+v)
			}
		case f.Value.String() == f.NoOptDefVal:
			words = append(words, "--"+f.Name)
		default:
			words = append(words, "--"+f.Name+"="+f.Value.String())
		}
	})
	words = append(words, ours...)
	if len(forBuild) > 0 {
		words = append(append(words, "--"), forBuild...)
	}
	return words
}

// detectCode returns the exit status for a detection.
func detectCode(r *job.Report) int {
	if r.Error != nil || r.Detection == nil {
		return exitError
	}
	return worstTest(r)
}
