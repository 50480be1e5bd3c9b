package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/odfix/odfix/internal/config"
)

const checkAbout = `Checks .odfix.yml and prints which settings apply, and where each comes from.

FILE is one file. DIR is a repository: its .odfix.yml and .github/.odfix.yml are read, as odfix
reads them from the base branch. --organisation names the organisation's file, the one in its
.github repository, which holds defaults for repositories and its policy.

Problems are printed as FILE:LINE:COLUMN: what is wrong, and what to do.

Exit status:
  0  the files hold
  1  something is wrong in them
  2  the command line is wrong`

func configCommand(w world, code *int) *cobra.Command {
	cmd := &cobra.Command{
		Use: "config", Short: "Check .odfix.yml, and show the resulting settings", Args: cobra.ArbitraryArgs, RunE: unknownCommand,
	}
	cmd.AddCommand(configCheckCommand(w, code), configSchemaCommand(w), configInitCommand(w))
	return cmd
}

func configCheckCommand(w world, code *int) *cobra.Command {
	var organisation, format string
	cmd := &cobra.Command{
		Use: "check [FILE | DIR] [--organisation FILE]", DisableFlagsInUseLine: true,
		Short: "Print the resulting settings, or the mistakes with their lines", Long: checkAbout,
		RunE: func(_ *cobra.Command, args []string) error {
			if format != "text" && format != "json" {
				return usage("", "--format is %q: it can be text or json", format)
			}
			sources, err := configSources(args, organisation)
			if err != nil {
				return err
			}
			r := config.Resolve(sources...)
			if len(r.Problems) > 0 {
				*code = exitError
			}
			if format == "json" {
				return printConfigJSON(w, r)
			}
			return printConfig(w, r, sources)
		},
	}
	cmd.Flags().StringVar(&organisation, "organisation", "", "the organisation's `file`")
	cmd.Flags().StringVar(&format, "format", "text", "`text` or json")
	return cmd
}

// configSources reads the files that the command line names.
func configSources(args []string, organisation string) ([]config.Source, error) {
	if len(args) > 1 {
		return nil, usage("The organisation's file is named with --organisation.",
			"one file or folder can be given, not %d: %s", len(args), strings.Join(args, " "))
	}
	var sources []config.Source
	if len(args) == 1 || organisation == "" {
		at := "."
		if len(args) == 1 {
			at = args[0]
		}
		var err error
		if sources, err = repositorySources(at); err != nil {
			return nil, err
		}
	}
	if organisation != "" {
		source, err := readConfig(config.Organisation, organisation)
		if err != nil {
			return nil, err
		}
		sources = append(sources, source)
	}
	return sources, nil
}

func repositorySources(at string) ([]config.Source, error) {
	fi, err := os.Stat(at)
	if err != nil || !fi.IsDir() {
		source, err := readConfig(config.Repository, at)
		return []config.Source{source}, err
	}
	var sources []config.Source
	for _, where := range []config.Where{config.Repository, config.GitHubFolder, config.Misnamed} {
		if where == config.Misnamed && slices.ContainsFunc(sources, func(s config.Source) bool { return s.Where == config.Repository }) {
			continue
		}
		source, err := readConfig(where, filepath.Join(at, filepath.FromSlash(where.PathIn())))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		sources = append(sources, source)
	}
	return sources, nil
}

func readConfig(where config.Where, file string) (config.Source, error) {
	out := config.Source{Where: where, File: file}
	const hint = "Name a file, or a folder that holds " + config.FileName + "."
	text, err := readBounded(file, config.MaxBytes) // the decoder refuses larger files
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return out, usageError{"there is no file " + file, hint, err}
	case err != nil:
		return out, usage(hint, "%s cannot be read: %v", file, err)
	}
	if fi, err := os.Stat(file); err == nil && len(text) > config.MaxBytes {
		out.Size = fi.Size()
	}
	out.Text = text
	return out, nil
}

func printConfig(w world, r config.Resolved, sources []config.Source) error {
	for _, p := range r.Problems {
		fmt.Fprintln(w.stderr, p)
	}
	if len(r.Problems) > 0 {
		return nil
	}
	_, err := fmt.Fprintf(w.stdout, "# %s\n%s", readFrom(sources), r.YAML())
	return err
}

func readFrom(sources []config.Source) string {
	if len(sources) == 0 {
		return "There is no " + config.FileName + ": the defaults hold."
	}
	var names []string
	for _, s := range sources {
		names = append(names, s.File)
	}
	return "What holds, from " + strings.Join(names, ", ") + ":"
}

func printConfigJSON(w world, r config.Resolved) error {
	out := struct {
		Holds    bool                     `json:"holds"`
		Config   string                   `json:"config,omitempty"` // YAML, because its keys are those of the file
		Origins  map[string]config.Origin `json:"origins,omitempty"`
		Refused  []config.Refused         `json:"refused,omitempty"`
		Problems []config.Problem         `json:"problems,omitempty"`
	}{Holds: len(r.Problems) == 0, Refused: r.Refused, Problems: slices.Clip(r.Problems)}
	if out.Holds {
		out.Config, out.Origins = r.YAML(), r.Origins
	}
	return printJSON(w, out)
}

func configInitCommand(w world) *cobra.Command {
	return &cobra.Command{
		Use: "init [DIR]", Short: "Write an .odfix.yml with every setting as a comment", Args: cobra.ArbitraryArgs, DisableFlagsInUseLine: true,
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := oneDir(args)
			if err == nil {
				dir, err = folder(dir)
			}
			if err != nil {
				return err
			}
			path := filepath.Join(dir, config.FileName)
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
			if errors.Is(err, fs.ErrExist) {
				return usage("`odfix config check` checks it.", "%s exists already", path)
			}
			if err == nil {
				_, err = f.WriteString(config.Template())
				err = errors.Join(err, f.Close())
			}
			if err != nil {
				return usage("", "%s cannot be written: %v", path, err)
			}
			fmt.Fprintf(w.stdout, "%s is written. `odfix config check` checks it.\n", path)
			return nil
		},
	}
}

func configSchemaCommand(w world) *cobra.Command {
	return &cobra.Command{
		Use: "schema", Short: "Print the JSON Schema of .odfix.yml, for editors", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			text, err := config.Schema()
			if err != nil {
				return err
			}
			_, err = w.stdout.Write(text)
			return err
		},
	}
}
