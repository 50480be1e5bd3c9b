package main

import (
	"cmp"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/odfix/odfix/internal/ci"
	"github.com/odfix/odfix/internal/detect"
	"github.com/odfix/odfix/internal/format"
	"github.com/odfix/odfix/internal/java"
	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/suite"
)

// completeValues lets shells complete the values of flags: those of a fixed set, tests of the last
// run, and modules.
func completeValues(cmd *cobra.Command) {
	for flag, values := range map[string][]string{
		"framework": {"junit", "jest"}, "build-tool": {job.Maven, job.Gradle}, "place": places(), "class-loading": {"initial", "lazy", "eager"},
		"technique": techniquesOf(cmd.Name()), "format": formatsOf(cmd.Name()), "as": slices.Sorted(maps.Keys(commands)),
	} {
		if cmd.Flags().Lookup(flag) != nil && len(values) > 0 {
			_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
		}
	}
	for flag, complete := range map[string]cobra.CompletionFunc{"test": completeTests, "near": completeTests, "module": completeModules} {
		if cmd.Flags().Lookup(flag) != nil {
			_ = cmd.RegisterFlagCompletionFunc(flag, complete)
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

// formatsOf are the values of a command's --format.
func formatsOf(command string) []string {
	switch command {
	case "orders":
		return []string{"lines", "json"}
	case "fix", "verify", "detect", "report":
		return append([]string{"text", "json"}, format.Known...)
	}
	return []string{"text", "json"}
}

// completeTests completes a test of the last run: the failed ones first, with their classes. A word
// that begins with a capital letter is completed without the package.
func completeTests(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	dir := dirOf(args)
	ev, err := ci.LastRun(reportModules(cmp.Or(java.Around(dir), dir), ""))
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	first, _ := utf8.DecodeRuneInString(begun)
	var out []string
	for _, id := range slices.Concat(ev.Failed, ev.Tests) {
		names := []string{junitid.Class(suite.TestID(id)), id}
		if unicode.IsUpper(first) {
			short := junitid.Syntax{}.Short(suite.TestID(id))
			names = []string{strings.TrimSuffix(short, "#"+junitid.Method(suite.TestID(id))), short}
		}
		for _, name := range names {
			if strings.HasPrefix(name, begun) && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
		if len(out) >= maxCompleted {
			break
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// completeModules completes folders with a file of Maven, Gradle or npm.
func completeModules(_ *cobra.Command, args []string, begun string) (out []string, _ cobra.ShellCompDirective) {
	dir := dirOf(args)
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // an unreadable folder has no module
		}
		rel, _ := filepath.Rel(dir, path)
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if rel != "." && (d.Name()[0] == '.' || notModules[d.Name()] || strings.Count(rel, "/") >= maxDepth) {
				return fs.SkipDir
			}
			return nil
		}
		at, _ := strings.CutSuffix(strings.TrimSuffix(rel, d.Name()), "/")
		if manifests[d.Name()] && at != "" && strings.HasPrefix(at, begun) && len(out) < maxCompleted {
			out = append(out, at)
		}
		return nil
	})
	slices.Sort(out)
	return slices.Compact(out), cobra.ShellCompDirectiveNoFileComp
}

// manifests are the files that make a folder a module.
var manifests = map[string]bool{"pom.xml": true, "build.gradle": true, "build.gradle.kts": true, "package.json": true}

// notModules are folders in which no module is.
var notModules = map[string]bool{"node_modules": true, "src": true, "target": true, "build": true}

// maxCompleted is how many values are completed.
const maxCompleted = 500

// dirOf is the folder that a command line names, or the current one.
func dirOf(args []string) string {
	if len(args) > 0 {
		return args[0]
	}
	return "."
}
