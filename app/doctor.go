package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/doctor"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/isolate"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/templates"
)

const doctorAbout = `Checks this machine: JDKs, Maven, Gradle, Node, npm, git, free disk and the size of odfix' cache. A project of
Maven, Gradle or Jest in the current folder decides which of them are needed.

If a GitHub App is configured, by flags or environment variables of odfix serve, it also checks what
odfix serve needs: the key or the signer, the webhook secret, the App's permissions, events and webhook on GitHub,
the last deliveries, the clock, the database and the sandbox of the runners.

Each finding says how to fix it. odfix doctor changes nothing, and can run beside odfix serve.

Exit status:
  0  all that is needed is there
  1  something must be fixed
  2  the command line is wrong`

func doctorCommand(w world, code *int) *cobra.Command {
	var o serveOptions
	var format string
	cmd := &cobra.Command{
		Use: "doctor [flags of serve]", DisableFlagsInUseLine: true,
		Short: "Check this machine, and the GitHub App if one is configured",
		Long:  doctorAbout, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if format != "text" && format != "json" {
				return usage("", "--format is %q: it can be text or json", format)
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), 2*time.Minute)
			defer cancel()
			wrong := o.complete(cmd.Flags(), w.getenv)
			dir, err := os.Getwd()
			if err != nil {
				return err
			}
			parts := []doctorPart{{"This machine", examineMachine(ctx, w, dir)}}
			if appConfigured(cmd.Flags(), w.getenv) {
				parts = append(parts, doctorPart{"GitHub App", examine(ctx, w, o, wrong)})
			}
			var all []doctor.Finding
			for _, p := range parts {
				all = append(all, p.findings...)
			}
			if doctor.Worst(all) == doctor.Bad {
				*code = exitError
			}
			return printFindings(w, parts, all, format)
		},
	}
	o.register(cmd.Flags())
	cmd.Flags().StringVar(&format, "format", "text", "`text` or json")
	return cmd
}

// doctorPart is a part of the answer.
type doctorPart struct {
	title    string
	findings []doctor.Finding
}

// appConfigured reports whether a setting of odfix serve is given. serveOptions.complete has set the
// flags that the environment gives.
func appConfigured(f *pflag.FlagSet, getenv func(string) string) bool {
	given := getenv("ODFIX_WEBHOOK_SECRET") != "" || getenv("ODFIX_PRIVATE_KEY") != ""
	f.Visit(func(flag *pflag.Flag) { given = given || flag.Name != "format" })
	return given
}

func printFindings(w world, parts []doctorPart, all []doctor.Finding, format string) error {
	if format == "json" {
		return printJSON(w, struct {
			Grade    doctor.Grade     `json:"grade"`
			Findings []doctor.Finding `json:"findings"`
		}{doctor.Worst(all), all})
	}
	var view []templates.FindingPart
	for _, p := range parts {
		part := templates.FindingPart{Title: p.title}
		for _, f := range p.findings {
			part.Findings = append(part.Findings, templates.Finding{What: f.What, Grade: string(f.Grade), Detail: f.Detail, Fix: f.Fix})
		}
		view = append(view, part)
	}
	_, err := fmt.Fprint(w.stdout, templates.Doctor(view, textOptions(w)))
	return err
}

// examine checks what odfix serve needs. A fault does not stop the other checks.
func examine(ctx context.Context, w world, o serveOptions, wrong error) []doctor.Finding {
	var list []doctor.Finding
	if wrong != nil {
		var u usageError
		errors.As(wrong, &u)
		list = append(list, doctor.Failed("settings", wrong, cmp.Or(u.hint, "`odfix serve --help` lists the flags.")))
	}
	for _, f := range []struct{ what, file string }{{"private key", o.app.keyFile}, {"webhook secret", o.secretFile}} {
		if info, err := os.Stat(f.file); f.file != "" && err == nil {
			list = append(list, doctor.KeyFile(f.what, f.file, uint32(info.Mode().Perm())))
		}
	}
	list = append(list, examineApp(ctx, w, o)...)
	list = append(list, doctor.Database(store.Inspect(ctx, o.database)))
	dir := cmp.Or(o.app.work, os.TempDir())
	if free, err := doctor.Free(dir); err == nil {
		list = append(list, doctor.Space("disk", dir, free))
	}
	list = append(list, doctor.Tools(tools(ctx, o))...)
	return append(list, examineSandbox(ctx, o)...)
}

// examineSandbox starts a sandbox, as the worker does that `odfix serve` starts.
func examineSandbox(ctx context.Context, o serveOptions) []doctor.Finding {
	if !o.work.local {
		return nil
	}
	if o.app.isolation.kind == isolationNone {
		return []doctor.Finding{doctor.Sandbox(nil, "", isolate.ErrNot, true)}
	}
	runner, err := dispatch.Find()
	if err != nil {
		return nil // tools reports it
	}
	box, err := isolate.Open(ctx, isolate.Options{Helper: runner, Limits: o.app.isolation.limits, Dir: o.app.work})
	if errors.Is(err, isolate.ErrNoDisk) {
		return []doctor.Finding{doctor.Failed("disks of jobs", err, doctor.MoreSpace)}
	}
	if err != nil {
		return []doctor.Finding{doctor.Sandbox(nil, "", err, false)}
	}
	defer box.Close()
	weaker := box.Weaker()
	if weaker != "" {
		if err := o.app.isolation.enough(weaker, box.Contained()); err != nil {
			return []doctor.Finding{doctor.Sandbox(nil, "", err, false)}
		}
	}
	list := []doctor.Finding{doctor.Sandbox(box.About(), weaker, nil, false)}
	if why := box.SharedDisk(); why != "" {
		list = append(list, doctor.SharedDisk(why))
	}
	if have, need := box.Space(o.app.runners); need > 0 {
		list = append(list, doctor.JobDisks(have, need, o.app.runners, cmp.Or(o.app.work, os.TempDir())))
	}
	if have, need := box.Watches(o.app.runners); need > 0 {
		list = append(list, doctor.Watches(have, need, o.app.isolation.weak))
	}
	if low := box.LowLimits(o.app.runners); len(low) > 0 {
		list = append(list, doctor.LowLimits(low))
	}
	return list
}

// examineApp asks GitHub about the App.
func examineApp(ctx context.Context, w world, o serveOptions) []doctor.Finding {
	const named = "Name the App with --app-id and --private-key-file; `odfix app manifest` makes one."
	if o.app.id == 0 {
		return []doctor.Finding{doctor.Failed("App", errors.New("no App is named, so odfix would only store deliveries"), named)}
	}
	app, err := github.NewApp(github.AppOptions{ID: o.app.id, Sign: o.app.sign, API: o.app.api})
	if err != nil {
		return []doctor.Finding{doctor.Failed("App", err, named)}
	}
	var list []doctor.Finding
	if o.app.signer != "" {
		begun := time.Now()
		_, err := o.app.sign(ctx, []byte("odfix doctor"))
		if list = append(list, doctor.Signer(time.Since(begun), err)); err != nil {
			return list
		}
	}
	asked := w.now()
	standing, err := app.Standing(ctx)
	if err != nil {
		return append(list, doctor.Failed("App", fmt.Errorf("GitHub returned no data about it: %w", err),
			"If the answer is 401, the key is not this App's, or the clock is wrong. "+
				"Otherwise check that this machine reaches "+o.app.api+"."))
	}
	list = append(append(list, doctor.App(standing)...), doctor.Clock(asked, w.now(), standing.Clock))
	const later = "Try again later."
	if tries, err := app.Deliveries(ctx, w.now().Add(-3*24*time.Hour)); err != nil {
		list = append(list, doctor.Failed("deliveries", err, later))
	} else {
		list = append(list, doctor.Deliveries(tries))
	}
	installations, err := app.Installations(ctx)
	if err != nil {
		return append(list, doctor.Failed("installations", err, later))
	}
	return append(list, doctor.Installations(installations)...)
}

// tools returns the programs that runners start.
func tools(ctx context.Context, o serveOptions) []doctor.Tool {
	list := []doctor.Tool{
		probe(ctx, doctor.Tool{Name: "java", Needed: "for Maven, Gradle and the tests", Fix: "Install a JDK, 17 or later."}, "java", "-version"),
		probe(ctx, doctor.Tool{Name: "mvn", Needed: "for projects of Maven without a wrapper", Fix: "Install Maven, 3.6 or later."},
			"mvn", "-B", "-version"),
		probe(ctx, doctor.Tool{Name: "gradle", Optional: true, Needed: "for projects of Gradle without a wrapper",
			Fix: "Install Gradle, 4 or later."}, "gradle", "--version"),
	}
	for _, release := range slices.Sorted(maps.Keys(o.app.homes)) {
		java := filepath.Join(o.app.homes[release], "bin", "java")
		list = append(list, probe(ctx, doctor.Tool{Name: fmt.Sprintf("JDK %d", release),
			Needed: "for projects that ask for it", Fix: "Correct --jdk."}, java, "-version"))
	}
	return list
}

// colours matches the colour codes that Maven may write.
var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// probe runs a program and keeps the first line of its output, or the first that begins with the
// tool's name.
func probe(ctx context.Context, t doctor.Tool, name string, args ...string) doctor.Tool {
	path, err := exec.LookPath(name)
	if err != nil {
		return t
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, args...).CombinedOutput()
	lines := strings.Split(strings.TrimSpace(colours.ReplaceAllString(string(out), "")), "\n")
	at := max(0, slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, t.Name+" ") }))
	t.Path, t.Version, t.Err = path, strings.TrimSpace(lines[at]), err
	return t
}
