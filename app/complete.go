package main

import (
	"github.com/spf13/cobra"

	"github.com/odfix/odfix/internal/detect"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/order"
)

// completeValues lets shells complete the values of flags that have a fixed set of them.
func completeValues(cmd *cobra.Command) {
	for flag, values := range map[string][]string{
		"framework": {"junit", "jest"}, "place": places(), "class-loading": {"initial", "lazy", "eager"},
		"technique": techniquesOf(cmd.Name()),
	} {
		if cmd.Flags().Lookup(flag) != nil && len(values) > 0 {
			_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
		}
	}
	for _, flag := range []string{"out", "java-home"} {
		if cmd.Flags().Lookup(flag) != nil {
			_ = cmd.MarkFlagDirname(flag)
		}
	}
}

// techniquesOf are the values of a command's --technique.
func techniquesOf(command string) (out []string) {
	list := order.Techniques()
	switch command {
	case "fix":
		return []string{job.FromHelper, job.FromReset, job.FromReflection}
	case "detect":
		list = detect.Techniques()
	}
	for _, t := range list {
		out = append(out, string(t))
	}
	return out
}
