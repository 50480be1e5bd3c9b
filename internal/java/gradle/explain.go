package gradle

import (
	"regexp"
	"strings"

	"github.com/odfix/odfix/internal/java/build"
)

// messages is how Gradle says what went wrong. The reason stands between "* What went wrong:" and
// "* Try:", as lines without a mark.
var messages = &build.Messages{
	ErrorLine: errorLine, Symptoms: symptoms,
	Failed: []*regexp.Regexp{regexp.MustCompile(`Execution failed for task '(:[^']+)'`), regexp.MustCompile(`problem occurred (?:evaluating|configuring) (.+?)\.?(?:\n|$)`)},
	Noise:  regexp.MustCompile(`^\s*$|^> Compilation failed; see the compiler error output`),
}

var symptoms = []build.Symptom{
	build.FullDisk,
	build.On(build.CodeNoTool, `JAVA_HOME is set to an invalid directory|JAVA_HOME is not set and no 'java' command`,
		"Gradle finds no JDK", "Set JAVA_HOME to a JDK."),
	build.On(build.CodeJDKTooNew, `Unsupported class file major version (\d+)|Could not determine java version from '([^']+)'`,
		"this JDK is too new for this version of Gradle, or for a plugin of the project", "Build with an older JDK (JAVA_HOME)."),
	build.On(build.CodeJDKTooNew, `(?:Source|Target) option (\S+) is no longer supported`,
		"this JDK cannot compile for Java $1 any more", "Build with an older JDK (JAVA_HOME), or raise sourceCompatibility."),
	build.On(build.CodeJDKTooNew, `release version (1\.)?([1-7]) not supported`,
		"this JDK cannot compile for Java $2 any more", "Build with an older JDK (JAVA_HOME), or raise the release of the build."),
	build.On(build.CodeJDKTooOld, `(?:invalid target release|invalid source release|release version):? (\d[\d.]*)`,
		"this JDK is too old: the project is compiled for Java $1", "Build with JDK $1 or later (JAVA_HOME)."),
	build.On(build.CodeJDKTooOld, `has been compiled by a more recent version of the Java Runtime|Gradle requires JVM \d+ or later|requires Java \d+ or later`,
		"this JDK is too old for this version of Gradle, or for a plugin of the project", "Build with a newer JDK (JAVA_HOME)."),
	build.On(build.CodeBroken, `Compilation (?:failed; see|error)|Compilation error. See log`,
		"the project does not compile", "Fix the compiler's errors first; the task testClasses shows them too."),
	build.On(build.CodeJavaMissing, `(?:No matching toolchains found for|Cannot find a Java installation on your machine).*?\{(.*?)\}`,
		"the build asks for a JDK that is not here ($1)",
		"Install it, or name its folder: odfix fix -- -Porg.gradle.java.installations.paths=FOLDER."),
	build.On(build.CodeNetwork, `No cached version of (\S+) available for offline mode`,
		"Gradle is offline and has never fetched $1",
		"Run the project's build once with a network, then odfix again; or leave out --offline."),
	build.On(build.CodeNetwork, `Exception in thread "main" java\.(?:io|net)\.\S+|Downloading from \S+ failed|org\.gradle\.wrapper\.`,
		"the project's gradlew could not fetch its Gradle",
		"Run ./gradlew -v once with a network; or fix distributionUrl in gradle/wrapper/gradle-wrapper.properties. "+
			"Jobs of the GitHub App use the distributions of --gradle-home."),
	build.On(build.CodeNetwork, `^\s*(?:> )?(\S+): (?:Name or service not known|Temporary failure in name resolution|nodename nor servname provided)|`+
		`Connect to (\S+) .*(?:failed|refused|timed out)|(?:No route to host|Network is unreachable|Connection (?:refused|timed out|reset))`,
		"Gradle could not reach a repository that the build needs",
		"Check the network and the proxy in Gradle's settings; or run the project's build once with a network, then odfix with --offline."),
	build.On(build.CodeNetwork, `Plugin \[id: '([^']+)'.*was not found`,
		"Gradle could not resolve the plugin $1", "Check that the repository that has it is reachable and in pluginManagement."),
	build.On(build.CodeNetwork, `Could not (?:find|resolve|GET) '?([^\s']+:[^\s']+?)'?\.?$`,
		"Gradle could not resolve $1", "Check that the repository that has it is reachable and in the build."),
	build.On(build.CodeModule, `[Pp]roject '([^']+)' not found in (?:root )?project`,
		"the build has no project $1", "Name a project of the build."),
	build.On(build.CodeNoTests, `[Tt]ask '(?:\S*:)?test' not found in (?:root )?project '([^']+)'`,
		"the project $1 has no task test", "Name the project that tests with JUnit: with --module, or by its folder."),
	build.On(build.CodeBroken, `java\.lang\.OutOfMemoryError`,
		"the build ran out of memory", "Give Gradle more: odfix fix -- -Dorg.gradle.jvmargs=-Xmx2g."),
}

// Lines that belong to the reason of a failure, without the task that Gradle 4 prints before them,
// and the mark in front.
var errorMark = regexp.MustCompile(`^(?:(?::[\w:.-]+?)?((?:/|\w:)\S*\.(?:java|kt|groovy|gradle|kts):\d+: .*|(?:e|error): .*)|` +
	`\s*> (.*)|((?:Could not|Execution failed|A problem|\s+build file '|Project '|Task '|Plugin \[|Build file|Settings file|Cannot locate|Exception in thread).*))$`)

// errorLine returns a line that belongs to the reason of a failure.
func errorLine(line string) (string, bool) {
	m := errorMark.FindStringSubmatch(line)
	if m == nil || strings.HasPrefix(line, "> Task ") || strings.HasPrefix(line, "> Configure ") {
		return "", false
	}
	return m[1] + m[2] + m[3], true
}
