package main

import (
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/java"
	"github.com/odfix/odfix/internal/java/gradle"
	"github.com/odfix/odfix/internal/java/maven"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/shell"
)

// toolArgs decides which arguments verify passes to the build tool: those of the command line, or
// else those with which the report was made. The note names the report's arguments, if there are
// any.
func (v *verify) toolArgs(report string, j job.Job) (args []string, note string, err error) {
	given, reported := j.BuildArgs, j.Report.Project.BuildArgs
	tool, harmful := "Maven", maven.Harmful
	if j.BuildTool == job.Gradle || j.BuildTool == "" && java.OfGradle(j.Dir) {
		tool, harmful = "Gradle", gradle.Harmful
	}
	switch {
	case len(reported) == 0 || slices.Equal(given, reported):
		return given, "", nil
	case len(given) > 0:
		return given, tool + " gets " + shell.Line(given...) + ", instead of " + shell.Line(reported...) +
			" with which the report was made.", nil
	case v.ownArgs:
		return nil, tool + " does not receive " + shell.Line(reported...) + ", with which the report was made.", nil
	}
	if bad := harmful(reported); len(bad) > 0 {
		var flags []string
		for _, a := range reported {
			flags = append(flags, "--build-arg "+shell.Quote(a))
		}
		return nil, "", usage("If you trust where the report comes from, give them yourself: odfix verify "+
			shell.Quote(report)+" "+strings.Join(flags, " ")+
			"\n→ To do without the report's arguments: --no-report-args",
			"the report passes %s to %s, which can make it run programs or read settings of the report's choosing",
			shell.Line(bad...), tool)
	}
	return reported, tool + " gets " + shell.Line(reported...) +
		", as in the report; --build-arg passes others, --no-report-args none.", nil
}
