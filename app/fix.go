package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/templates"
)

// fix holds the flags of `odfix fix`.
type fix struct {
	project
	tests   []string
	order   string
	apply   bool
	findAll bool
	rerun   int
	// techniques are the kinds of patch that are wanted.
	techniques []string
}

func fixCommand(w world, code *int) *cobra.Command {
	var f fix
	cmd := &cobra.Command{
		Use: "fix [DIR] [--test TEST]… [-- BUILD ARGUMENTS]", DisableFlagsInUseLine: true,
		Short: "Find out why tests fail only in some orders, and prove a patch",
		Long: `Finds the reason why tests fail only in some orders, and proves a patch.

DIR is the checkout, by default the current folder. With neither --test nor --order,
the failing tests are those in the reports of the last run (mvn test).

` + about[strings.Index(about, "It changes"):],
		Example: "  odfix fix\n  odfix fix --test com.acme.ReceiptTest#printsTheTotal\n" +
			"  odfix fix ../shop --order ci.log --apply -- -Pfast",
		RunE: func(cmd *cobra.Command, args []string) error {
			ours, mavens := split(cmd, args)
			dir, err := oneDir(ours)
			if err != nil {
				return err
			}
			j, err := f.prepare(cmd, dir, mavens)
			if e := (*job.Error)(nil); errors.As(err, &e) {
				*code = showError(w, f.project, e)
				return nil
			}
			if err != nil {
				return err
			}
			*code = f.do(cmd.Context(), w, j)
			return nil
		},
	}
	fs := cmd.Flags()
	fs.StringArrayVarP(&f.tests, "test", "t", nil, "a failing `test`: CLASS#METHOD, or FILE#TITLES in Jest; may be repeated")
	fs.StringVar(&f.order, "order", "", "the order that failed: a `file` with one test a line, a folder of Surefire reports, or a CI log")
	fs.BoolVar(&f.apply, "apply", false, "apply the proved patches to the checkout")
	f.register(cmd)
	fs.BoolVar(&f.findAll, "find-all", false, "find all polluters, state-setters and cleaners, not just the first few")
	fs.StringArrayVar(&f.techniques, "technique", nil,
		"make patches of this `kind` only: helper (statements of existing tests), reset (reset methods, and restored state), or reflection (private fields, by reflection); may be repeated (default: helper and reset)")
	rerunFlag(fs, &f.rerun)
	return cmd
}

// rerunFlag adds --rerun. fix and verify share it, so that verify repeats a proof as often as fix.
func rerunFlag(fs *pflag.FlagSet, rerun *int) {
	fs.IntVar(rerun, "rerun", 0, fmt.Sprintf("how many `times` each conclusion is confirmed in fresh processes "+
		"(default: %d, or %d where many tests confirm each other)", job.DefaultRerun, job.DefaultRerun-1))
}

// prepare makes the job; its errors are about the command line.
func (f *fix) prepare(cmd *cobra.Command, dir string, mavens []string) (job.Job, error) {
	j, err := f.job(job.KindFix, cmd, dir, mavens)
	if err != nil {
		return j, err
	}
	if f.rerun < 0 {
		return j, usage("", "--rerun is %d: it can be 1 or more, or 0 for odfix to choose", f.rerun)
	}
	for _, t := range f.techniques {
		if kinds := []string{job.FromHelper, job.FromReset, job.FromReflection}; !slices.Contains(kinds, t) {
			return j, usage("", "--technique %s: patches are of the kinds %s", t, strings.Join(kinds, ", "))
		}
	}
	j.Rerun, j.FindAll, j.Tests, j.Techniques = f.rerun, f.findAll, f.tests, f.techniques
	return j, f.evidence(&j)
}

// do sends the job and shows the answer.
func (f *fix) do(ctx context.Context, w world, j job.Job) int {
	s, err := newSession(w, f.project, &j)
	if err != nil {
		return showError(w, f.project, err)
	}
	defer s.close()
	report, err := s.ask(ctx, j)
	if err != nil {
		return s.failed(err)
	}
	root := cmp.Or(report.Project.Root, j.Dir)
	patch, kept := s.keep(report, root)
	o := s.options(kept)
	if patch != "" && kept {
		o.Apply = applyLine(root, s.path(patchName))
		o.Verify = verifyLine(j, s.path(s.files.report))
	}
	if f.apply && kept && len(report.Chosen()) > 0 {
		if o.Applied, err = apply(root, patch); err != nil {
			report.Error = cannotApply(err)
		} else {
			o.Verify = "" // the patch does not fit a checkout that already has it
		}
	}
	s.show(report, templates.Fix(report, o))
	return fixCode(report)
}
