package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/store"
)

const pauseAbout = `Stops all work of an odfix serve at once, without stopping it: no investigation begins, runners are stopped,
and nothing is read from or written to GitHub. Webhooks are still stored, so nothing is lost.

It writes into the database of odfix serve, so it holds for all servers on that database, and after a restart.
A running server follows within seconds. odfix app resume ends it.

  odfix app pause --reason "GitHub has an incident"
  odfix app pause --reason "too many comments" --repository acme/shop

What the servers do meanwhile: they ask GitHub for webhooks that did not arrive. Deadlines of investigations
move by the time of the pause.`

const resumeAbout = `Ends a pause of odfix app pause with the same --account or --repository. The work that waited goes on within
half a minute, or after a pause of hours within five minutes.`

// pauseOptions are the flags of `odfix app pause` and `odfix app resume`.
type pauseOptions struct{ database, reason, account, repository string }

func pauseCommand(w world, code *int) *cobra.Command {
	var o pauseOptions
	cmd := o.command(w, code, func(tx *store.Tx, p store.Pause) error {
		p.Reason = o.reason
		return tx.Pause(p)
	})
	cmd.Use, cmd.Short, cmd.Long = "pause --reason TEXT [flags]", "Stop all work of odfix serve, or that for one account", pauseAbout
	cmd.Flags().StringVar(&o.reason, "reason", "", "`text` that the log and /healthz show")
	o.register(cmd)
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if o.reason = strings.TrimSpace(o.reason); o.reason == "" || len(o.reason) > 300 || strings.ContainsAny(o.reason, "\r\n") {
			return usage("Write it for those who wonder why nothing happens.", "--reason needs one line of at most 300 bytes")
		}
		return nil
	}
	return cmd
}

func resumeCommand(w world, code *int) *cobra.Command {
	var o pauseOptions
	cmd := o.command(w, code, func(tx *store.Tx, p store.Pause) error {
		err := tx.Resume(p.Installation, p.Repository)
		if errors.Is(err, store.ErrNotFound) {
			return errors.New("there is no such pause")
		}
		return err
	})
	cmd.Use, cmd.Short, cmd.Long = "resume [flags]", "Let odfix serve go on after a pause", resumeAbout
	o.register(cmd)
	return cmd
}

func (o *pauseOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.account, "account", "", "only for this `account`, also if it installs the App again")
	f.StringVar(&o.repository, "repository", "", "only for this repository, as `owner/name`")
	f.StringVar(&o.database, "database-url", "odfix.db", "the database of odfix serve; also ODFIX_DATABASE_URL")
}

// command changes the pause that the flags name, and prints what is paused then.
func (o *pauseOptions) command(w world, code *int, change func(*store.Tx, store.Pause) error) *cobra.Command {
	return &cobra.Command{DisableFlagsInUseLine: true, Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		if err := fromEnvironment(cmd.Flags(), func(name string) string {
			if name != variable("database-url") {
				return ""
			}
			return w.getenv(name)
		}); err != nil {
			return err
		}
		if o.account != "" && o.repository != "" {
			return usage("Give one of them.", "--account and --repository cannot be given together")
		}
		list, err := o.do(cmd.Context(), change)
		if err != nil {
			*code = exitError
			complain(w, &job.Error{Message: err.Error(), Hint: "Nothing was changed."})
			return nil
		}
		_, err = fmt.Fprint(w.stdout, pausesText(list))
		return err
	}}
}

// do changes the database of a server, which may be running.
func (o *pauseOptions) do(ctx context.Context, change func(*store.Tx, store.Pause) error) (list []store.Pause, err error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	in, err := store.Inspect(ctx, o.database)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the database cannot be used: %w", err)
	case in.New:
		return nil, errors.New("this is not the database of an odfix serve: give the server's with --database-url")
	case len(in.Pending) > 0:
		return nil, errors.New("the database is of an older odfix: start odfix serve of this version first, or use the odfix of the server")
	}
	db, err := store.Open(ctx, o.database, store.Options{})
	if err != nil {
		return nil, fmt.Errorf("the database cannot be used: %w", err)
	}
	defer db.Close()
	err = db.Do(ctx, func(tx *store.Tx) error {
		p, err := o.scope(tx)
		if err == nil {
			err = change(tx, p)
		}
		if err == nil {
			list, err = tx.Pauses()
		}
		return err
	})
	return list, err
}

// scope is what the flags name.
func (o *pauseOptions) scope(tx *store.Tx) (p store.Pause, err error) {
	name := o.account + o.repository
	switch {
	case o.account != "":
		p.Installation, err = tx.InstallationOf(o.account)
	case o.repository != "":
		var r store.Repository
		r, err = tx.RepositoryNamed(o.repository)
		p.Repository = r.ID
	}
	if errors.Is(err, store.ErrNotFound) {
		err = fmt.Errorf("odfix does not know %s: no webhook has named it", name)
	}
	return p, err
}

// pausesText says what is paused, one pause a line.
func pausesText(list []store.Pause) string {
	var b strings.Builder
	for _, p := range list {
		what := "everything"
		switch {
		case p.Repository != 0:
			what = fmt.Sprintf("repository %d", p.Repository)
		case p.Installation != 0:
			what = fmt.Sprintf("installation %d", p.Installation)
			if p.Account != "" {
				what = fmt.Sprintf("account %s, also if it installs the App again", p.Account)
			}
		}
		fmt.Fprintf(&b, "paused since %s: %s (%s)\n", p.Since.UTC().Format(time.RFC3339), what, p.Reason)
	}
	if b.Len() == 0 {
		return "nothing is paused\n"
	}
	return b.String()
}
