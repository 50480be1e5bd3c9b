package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/odfix/odfix/internal/suite"
)

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

// flagError rewrites a message of the flag library for people. The library's text "strconv.ParseBool:
// parsing … invalid syntax" describes its implementation.
func flagError(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		return unknownFlag(cmd, unknown)
	}
	if short, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return usage("", "--%s needs a value", short.GetFlag().Name)
	}
	wrong, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return err
	}
	name, value := "--"+wrong.GetFlag().Name, wrong.GetValue()
	switch wrong.GetFlag().Value.Type() {
	case "duration":
		return usage("Give a time with its unit, such as 90s or 10m.", "%s is %q, which is no time", name, value)
	case "int", "int64", "uint64":
		return usage("Give a whole number.", "%s is %q, which is no number", name, value)
	case "bool":
		return usage(fmt.Sprintf("Write %s, or %s=false.", name, name), "%s is %q, which is neither true nor false", name, value)
	}
	return usage("", "%s is %q: %v", name, value, wrong.Unwrap())
}

// unknownFlag names the nearest flag of the command.
func unknownFlag(cmd *cobra.Command, e *pflag.NotExistError) error {
	name := e.GetSpecifiedName()
	if letters := e.GetSpecifiedShortnames(); letters != "" {
		return usage("", "%s has no flag -%s", cmd.CommandPath(), name)
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			known = append(known, f.Name)
		}
	})
	hint := ""
	if near, ok := suite.NearestWord(name, known); ok {
		hint = fmt.Sprintf("Did you mean --%s? `%s --help` lists the flags.", near, cmd.CommandPath())
	}
	return usage(hint, "%s has no flag --%s", cmd.CommandPath(), name)
}

// unknownCommand replaces the library's message of several lines.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	cmd.SuggestionsMinimumDistance = 2
	near := cmd.SuggestionsFor(args[0])
	if len(near) == 0 {
		return usage(fmt.Sprintf("`%s --help` lists the commands.", cmd.CommandPath()),
			"there is no command %q", strings.Join(append(parents(cmd), args[0]), " "))
	}
	return usage(fmt.Sprintf("Did you mean %s %s?", cmd.CommandPath(), near[0]),
		"there is no command %q", strings.Join(append(parents(cmd), args[0]), " "))
}

// parents are the names of a command and the commands above it, without odfix.
func parents(cmd *cobra.Command) []string { return strings.Fields(cmd.CommandPath())[1:] }

// helpCommand is `odfix help`. The library's command prints its help and succeeds if there is no such
// command.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Show the help of a command", DisableFlagsInUseLine: true,
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			at, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var names []string
			for _, sub := range at.Commands() {
				if sub.IsAvailableCommand() {
					names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			at, rest, err := c.Root().Find(args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return unknownCommand(at, rest)
			}
			at.InitDefaultHelpFlag()
			return at.Help()
		},
	}
}

// hintOf says what to do about an error of the command line.
func hintOf(cmd *cobra.Command, err error) string {
	u, _ := errors.AsType[usageError](err)
	return cmp.Or(u.hint, fmt.Sprintf("`%s --help` lists its arguments and flags.", cmd.CommandPath()))
}
