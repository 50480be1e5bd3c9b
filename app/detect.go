package main

import (
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/odfix/odfix/internal/detect"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/shell"
	"github.com/odfix/odfix/internal/suite"
	"github.com/odfix/odfix/templates"
)

// detection holds the flags of `odfix detect`.
type detection struct {
	project
	again   []string // the command line, but for the output folder
	options job.DetectOptions
	pairs   string
	rerun   int
	findAll bool
}

// detectBudget is the budget of a detection without --budget.
const detectBudget = 30 * time.Minute

const detectAbout = `Runs the tests of a project in many orders, each in a fresh process, and says
which of them depend on the order, and on which other test.

DIR is the checkout, by default the current folder; it is never changed. A test
is called order-dependent only when the same order gives the same outcome again,
and the test by itself the other one. Tests that disagree with themselves are
flaky, those that fail in every order genuine: both are listed apart.

  auto          in turns: what static state makes likely (reach), the reverse and some random
                orders, tests alone that may be brittle; then intra-class, then target-pairs
  original, reverse, random, alone, class-first   as they say
  class-only    each class directly after every other (Tuscan Class-Only)
  intra-class   and each test directly after every other of its class (Tuscan Intra-Class)
  inter-class   and each test directly after every other (Tuscan Inter-Class)
  target-pairs  the pairs in a file, or those that share static state, directly after
                each other (Target Pairs)
  reach         what a test leaves in static state reaches all that read it
  pair-cover    each test directly after every other, in far fewer orders than inter-class

What was found is kept in the folder that --out names: report.json, detect.html
(who breaks whom), detect.xml (JUnit), odfix.patch with --fix, and detect.db, from
which --resume goes on after an interruption of any kind.

Exit status:
  0  no order-dependent test was found, or with --fix each has a proved patch
  1  something went wrong
  2  the command line is wrong
  3  order-dependent tests without a proved patch
  4  a genuine failure: a test fails in every order
  5  a test is flaky whatever the order of tests
If several are true of the tests found, the status is the first of 3, 4, 5.`

func detectCommand(w world, code *int) *cobra.Command {
	var d detection
	cmd := &cobra.Command{
		Use: "detect [DIR] [--technique NAME] [--budget TIME] [-- MAVEN ARGUMENTS]", DisableFlagsInUseLine: true,
		Short: "Find the tests of a project that depend on the order of tests",
		Long:  detectAbout,
		Example: "  odfix detect\n  odfix detect --budget 2h --out found && odfix detect --resume --out found --budget 2h\n" +
			"  odfix detect ../shop --changed-since origin/main --fix",
		RunE: func(cmd *cobra.Command, args []string) error {
			ours, mavens := split(cmd, args)
			dir, err := oneDir(ours)
			if err != nil {
				return err
			}
			j, err := d.prepare(cmd, dir, mavens)
			if err != nil {
				return err
			}
			d.again = retyped(cmd, ours, mavens)
			*code = d.do(cmd.Context(), w, j)
			return nil
		},
	}
	d.flags(cmd)
	return cmd
}

func (d *detection) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&d.options.Technique, "technique", string(detect.Auto), "`name`: "+detect.Known())
	f.StringVar(&d.options.ChangedSince, "changed-since", "",
		"only pairs with a test that is touched by the change since this git `revision`")
	f.BoolVar(&d.options.Fix, "fix", false, "make and prove patches for what is found")
	f.BoolVar(&d.options.Resume, "resume", false, "go on with the interrupted run in --out")
	f.StringVar(&d.pairs, "pairs", "", "a `file` with two tests a line, separated by a tab, the second to run directly after the first")
	f.Uint64Var(&d.options.Seed, "seed", 1, "another `number`, other random orders")
	d.register(cmd)
	d.budget = detectBudget
	f.Lookup("budget").DefValue = detectBudget.String()
	f.Lookup("out").Usage = "`folder` for the report, the page, patches and what --resume needs (default: a new temporary one)"
	f.BoolVar(&d.findAll, "find-all", false, "look for all polluters, state-setters and cleaners, not just the first few")
	rerunFlag(f, &d.rerun)
}

// prepare makes the job; its errors are about the command line.
func (d *detection) prepare(cmd *cobra.Command, dir string, mavens []string) (job.Job, error) {
	j, err := d.job(job.KindDetect, cmd, dir, mavens)
	if err != nil {
		return j, err
	}
	technique := order.Technique(d.options.Technique)
	asked := cmd.Flags().Changed("technique")
	if err := detect.Check(technique); err != nil {
		return j, usage("", "--technique: %v", err)
	}
	switch {
	case d.rerun < 0:
		return j, usage("", "--rerun is %d: it can be 1 or more, or 0 for odfix to choose", d.rerun)
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
		if d.options.Pairs, err = pairsOf(d.pairs); err != nil {
			return j, err
		}
	}
	j.Rerun, j.FindAll, j.Detect = d.rerun, d.findAll, &d.options
	return j, nil
}

func pairsOf(file string) ([][2]suite.TestID, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, usage("", "--pairs: %v", err)
	}
	defer f.Close()
	pairs, err := order.ParsePairs(f)
	if err != nil {
		return nil, usage("Two test ids a line, separated by a tab.", "--pairs: %s: %v", file, err)
	}
	if len(pairs) == 0 {
		return nil, usage("Two test ids a line, separated by a tab.", "--pairs: %s holds no pair", file)
	}
	return pairs, nil
}

// do sends the job and shows the answer.
func (d *detection) do(ctx context.Context, w world, j job.Job) int {
	s, err := newSession(w, d.project, &j)
	if err != nil {
		return showError(w, d.project, err)
	}
	defer s.close()
	report, err := s.ask(ctx, j)
	if err != nil {
		return s.failed(err)
	}
	root := report.Project.Root
	if root == "" {
		root = j.Dir
	}
	patch, kept := s.keep(report, root)
	o := s.options(kept)
	if patch != "" && kept {
		o.Apply = applyLine(root, s.path(patchName))
		o.Verify = verifyLine(j, s.path(s.files.report))
	}
	page := d.pages(s, report)
	s.show(report, templates.Detect(report, d.goOn(s, report), page, o))
	return detectCode(report)
}

// The files for people and build servers, beside the report.
const (
	pageName  = "detect.html"
	junitName = "detect.xml"
)

// pages writes the page and the JUnit report, and returns where the page is.
func (d *detection) pages(s *session, r *job.Report) string {
	if r.Detection == nil {
		return ""
	}
	for name, text := range map[string]string{pageName: templates.DetectPage(r), junitName: templates.DetectXML(r)} {
		if err := writeWhole(s.path(name), []byte(text)); err != nil {
			s.unkept(r, err)
			return ""
		}
	}
	return s.path(pageName)
}

// goOn is the command that goes on with what is not finished.
func (d *detection) goOn(s *session, r *job.Report) string {
	if r.Detection == nil || r.Detection.Exhausted {
		return ""
	}
	return shell.Line(append([]string{"odfix", "detect", "--resume", "--out", s.out}, d.again...)...)
}

// retyped are the words that ask for the same again, but for where it is kept.
func retyped(cmd *cobra.Command, ours, mavens []string) []string {
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
	if len(mavens) > 0 {
		words = append(append(words, "--"), mavens...)
	}
	return words
}

// detectCode is the exit status for a detection.
func detectCode(r *job.Report) int {
	if r.Error != nil || r.Detection == nil {
		return exitError
	}
	worst := exitOK
	for _, t := range r.Tests {
		if c := testCode(r, t); c != exitOK && (worst == exitOK || c < worst) {
			worst = c
		}
	}
	return worst
}
