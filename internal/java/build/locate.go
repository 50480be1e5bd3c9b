package build

import (
	"path/filepath"
)

// otherTools are files of build tools that odfix does not support.
var otherTools = map[string]string{"build.xml": "Ant", "BUILD.bazel": "Bazel", "build.sbt": "sbt"}

// NoProject is the error for a folder that belongs to no project of a build tool that odfix
// supports.
func NoProject(dir string) *Error {
	for d := dir; ; d = filepath.Dir(d) {
		for _, name := range SortedKeys(otherTools) {
			if Exists(filepath.Join(d, name)) {
				return &Error{Code: CodeNotYet, Message: dir + " is built by " + otherTools[name] + ", which odfix does not support yet",
					Hint: "odfix works on projects of Maven (pom.xml), of Gradle (build.gradle) and of Jest (package.json)."}
			}
		}
		if d == filepath.Dir(d) {
			return &Error{Code: CodeNoPom, Message: "there is no pom.xml, no build.gradle and no package.json in " + dir + " or above it",
				Hint: "Run odfix in a project of Maven, Gradle or Jest, or name its folder."}
		}
	}
}
