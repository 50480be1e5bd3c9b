package build

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// jacocoJar matches the file name of JaCoCo's agent.
var jacocoJar = regexp.MustCompile(`^org\.jacoco\.agent-(\d+)\.(\d+)\.(\d+).*\.jar$`)

// jacocoSilent is the first version of JaCoCo with an option to write nothing.
var jacocoSilent = []int{0, 6, 2}

// WithoutCoverageFile keeps JaCoCo's agent, so that tests load the same classes as in the build. It
// makes the agent write nothing when the JVM ends. odfix does not use the coverage, and a process
// that writes into the project's folder could not run at the same time as others. Other arguments
// do not change.
func WithoutCoverageFile(arg string) string {
	agent, ok := strings.CutPrefix(arg, "-javaagent:")
	if !ok {
		return arg
	}
	jar, options, _ := strings.Cut(agent, "=")
	if !canBeSilent(filepath.Base(jar)) {
		return arg
	}
	var kept []string
	for _, option := range strings.Split(options, ",") {
		switch name, _, _ := strings.Cut(option, "="); name {
		case "", "destfile", "append", "output", "address", "port", "classdumpdir":
		default:
			kept = append(kept, option)
		}
	}
	return "-javaagent:" + jar + "=" + strings.Join(append(kept, "output=none"), ",")
}

// QuickArgs returns the JVM arguments for a process whose results prove nothing. They leave out
// JaCoCo's agent, which would rewrite every loaded class.
func (l *Launch) QuickArgs() []string {
	return slices.DeleteFunc(slices.Clone(l.JVMArgs), func(arg string) bool {
		agent, ok := strings.CutPrefix(arg, "-javaagent:")
		jar, _, _ := strings.Cut(agent, "=")
		return ok && jacocoJar.MatchString(filepath.Base(jar))
	})
}

// canBeSilent reports whether the jar is a JaCoCo agent that supports output=none.
func canBeSilent(jar string) bool {
	m := jacocoJar.FindStringSubmatch(jar)
	if m == nil {
		return false
	}
	var version []int
	for _, part := range m[1:] {
		n, err := strconv.Atoi(part)
		if err != nil {
			return false
		}
		version = append(version, n)
	}
	return slices.Compare(version, jacocoSilent) >= 0
}
