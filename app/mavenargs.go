package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/shell"
)

// A report contains arguments for Maven, and a report may come from an untrusted source. Some
// arguments make a build run programs or read other settings. These are only used if the command
// line repeats them.
var (
	harmlessFlags = []string{
		"-B", "--batch-mode", "-q", "--quiet", "-e", "--errors", "-X", "--debug", "-o", "--offline", "-U", "--update-snapshots",
		"-nsu", "--no-snapshot-updates", "-ntp", "--no-transfer-progress", "-C", "--strict-checksums", "-c", "--lax-checksums",
		"-V", "--show-version",
	}
	// Profiles and modules of the checkout's own poms; numbers of threads.
	harmlessValues = regexp.MustCompile(`^(-P|-T|--activate-profiles=|--threads=)[!?+A-Za-z0-9_.,-]+$`)
	// A property whose value contains nothing that could be a path, an option or an expression.
	harmlessProperty = regexp.MustCompile(`^-D[A-Za-z0-9_.-]+(=[A-Za-z0-9_.]*)?$`)
	// Properties that decide what runs, and from where.
	harmfulProperty = regexp.MustCompile(`(?i)^-D(maven\.(ext|repo|home|conf|user|multi)|arg-?line|.*jvm|.*executable|.*command|.*java\.?home|.*url|.*goals?\b)`)
)

// harmful returns the arguments that must not be used from a report.
func harmful(args []string) []string {
	return slices.DeleteFunc(slices.Clone(args), func(a string) bool {
		return slices.Contains(harmlessFlags, a) || harmlessValues.MatchString(a) ||
			harmlessProperty.MatchString(a) && !harmfulProperty.MatchString(a)
	})
}

// mavenArgs decides which arguments verify passes to Maven: those of the command line, or else
// those with which the report was made. The note names the report's arguments, if there are any.
func (v *verify) mavenArgs(report string, given, reported []string) (args []string, note string, err error) {
	switch {
	case len(reported) == 0 || slices.Equal(given, reported):
		return given, "", nil
	case len(given) > 0:
		return given, "Maven gets " + shell.Line(given...) + ", instead of " + shell.Line(reported...) +
			" with which the report was made.", nil
	case v.ownArgs:
		return nil, "Maven does not receive " + shell.Line(reported...) + ", with which the report was made.", nil
	}
	if bad := harmful(reported); len(bad) > 0 {
		var flags []string
		for _, a := range reported {
			flags = append(flags, "--build-arg "+shell.Quote(a))
		}
		return nil, "", usage("If you trust where the report comes from, give them yourself: odfix verify "+
			shell.Quote(report)+" "+strings.Join(flags, " ")+
			"\n→ To do without the report's arguments: --no-report-args",
			"the report passes %s to Maven, which can make it run programs or read settings of the report's choosing",
			shell.Line(bad...))
	}
	return reported, "Maven gets " + shell.Line(reported...) +
		", as in the report; --build-arg passes others, --no-report-args none.", nil
}
