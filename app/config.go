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

const checkAbout = `Checks .odfix.yml and prints what holds, and where each setting comes from.

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
	cmd.AddCommand(configCheckCommand(w, code), configSchemaCommand(w))
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
		text, err := readConfig(organisation)
		if err != nil {
			return nil, err
		}
		sources = append(sources, config.Source{Where: config.Organisation, File: organisation, Text: text})
	}
	return sources, nil
}

func repositorySources(at string) ([]config.Source, error) {
	fi, err := os.Stat(at)
	if err != nil || !fi.IsDir() {
		text, err := readConfig(at)
		return []config.Source{{Where: config.Repository, File: at, Text: text}}, err
	}
	var sources []config.Source
	for _, where := range []config.Where{config.Repository, config.GitHubFolder} {
		file := filepath.Join(at, filepath.FromSlash(where.PathIn()))
		text, err := readConfig(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		sources = append(sources, config.Source{Where: where, File: file, Text: text})
	}
	return sources, nil
}

func readConfig(file string) ([]byte, error) {
	const hint = "Name a file, or a folder that holds " + config.FileName + "."
	text, err := readBounded(file, config.MaxBytes) // the decoder refuses larger files
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, usageError{"there is no file " + file, hint, err}
	case err != nil:
		return nil, usage(hint, "%s cannot be read: %v", file, err)
	}
	return text, nil
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
