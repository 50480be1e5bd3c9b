package maven

import (
	"regexp"
	"slices"
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

// Harmful returns the arguments that must not be used from a report.
func Harmful(args []string) []string {
	return slices.DeleteFunc(slices.Clone(args), func(a string) bool {
		return slices.Contains(harmlessFlags, a) || harmlessValues.MatchString(a) ||
			harmlessProperty.MatchString(a) && !harmfulProperty.MatchString(a)
	})
}
