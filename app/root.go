package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/odfix/odfix/internal/job"
)

const about = `odfix finds the reason why a test fails only in some orders of tests, and proves a patch.

It changes your checkout only with --apply.

Exit status of fix:
  0  each failing test is order-dependent and has a proved patch
  1  something went wrong, or there is no certain result for a test
  2  the command line is wrong
  3  order-dependent, but no patch could be proved
  4  a genuine failure: it does not depend on the order of tests
  5  flaky: different outcomes in the same order
  6  the test did not fail here
With several failing tests, the status is the first of 1, 3, 4, 5, 6 that applies to one of them.`

// run is the whole program. It returns the exit status.
func run(ctx context.Context, args []string, w world) int {
	code := exitOK
	root := &cobra.Command{
		Use: "odfix", Short: "Why does this test depend on the order of tests? With a proved patch.", Long: about,
		RunE: unknownCommand, Args: cobra.ArbitraryArgs, SuggestionsMinimumDistance: 2,
		SilenceErrors: true, SilenceUsage: true, DisableFlagsInUseLine: true, Version: version,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.SetVersionTemplate("odfix {{.Version}}\n")
	root.SetIn(w.stdin)
	root.SetOut(w.stdout)
	root.SetErr(w.stderr)
	root.SetArgs(args)
	root.SetFlagErrorFunc(flagError)
	for _, sub := range []*cobra.Command{fixCommand(w, &code), runCommand(w, &code), verifyCommand(w, &code),
		ordersCommand(w, &code), configCommand(w, &code), detectCommand(w, &code), pollutionCommand(w, &code), reportCommand(w, &code),
		serveCommand(w, &code), sandboxCommand(w, &code), doctorCommand(w, &code), appCommand(w, &code), versionCommand(w)} {
		root.AddCommand(sub)
	}
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return code
	}
	// Commands report their failures by code; an error is about the command line.
	e := &job.Error{Message: err.Error()}
	if u, ok := errors.AsType[usageError](err); ok {
		e.Hint = u.hint
	}
	e.Hint = cmp.Or(e.Hint, fmt.Sprintf("`%s --help` lists its arguments and flags.", cmd.CommandPath()))
	complain(w, e)
	return exitUsage
}

// flagError rewrites a message of the flag library for people. The library's text "invalid argument
// … time: missing unit in duration" describes its implementation.
func flagError(cmd *cobra.Command, err error) error {
	_, rest, ok := strings.Cut(err.Error(), `invalid argument "`)
	value, rest, ok2 := strings.Cut(rest, `" for "`)
	names, _, _ := strings.Cut(rest, `" flag`)
	if !ok || !ok2 {
		return err
	}
	name := names[strings.LastIndexByte(names, ' ')+1:]
	f := cmd.Flags().Lookup(strings.TrimLeft(name, "-"))
	switch {
	case f != nil && f.Value.Type() == "duration":
		return usage("Give a time with its unit, such as 90s or 10m.", "%s is %q, which is no time", name, value)
	case f != nil && f.Value.Type() == "int":
		return usage("Give a whole number.", "%s is %q, which is no number", name, value)
	}
	return err
}

// unknownCommand replaces the library's message of several lines.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	hint := "`odfix --help` lists the commands."
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "Did you mean odfix " + near[0] + "?"
	}
	return usage(hint, "there is no command %q", args[0])
}

// usageError is an error in the command line.
type usageError struct {
	text string
	hint string // what to do
	err  error  // the cause, for errors.Is
}

func (u usageError) Error() string { return u.text }

func (u usageError) Unwrap() error { return u.err }

func usage(hint, format string, args ...any) error {
	return usageError{fmt.Sprintf(format, args...), hint, nil}
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
