package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/templates"
)

// verify holds the flags of `odfix verify`.
type verify struct {
	project
	rerun int
}

func verifyCommand(w world, code *int) *cobra.Command {
	var v verify
	cmd := &cobra.Command{
		Use: "verify REPORT.JSON [DIR] [-- MAVEN ARGUMENTS]", DisableFlagsInUseLine: true,
		Short: "Prove the patches of a report again, from scratch",
		Long: `Proves the patches of a report again, from scratch, on the checkout as it is now.

Exit status:
  0  every patch is proved again
  1  something went wrong, or it was ended early
  2  the command line is wrong
  3  a patch is not proved any more`,
		RunE: func(cmd *cobra.Command, args []string) error {
			ours, mavens := split(cmd, args)
			if len(ours) == 0 {
				return usage("odfix fix keeps its report in the folder it names at its end.", "which report? Give the path of a report.json")
			}
			dir, err := oneDir(ours[1:])
			if err != nil {
				return err
			}
			j, err := v.prepare(cmd, ours[0], dir, mavens)
			if err != nil {
				return err
			}
			*code = v.do(cmd.Context(), w, j)
			return nil
		},
	}
	v.register(cmd)
	cmd.Flags().IntVar(&v.rerun, "rerun", job.DefaultRerun, "how many `times` each check is repeated in fresh processes")
	return cmd
}

func (v *verify) prepare(cmd *cobra.Command, report, dir string, mavens []string) (job.Job, error) {
	j, err := v.job(job.KindVerify, cmd, dir, mavens)
	if err != nil {
		return j, err
	}
	if v.rerun < 1 {
		return j, usage("", "--rerun is %d: each check is made at least once", v.rerun)
	}
	j.Rerun = v.rerun
	if j.Report, err = readReport(report); err != nil {
		return j, err
	}
	if j.Module == "" {
		j.Module = j.Report.Project.Module
	}
	if len(j.BuildArgs) == 0 {
		j.BuildArgs = j.Report.Project.BuildArgs
	}
	for _, t := range j.Report.Tests {
		if len(t.Patches) > 0 {
			return j, nil
		}
	}
	return j, usage("", "%s holds no patch, so there is nothing to prove", report)
}

// maxReport bounds a report that is read, in bytes.
const maxReport = 64 << 20

// readReport reads a report that somebody else may have written.
func readReport(path string) (*job.Report, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, usage("", "the report cannot be read: %v", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxReport+1))
	if err != nil {
		return nil, usage("", "%s cannot be read: %v", path, err)
	}
	if len(text) > maxReport {
		return nil, usage("", "%s is larger than any report (%d MiB)", path, maxReport>>20)
	}
	return parseReport(path, text)
}

func parseReport(path string, text []byte) (*job.Report, error) {
	hint := "It must be a report.json that odfix fix has written (docs/report.schema.json)."
	var r job.Report
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, usage(hint, "%s is no report: %v", path, err)
	}
	if r.Version != job.Version {
		what := fmt.Sprintf("is a report of version %d, this odfix reads version %d", r.Version, job.Version)
		if r.Version == 0 {
			what = "is no report: it has no version"
		}
		return nil, usage(hint, "%s %s", path, what)
	}
	return &r, nil
}

func (v *verify) do(ctx context.Context, w world, j job.Job) int {
	s, err := newSession(w, v.project, &j)
	if err != nil {
		return showError(w, v.project, err)
	}
	report, err := s.ask(ctx, j)
	if err == nil {
		err = s.keepReport(report)
	}
	if err != nil {
		return s.failed(err)
	}
	s.show(report, templates.Verify(report, s.options()))
	return verifyCode(report)
}
