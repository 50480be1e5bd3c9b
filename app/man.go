package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manCommand writes a man page for each command, or one Markdown page of all commands. It is for
// releases and the documentation, so no help lists it.
func manCommand() *cobra.Command {
	var date string
	var markdown bool
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
			if markdown {
				return os.WriteFile(filepath.Join(args[0], "commands.md"), commandsPage(root), 0o644)
			}
			return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Date: &day, Source: "odfix " + version, Manual: "odfix"}, args[0])
		},
	}
	cmd.Flags().StringVar(&date, "date", time.Now().UTC().Format(time.DateOnly), "the `date` that the pages name")
	cmd.Flags().BoolVar(&markdown, "markdown", false, "write commands.md instead, one page of all commands")
	return cmd
}

// commandsPage returns the help of all commands as one Markdown page.
func commandsPage(root *cobra.Command) []byte {
	var b bytes.Buffer
	b.WriteString("# Commands and flags\n\nThis page is the help of all commands, written by `odfix man --markdown`.\n")
	anchor := func(file string) string { return "#" + strings.ReplaceAll(strings.TrimSuffix(file, ".md"), "_", "-") }
	var add func(*cobra.Command)
	add = func(cmd *cobra.Command) {
		if cmd != root && !cmd.IsAvailableCommand() || cmd.HasParent() && cmd.Parent().Name() == "completion" {
			return
		}
		var page bytes.Buffer
		_ = doc.GenMarkdownCustom(cmd, &page, anchor) // a buffer takes everything
		text, _, _ := strings.Cut(page.String(), "### SEE ALSO")
		text, _, _ = strings.Cut(text, "### Options inherited")
		text = strings.Replace(strings.Replace(text, "### Options", "Flags:", 1), "### Synopsis\n", "", 1)
		text = strings.Replace(text, "### Examples", "Examples:", 1)
		b.WriteString("\n" + emptyLines.ReplaceAllString(strings.TrimSpace(text), "\n\n") + "\n")
		for _, sub := range cmd.Commands() {
			add(sub)
		}
	}
	add(root)
	return b.Bytes()
}

// statusLine is a line of a table of exit statuses.
var statusLine = regexp.MustCompile(`^\d+  `)

var emptyLines = regexp.MustCompile(`\n{3,}`)

// keepLines makes code blocks of indented lines in the help of a command and of those below it. The
// pages are made from Markdown, which would join these lines.
func keepLines(cmd *cobra.Command) {
	var out []string
	indented := false
	for line := range strings.SplitSeq(cmd.Long, "\n") {
		was := indented
		if indented = strings.HasPrefix(line, "  ") || statusLine.MatchString(line); indented {
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
