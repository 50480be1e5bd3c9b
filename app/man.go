package main

import (
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manCommand writes a man page for each command. It is for releases, so no help lists it.
func manCommand() *cobra.Command {
	var date string
	cmd := &cobra.Command{
		Use: "man [--date DATE] FOLDER", DisableFlagsInUseLine: true, Hidden: true,
		Short: "Write the man pages into a folder", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			day, err := time.Parse(time.DateOnly, date)
			if err != nil {
				return usage("Give a date such as 2026-05-04.", "--date is %q", date)
			}
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true
			keepLines(root)
			return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Date: &day, Source: "odfix " + version, Manual: "odfix"}, args[0])
		},
	}
	cmd.Flags().StringVar(&date, "date", time.Now().UTC().Format(time.DateOnly), "the `date` that the pages name")
	return cmd
}

// keepLines makes code blocks of indented lines in the help of a command and of those below it. The
// pages are made from Markdown, which would join these lines.
func keepLines(cmd *cobra.Command) {
	var out []string
	indented := false
	for line := range strings.SplitSeq(cmd.Long, "\n") {
		was := indented
		if indented = strings.HasPrefix(line, "  "); indented {
			line = "    " + line
		}
		if was != indented {
			out = append(out, "")
		}
		out = append(out, line)
	}
	cmd.Long = strings.Join(out, "\n")
	for _, sub := range cmd.Commands() {
		keepLines(sub)
	}
}
