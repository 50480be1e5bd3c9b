package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

const about = `odfix finds out why a test fails only in some orders of tests, and proves a patch.

It never changes your checkout unless you say --apply.

Exit status of fix:
  0  each failing test is order-dependent and has a proved patch
  1  something went wrong, or nothing certain could be said of a test
  2  the command line is wrong
  3  order-dependent, but no patch could be proved
  4  a genuine failure: it does not depend on the order of tests
  5  flaky whatever the order of tests
  6  did not fail here
With several failing tests the status is the first of 1, 3, 4, 5, 6 that is true of any.`

// run is the whole program: it returns the exit status.
func run(ctx context.Context, args []string, w world) int {
	code := exitOK
	root := &cobra.Command{
		Use: "odfix", Short: "Why does this test depend on the order of tests? With a proved patch.", Long: about,
		SilenceErrors: true, SilenceUsage: true, DisableFlagsInUseLine: true, Version: version,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.SetVersionTemplate("odfix {{.Version}}\n")
	root.SetIn(w.stdin)
	root.SetOut(w.stdout)
	root.SetErr(w.stderr)
	root.SetArgs(args)
	for _, sub := range []*cobra.Command{fixCommand(w, &code), runCommand(w, &code), verifyCommand(w, &code), versionCommand(w)} {
		root.AddCommand(sub)
	}
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return code
	}
	// Commands keep their failures in code; an error is about the command line.
	fmt.Fprintf(w.stderr, "odfix: %v\n", err)
	var u usageError
	if !errors.As(err, &u) || u.hint == "" {
		u.hint = fmt.Sprintf("`%s --help` says what can be asked.", cmd.CommandPath())
	}
	fmt.Fprintln(w.stderr, "→ "+u.hint)
	return exitUsage
}

// usageError is a command line that cannot be meant.
type usageError struct {
	text string
	hint string // what to do
}

func (u usageError) Error() string { return u.text }

func usage(hint, format string, args ...any) error {
	return usageError{fmt.Sprintf(format, args...), hint}
}

func versionCommand(w world) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(w.stdout, "odfix", version)
			return err
		},
	}
}
