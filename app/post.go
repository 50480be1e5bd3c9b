package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/post"
	"github.com/odfix/odfix/internal/terminal"
)

func postCommand(w world, code *int) *cobra.Command {
	var o post.Options
	cmd := &cobra.Command{
		Use: "post [REPORT.JSON]…", DisableFlagsInUseLine: true,
		Short: "Post reports on the pull request, from a workflow run of GitHub Actions",
		Long: `Posts reports of odfix fix on the pull request of this workflow run: a check, and a
comment for each cause, with the change as a suggestion. A report of odfix detect keeps
one issue up to date: it is opened, updated and closed.

In a workflow that a workflow_run event started, and without a report, odfix posts the
reports that the other run has left as artifacts. That is how reports of forks are
posted, whose runs may not write.

A report is hostile input: odfix posts only what the sources of the tested commit
confirm. The environment is that of GitHub Actions: GITHUB_TOKEN, GITHUB_REPOSITORY,
GITHUB_EVENT_NAME, GITHUB_EVENT_PATH, GITHUB_SHA and GITHUB_API_URL.

Exit status: 0 the reports are posted, or the token may not write; 1 GitHub could not be
reached, or an artifact was refused; 2 the command line or the environment is wrong.`,
		Example: "  odfix post odfix-out/report.json",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := postOptions(w, args, &o); err != nil {
				return err
			}
			*code = doPost(cmd.Context(), w, o)
			return nil
		},
	}
	cmd.Flags().StringVar(&o.Artifact, "artifact", "odfix-report", "how the names of artifacts with reports `begin`")
	buildArgs(cmd.Flags(), &o.Args, "an `argument` for the build tool that odfix fix got; commands for people name only these")
	return cmd
}

// postOptions reads the environment and the reports.
func postOptions(w world, args []string, o *post.Options) error {
	const hint = "odfix post runs in GitHub Actions; docs/ci.md has a workflow."
	for name, value := range map[string]*string{"GITHUB_TOKEN": &o.Token, "GITHUB_REPOSITORY": &o.Repository,
		"GITHUB_EVENT_NAME": &o.Event.Name} {
		if *value = w.getenv(name); *value == "" {
			return usage(hint, "the environment variable %s is not set", name)
		}
	}
	o.API, o.SHA = w.getenv("GITHUB_API_URL"), w.getenv("GITHUB_SHA")
	event, err := post.ReadEvent(o.Event.Name, w.getenv("GITHUB_EVENT_PATH"))
	if err != nil {
		return usage(hint, "GITHUB_EVENT_PATH: %v", err)
	}
	o.Event = event
	for _, path := range args {
		r, err := readReport(path)
		if err != nil {
			return err
		}
		o.Reports = append(o.Reports, r)
	}
	return nil
}

func doPost(ctx context.Context, w world, o post.Options) int {
	o.Say = func(format string, args ...any) {
		fmt.Fprintln(w.stdout, terminal.WithoutCommands(fmt.Sprintf("odfix: "+format, args...)))
	}
	_, err := post.Run(ctx, o)
	if err == nil {
		return exitOK
	}
	e := &job.Error{Code: "post", Message: "the report could not be posted: " + err.Error(),
		Hint: "Check the permissions of the job, and run it again."}
	if errors.Is(err, post.ErrForged) {
		e.Hint = "Nothing was posted. Another program may have made this artifact; look at the run before you trust it."
	}
	complain(w, e)
	return exitError
}
