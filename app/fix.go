package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/worktree"
	"github.com/odfix/odfix/templates"
)

// fix holds the flags of `odfix fix`.
type fix struct {
	project
	tests []string
	order string
	apply bool
	// techniques are the requested kinds of patch.
	techniques []string
	place      string
	// since is the revision after which the change began.
	since string
}

func fixCommand(w world, code *int) *cobra.Command {
	var f fix
	cmd := &cobra.Command{
		Use: "fix [DIR] [--test TEST]… [-- BUILD ARGUMENTS]", DisableFlagsInUseLine: true,
		Short: "Find out why tests fail only in some orders, and prove a patch",
		Long: `Finds the reason why tests fail only in some orders, and proves a patch.

DIR is the checkout, by default the current folder. With neither --test nor --order,
the failing tests are those in the reports of the last run (mvn test, gradle test).

` + about[strings.Index(about, "It changes"):],
		Example: "  odfix fix\n  odfix fix --test com.acme.ReceiptTest#printsTheTotal\n" +
			"  odfix fix ../shop --order ci.log --apply -- -Pfast",
		RunE: f.command(w, code, f.prepare, f.do),
	}
	fs := cmd.Flags()
	fs.StringArrayVarP(&f.tests, "test", "t", nil, "a failing `test`: CLASS#METHOD, or FILE#TITLES in Jest; may be repeated")
	fs.StringVar(&f.order, "order", "", "the order that failed: a `file` with one test a line, a folder of Surefire reports, or a CI log")
	fs.BoolVar(&f.apply, "apply", false, "apply the proved patches to the checkout")
	f.register(cmd)
	f.budget = 0
	budget := fs.Lookup("budget")
	budget.DefValue = "0s"
	budget.Usage = "wall `time` for everything, the build included (default: 10m, and more for slow tests)"
	fs.BoolVar(&f.findAll, "find-all", false, "find all polluters, state-setters and cleaners, not just the first few, and prove a second patch")
	fs.StringArrayVar(&f.techniques, "technique", nil,
		"make patches of this `kind` only: helper (statements of existing tests), "+
			"reset (reset methods, and restored state), or reflection (private fields, by reflection); "+
			"may be repeated (default: helper and reset)")
	fs.StringVar(&f.since, "changed-since", "",
		"the git `revision` with which the tests worked: a failure that came with other code since then gets no patch "+
			"(default: where the branch left origin's default branch, or HEAD; \"\": not compared)")
	placeFlag(fs, &f.place)
	f.rerunFlag(fs)
	return cmd
}

// prepare makes the job; its errors are about the command line.
func (f *fix) prepare(cmd *cobra.Command, dir string, forBuild []string) (job.Job, error) {
	j, err := f.job(job.KindFix, cmd, dir, forBuild)
	if err != nil {
		return j, err
	}
	for _, t := range f.techniques {
		if kinds := []string{job.FromHelper, job.FromReset, job.FromReflection}; !slices.Contains(kinds, t) {
			return j, usage("", "--technique %s: patches are of the kinds %s", t, strings.Join(kinds, ", "))
		}
	}
	if j.Place, err = placeOf(f.place); err != nil {
		return j, err
	}
	j.Tests, j.Techniques, j.Choice = f.tests, f.techniques, f.findAll
	if j.ChangedSince = f.since; !cmd.Flags().Changed("changed-since") {
		j.ChangedSince = worktree.BranchPoint(cmd.Context(), j.Dir)
	}
	return j, f.evidence(&j)
}

// do sends the job and shows the answer.
func (f *fix) do(ctx context.Context, w world, j job.Job) int {
	return f.ask(ctx, w, j, func(s *session, report *job.Report) int {
		patch, root, o := s.keep(report, j)
		if f.apply && o.Out != "" && len(report.Chosen()) > 0 {
			var err error
			if o.Applied, err = apply(root, patch); err != nil {
				report.Error = cannotApply(err)
			}
		}
		s.show(report, templates.Fix(report, o))
		return fixCode(report)
	})
}
