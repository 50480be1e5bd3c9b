package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/store"
)

const auditAbout = `Prints the audit log of an odfix serve: who asked for what, what ran, which hosts jobs asked for, and what
was written to GitHub. Each line is a JSON object, the oldest first; docs/audit.schema.json describes it.

It reads the database of odfix serve, changes nothing, and can run meanwhile. The flags can also be
given in the environment, like those of odfix serve (--database-url as ODFIX_DATABASE_URL).

Exit status:
  0  all records are printed
  1  the database cannot be read
  2  the command line is wrong`

// auditOptions are the flags of `odfix audit`.
type auditOptions struct {
	database     string
	since, until string
	query        store.AuditQuery
}

func auditCommand(w world, code *int) *cobra.Command {
	var o auditOptions
	cmd := &cobra.Command{
		Use: "audit [flags]", DisableFlagsInUseLine: true, Short: "Print the audit log of the GitHub App", Long: auditAbout, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.complete(cmd.Flags(), w); err != nil {
				return err
			}
			out := bufio.NewWriter(w.stdout)
			err := store.ReadAudit(cmd.Context(), o.database, o.query, func(a store.Audit) error {
				line, err := json.Marshal(a)
				if err == nil {
					_, err = out.WriteString(ascii(string(line)) + "\n")
				}
				return err
			})
			if ferr := out.Flush(); err == nil {
				err = ferr
			}
			if err != nil {
				*code = exitError
				complain(w, &job.Error{Message: "the audit log cannot be read: " + err.Error(), Hint: "Name the database of odfix serve with --database-url."})
			}
			return nil
		},
	}
	o.register(cmd.Flags())
	return cmd
}

func (o *auditOptions) register(f *pflag.FlagSet) {
	f.SortFlags = false
	f.StringVar(&o.database, "database-url", "odfix.db", "SQLite `file`, or a postgres:// URL")
	f.StringVar(&o.since, "since", "", "first `time`, such as 2026-05-04T03:00:00Z, or how long ago, such as 24h (default: all)")
	f.StringVar(&o.until, "until", "", "`time` at which to stop, in the same forms")
	f.Int64Var(&o.query.Installation, "installation", 0, "only of the installation with this `id`")
	f.Int64Var(&o.query.Repository, "repository", 0, "only of the repository with this `id`")
}

func (o *auditOptions) complete(f *pflag.FlagSet, w world) error {
	if err := fromEnvironment(f, w.getenv); err != nil {
		return err
	}
	for _, t := range []struct {
		flag, text string
		to         *time.Time
	}{{"since", o.since, &o.query.Since}, {"until", o.until, &o.query.Until}} {
		if t.text == "" {
			continue
		}
		ago, err := time.ParseDuration(t.text)
		if *t.to = w.now().Add(-ago); err != nil {
			*t.to, err = time.Parse(time.RFC3339, t.text)
		}
		if err != nil {
			return usage("Write it like 2026-05-04T03:00:00Z or 24h.", "--%s is %q, which is no time", t.flag, t.text)
		}
	}
	return nil
}

// ascii writes JSON with escapes for all characters beyond ASCII, and for DEL: foreign texts of the
// audit log may hold what a terminal obeys, or what turns the direction of a line.
func ascii(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r < 0x7f:
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
