package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by the linker.
var version = "dev"

// buildVersion describes the running program.
type buildVersion struct {
	Version string `json:"version"`
	// Commit and Date are those of the sources. They are empty where the program was not built in a
	// git work tree, or with -buildvcs=false.
	Commit   string `json:"commit,omitempty"`
	Date     string `json:"date,omitempty"`
	Changed  bool   `json:"changed,omitempty"` // the sources had uncommitted changes
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// describeBuild reads what the Go command noted in the program.
func describeBuild(version string, info *debug.BuildInfo) buildVersion {
	v := buildVersion{Version: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info == nil {
		return v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.time":
			v.Date = s.Value
		case "vcs.modified":
			v.Changed = s.Value == "true"
		}
	}
	return v
}

func (v buildVersion) String() string {
	commit := cmp.Or(v.Commit, "unknown")
	if v.Changed {
		commit += ", with uncommitted changes"
	}
	return fmt.Sprintf("odfix %s\ncommit    %s\ndate      %s\ngo        %s\nplatform  %s\n",
		v.Version, commit, cmp.Or(v.Date, "unknown"), v.Go, v.Platform)
}

func versionCommand(w world) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use: "version [--format json]", DisableFlagsInUseLine: true,
		Short: "Print the version, its commit and date, and Go's version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			info, _ := debug.ReadBuildInfo()
			v := describeBuild(version, info)
			switch format {
			case "json":
				return printJSON(w, v)
			case "text":
				_, err := fmt.Fprint(w.stdout, v)
				return err
			}
			return usage("", "--format is %q: it can be text or json", format)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "`text` or json")
	return cmd
}
