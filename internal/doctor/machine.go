package doctor

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
)

// JDK is a folder with bin/java.
type JDK struct {
	Home    string
	Version string // such as 17.0.13; empty: not known
	Javac   bool
	Used    string // why odfix uses this one; empty: it does not
}

var javaVersion = regexp.MustCompile(`(?m)^JAVA_VERSION="?([^"\r\n]+)`)

// FindJDKs looks for JDKs in the folders where installers put them. javaHome is JAVA_HOME, or empty;
// inPath is the program java in PATH, or empty. The one that odfix uses is the first.
func FindJDKs(userHome, javaHome, inPath string) []JDK {
	var out []JDK
	add := func(home, used string) {
		real, err := filepath.EvalSymlinks(home)
		if err != nil || !isFile(filepath.Join(real, "bin", "java")) ||
			slices.ContainsFunc(out, func(j JDK) bool { return j.Home == real }) {
			return
		}
		release, _ := os.ReadFile(filepath.Join(real, "release"))
		j := JDK{Home: real, Used: used, Javac: isFile(filepath.Join(real, "bin", "javac"))}
		if m := javaVersion.FindSubmatch(release); m != nil {
			j.Version = string(m[1])
		}
		out = append(out, j)
	}
	if javaHome != "" {
		add(javaHome, "JAVA_HOME")
	}
	if real, err := filepath.EvalSymlinks(inPath); inPath != "" && err == nil {
		used := ""
		if len(out) == 0 {
			used = "PATH"
		}
		add(filepath.Dir(filepath.Dir(real)), used)
	}
	for _, pattern := range []string{"/usr/lib/jvm/*", "/usr/java/*", "/opt/java/*", "/Library/Java/JavaVirtualMachines/*/Contents/Home",
		filepath.Join(userHome, ".sdkman/candidates/java/*"), filepath.Join(userHome, ".jdks/*"),
		filepath.Join(userHome, "Library/Java/JavaVirtualMachines/*/Contents/Home")} {
		homes, _ := filepath.Glob(pattern)
		for _, home := range homes {
			add(home, "")
		}
	}
	return out
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// JDKs checks the JDKs of this machine. needed: nothing works without one.
func JDKs(list []JDK, needed bool) Finding {
	const what, fix = "JDK", "Install a JDK, 17 or later, and set JAVA_HOME to it."
	var names []string
	for _, j := range list {
		name := cmp.Or(j.Version, "unknown version") + " at " + j.Home
		if j.Used != "" {
			name += " (used, from " + j.Used + ")"
		}
		names = append(names, name)
	}
	detail := strings.Join(names, "; ")
	grade := Warning
	if needed {
		grade = Bad
	}
	switch {
	case len(list) == 0:
		return Finding{what, grade, "none found; projects of Maven and Gradle need one", fix}
	case list[0].Used == "":
		return Finding{what, grade, "neither JAVA_HOME nor PATH leads to one; found: " + detail, "Set JAVA_HOME to one of them."}
	case !list[0].Javac:
		return Finding{what, grade, "the one in use has no javac, so it cannot compile tests: " + detail, fix}
	}
	return good(what, detail)
}

// Cache checks the size of the folder that odfix keeps between jobs.
func Cache(dir string, size, limit int64, err error) Finding {
	const what = "cache"
	if err != nil {
		return bad(what, err.Error(), "Correct that: jobs end with the same error.")
	}
	return good(what, fmt.Sprintf("%s in %s; each job cleans it down to %s", humanize.Bytes(uint64(size)), dir, humanize.IBytes(uint64(limit))))
}
