package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/terminal"
	"github.com/odfix/odfix/templates"
)

const about = `odfix finds the reason why a test fails only in some orders of tests, and proves a patch.

It changes your checkout only with --apply.

Exit status of fix:
  0  each failing test is order-dependent and has a proved patch
  1  something went wrong, or there is no certain result for a test
  2  the command line is wrong
  3  order-dependent, but no patch could be proved
  4  a genuine failure, or a regression: the order of tests is not the reason
  5  flaky: different outcomes in the same order
  6  the test did not fail here, or no test failed in the last run
130  Ctrl-C stopped it before it was complete
With several failing tests, the status is the first of 1, 3, 4, 5, 6 that applies to one of them.`

// run is the whole program. It returns the exit status.
func run(ctx context.Context, args []string, w world) int {
	code := exitOK
	root := &cobra.Command{
		Use: "odfix", Short: "Why does this test depend on the order of tests? With a proved patch.", Long: about,
		RunE: unknownCommand, Args: cobra.ArbitraryArgs,
		SilenceErrors: true, SilenceUsage: true, DisableFlagsInUseLine: true, Version: version,
	}
	root.SetVersionTemplate("odfix {{.Version}}\n")
	root.SetIn(w.stdin)
	root.SetOut(w.stdout)
	root.SetErr(w.stderr)
	root.SetArgs(args)
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		fmt.Fprint(w.stdout, templates.CommandHelp(cmp.Or(c.Long, c.Short)+"\n\n"+c.UsageString(), terminal.Width(w.stdout)))
	})
	for _, sub := range []*cobra.Command{fixCommand(w, &code), runCommand(w, &code), verifyCommand(w, &code),
		ordersCommand(w, &code), configCommand(w, &code), detectCommand(w, &code), pollutionCommand(w, &code), reportCommand(w, &code),
		postCommand(w, &code), serveCommand(w, &code), workerCommand(w, &code), sandboxCommand(w, &code), doctorCommand(w, &code),
		auditCommand(w, &code), cacheCommand(w, &code), appCommand(w, &code), versionCommand(w), manCommand()} {
		completeValues(sub)
		root.AddCommand(sub)
	}
	root.SetHelpCommand(helpCommand())
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return code
	}
	// Commands report their failures by code; an error is about the command line.
	complain(w, &job.Error{Message: err.Error(), Hint: hintOf(cmd, err)})
	return exitUsage
}
