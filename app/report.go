package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/odfix/odfix/internal/format"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/templates"
)

// formatUsage is the help of a command's --format.
func formatUsage(command string) string {
	if len(formatsOf(command)) == 2 {
		return "`text` or json"
	}
	return "`text`, json, github (annotations of GitHub Actions), sarif, junit or markdown"
}

// checkFormat checks --format of a command that sends jobs of a kind.
func checkFormat(name string, kind job.Kind) error {
	known := []string{"text", "json"}
	if kind == job.KindFix || kind == job.KindVerify || kind == job.KindDetect {
		known = append(known, format.Known...)
	}
	if !slices.Contains(known, name) {
		last := len(known) - 1
		return usage("", "--format is %q: it can be %s or %s", name, strings.Join(known[:last], ", "), known[last])
	}
	return nil
}

// rendered is a report in a format; text is the answer for people.
func rendered(name string, r *job.Report, text string) string {
	switch name {
	case "text":
		return text
	case "json":
		b, err := encode(r)
		if err != nil {
			return text
		}
		return string(b)
	}
	// The formats of CI are of bounded size: the signal that ended the search does not end them.
	out, err := format.Render(context.Background(), name, r, r.Project.Root, text)
	if err != nil {
		return text
	}
	return out
}

func reportCommand(w world, code *int) *cobra.Command {
	var form string
	cmd := &cobra.Command{
		Use: "report REPORT.JSON [DIR] [--format FORMAT]", DisableFlagsInUseLine: true,
		Short: "Print a report again, for people or for the tools of CI",
		Long: `Prints a report of odfix fix, odfix detect or odfix verify again, in the format that
--format names. DIR is the checkout, by default that of the report; its files give the
lines of annotations.

  text      as odfix fix prints it
  json      the report, as docs/report.schema.json describes it
  github    the text, and annotations as workflow commands of GitHub Actions
  sarif     SARIF 2.1.0, such as for GitHub's code scanning
  junit     a JUnit report: tests that depend on the order fail, with the reason
  markdown  such as for the summary of a job in GitHub Actions

Exit status: 0 the report is printed; 2 the command line is wrong.`,
		Example: "  odfix report out/report.json --format markdown >> \"$GITHUB_STEP_SUMMARY\"\n" +
			"  odfix report out/report.json --format sarif > odfix.sarif",
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := reportToPrint(args, form)
			if err != nil {
				return err
			}
			o := textOptions(w)
			text := templates.Fix(r, o)
			if r.Detection != nil {
				text = templates.Detect(r, templates.NextCommands{}, "", o)
			}
			fmt.Fprint(w.stdout, rendered(form, r, text))
			if r.Error != nil && form == "text" {
				complain(w, r.Error)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&form, "format", "text", formatUsage("report"))
	return cmd
}

// reportToPrint reads the report, and puts the folder of the checkout into it.
func reportToPrint(args []string, form string) (*job.Report, error) {
	if len(args) == 0 {
		return nil, usage("odfix fix prints the folder of its report.", "which report? Give the path of a report.json")
	}
	if err := checkFormat(form, job.KindFix); err != nil {
		return nil, err
	}
	r, err := readReport(args[0])
	if err != nil {
		return nil, err
	}
	dir, err := oneDir(args[1:])
	if err != nil {
		return nil, err
	}
	if fi, err := os.Stat(r.Project.Root); len(args) == 1 && err == nil && fi.IsDir() {
		return r, nil
	}
	if dir, err = folder(dir); err != nil {
		return nil, err
	}
	if r.Project.Root = above(dir, ".git"); r.Project.Root == "" {
		r.Project.Root = dir
	}
	return r, nil
}
