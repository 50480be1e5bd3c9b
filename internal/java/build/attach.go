package build

import (
	"path/filepath"
	"slices"
	"strings"
)

// AttachesItself reports whether tests may load an agent into their own JVM, as mocking libraries
// do, mostly through Byte Buddy. On Linux, the library then creates a short-lived file in the JVM's
// working directory, which would look like a file that a test writes. A JVM that listens from its
// start needs no such file.
func (l *Launch) AttachesItself() bool {
	return slices.ContainsFunc(slices.Concat(l.ClassPath, l.Modules.Path), func(path string) bool {
		name := filepath.Base(path)
		return strings.HasSuffix(name, ".jar") && (strings.HasPrefix(name, "byte-buddy-agent-") || strings.HasPrefix(name, "jmockit-"))
	})
}
