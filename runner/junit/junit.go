// Package junit carries the JVM side of odfix inside the Go binary: the jars
// built from this folder's Maven modules, which `make jars` builds into dist/, and
// a script for Gradle.
package junit

import (
	"embed"
	"fmt"

	"github.com/odfix/odfix/internal/wholefile"
)

//go:embed all:dist
var dist embed.FS

//go:embed gradle/record.gradle
var gradleRecord []byte

// The jars, and the init script of Gradle.
const (
	Harness   = "odfix-harness.jar"   // comes after the project's test class path
	Launch    = "odfix-launch.jar"    // goes into the project's Maven as a core extension
	State     = "odfix-state.jar"     // an agent of the project's test JVM where static state is observed
	Workbench = "odfix-workbench.jar" // runs in a JVM of our own

	GradleRecord = "odfix-record.gradle" // goes into the project's Gradle as an init script
)

// Unpack makes the named jar or script available as a file below dir and returns its
// absolute path. The name holds a digest of the content, so that several
// versions of odfix may share the folder; an existing file is left alone.
func Unpack(dir, name string) (string, error) {
	data := gradleRecord
	if name != GradleRecord {
		var err error
		if data, err = dist.ReadFile("dist/" + name); err != nil {
			return "", fmt.Errorf("this odfix was built without %s: run `make build`", name)
		}
	}
	path, err := wholefile.ByContent(dir, name, data)
	if err != nil {
		return "", fmt.Errorf("unpacking %s: %w", name, err)
	}
	return path, nil
}
