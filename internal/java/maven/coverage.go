package maven

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// jacocoJar is the name under which Maven gives JaCoCo's agent to a test JVM.
var jacocoJar = regexp.MustCompile(`^org\.jacoco\.agent-(\d+)\.(\d+)\.(\d+).*\.jar$`)

// jacocoSilent is the first JaCoCo with an option to write nothing.
var jacocoSilent = []int{0, 6, 2}

// withoutCoverageFile keeps JaCoCo's agent, and so the classes as the build's tests load them, but
// has it write nothing when the JVM ends. Coverage of a question is not used, and a process that
// writes into the project's folder could not run beside others. Other arguments stay as they are.
func withoutCoverageFile(arg string) string {
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

// QuickArgs are the JVM arguments for a process whose results are no proof: they leave out JaCoCo's
// agent, which would rewrite every class that is loaded.
func (l *Launch) QuickArgs() []string {
	return slices.DeleteFunc(slices.Clone(l.JVMArgs), func(arg string) bool {
		agent, ok := strings.CutPrefix(arg, "-javaagent:")
		jar, _, _ := strings.Cut(agent, "=")
		return ok && jacocoJar.MatchString(filepath.Base(jar))
	})
}

// canBeSilent reports whether the jar is an agent of JaCoCo's that knows output=none.
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
