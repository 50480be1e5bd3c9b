package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/templates"
)

// verify holds the flags of `odfix verify`.
type verify struct {
	project
	ownArgs bool   // the report's arguments are not used
	note    string // what people should know about the arguments
	applied string // what people should know about patches that are applied in the checkout
}

func verifyCommand(w world, code *int) *cobra.Command {
	var v verify
	cmd := &cobra.Command{
		Use: "verify REPORT.JSON [DIR] [-- BUILD ARGUMENTS]", DisableFlagsInUseLine: true,
		Short: "Prove the patches of a report again, from scratch",
		Long: `Proves the patches of a report again, from scratch, on the checkout as it is now
(DIR, by default the current folder). If they are applied in it, they are proved in a
copy without them.

verify runs the tests and the patches of the report. It refuses patches of other files
than test sources, and build arguments of the report that could run programs, unless
you give them yourself.

The result is verify.json in the folder of --out.

Exit status:
  0  every patch is proved again
  1  something went wrong, or it was stopped early
  2  the command line is wrong
  3  a patch could not be proved
130  Ctrl-C stopped it before it was complete`,
		RunE: func(cmd *cobra.Command, args []string) error {
			ours, forBuild := split(cmd, args)
			if len(ours) == 0 {
				return usage("odfix fix prints the folder of its report.",
					"which report? Give the path of a report.json")
			}
			dir, err := oneDir(ours[1:])
			if err != nil {
				return err
			}
			j, err := v.prepare(cmd, ours[0], dir, forBuild)
			if err != nil {
				return err
			}
			*code = v.do(cmd.Context(), w, j)
			return nil
		},
	}
	v.register(cmd)
	fs := cmd.Flags()
	fs.BoolVar(&v.findAll, "find-all", false, "check all orders of the classes that have the tests, also of large classes")
	fs.BoolVar(&v.ownArgs, "no-report-args", false, "build without the build arguments of the report")
	v.rerunFlag(fs)
	return cmd
}

func (v *verify) prepare(cmd *cobra.Command, report, dir string, forBuild []string) (job.Job, error) {
	j, err := v.job(job.KindVerify, cmd, dir, forBuild)
	if err != nil {
		return j, err
	}
	if j.Report, err = readReport(report); err != nil {
		return j, err
	}
	j.Module = cmp.Or(j.Module, j.Report.Project.Module)
	j.BuildTool = cmp.Or(j.BuildTool, builtBy(j.Report.Project.Build))
	if j.BuildArgs, v.note, err = v.toolArgs(report, j); err != nil {
		return j, err
	}
	if !slices.ContainsFunc(j.Report.Tests, func(t job.TestReport) bool { return len(t.Patches) > 0 }) {
		return j, usage("", "%s holds no patch, so there is nothing to prove", report)
	}
	return j, nil
}

// builtBy is the build tool that a report names, such as "gradle 8.10"; empty: none of those that a
// job can name.
func builtBy(build string) string {
	name, _, _ := strings.Cut(build, " ")
	if name == job.Maven || name == job.Gradle {
		return name
	}
	return ""
}

// maxReport is the size limit for a report, in bytes.
const maxReport = 64 << 20

// readReport reads a report. It may come from an untrusted source.
func readReport(path string) (*job.Report, error) {
	text, err := readBounded(path, maxReport)
	var at *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, usage("Give the report.json that odfix fix has written; it prints the folder.", "there is no file %s", path)
	case errors.As(err, &at):
		return nil, usage("", "the report %s cannot be read: %v", path, at.Err)
	case err != nil:
		return nil, usage("", "the report %s cannot be read: %v", path, err)
	}
	if len(text) > maxReport {
		return nil, usage("", "%s is larger than any report (%d MiB)", path, maxReport>>20)
	}
	return parseReport(path, text)
}

// readBounded reads a file that may come from an untrusted source. It reads at most one byte more
// than most.
func readBounded(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most+1))
}

func parseReport(path string, text []byte) (*job.Report, error) {
	hint := "It must be a report.json that odfix fix has written (docs/report.schema.json)."
	r, err := job.ParseReport(text)
	switch {
	case err != nil:
		return nil, usage(hint, "%s is no report that can be read: %v", path, err)
	case r.Version == 0:
		return nil, usage(hint, "%s is no report: it has no version", path)
	}
	return r, nil
}

func (v *verify) do(ctx context.Context, w world, j job.Job) int {
	done, err := v.unapply(&j)
	if err != nil {
		return showError(w, v.project, err)
	}
	defer done()
	return v.ask(ctx, w, j, func(s *session, report *job.Report) int {
		report.Notes = append(v.notes(), report.Notes...)
		kept := s.keepReport(report)
		s.show(report, templates.Verify(report, s.options(kept)))
		return verifyCode(report)
	})
}
