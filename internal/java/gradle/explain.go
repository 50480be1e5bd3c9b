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
	build.On(build.CodeJDKTooOld, `(?:invalid target release|invalid source release|release version):? (\d[\d.]*)`,
		"this JDK is too old: the project is compiled for Java $1", "Build with JDK $1 or later (JAVA_HOME)."),
	build.On(build.CodeJDKTooOld, `has been compiled by a more recent version of the Java Runtime|Gradle requires JVM (\d+) or later|requires Java (\d+) or later`,
		"this JDK is too old for this version of Gradle, or for a plugin of the project", "Build with a newer JDK (JAVA_HOME)."),
	build.On(build.CodeJavaMissing, `No matching toolchains found for requested specification: \{(.*?)\}|Cannot find a Java installation on your machine .*?matching(?: this tasks requirements)?: \{(.*?)\}`,
		"the build asks for a JDK that is not here ($1$2)", "Install it, or give Gradle its folder: -- -Porg.gradle.java.installations.paths=FOLDER."),
	build.On(build.CodeNetwork, `No cached version of (\S+) available for offline mode`,
		"Gradle is offline and has never fetched $1", "Run the project's build once with a network, then odfix again; or leave out --offline."),
	build.On(build.CodeNetwork, `java\.net\.(?:UnknownHostException|ConnectException|SocketException|SocketTimeoutException|NoRouteToHostException).*|Exception in thread "main" java\.io\.IOException: Downloading from (\S+) failed`,
		"the project's gradlew could not fetch its Gradle, or Gradle could not reach a repository",
		"Run ./gradlew -v once with a network; or fix distributionUrl in gradle/wrapper/gradle-wrapper.properties."),
	build.On(build.CodeNetwork, `Plugin \[id: '([^']+)'.*was not found`,
		"Gradle could not resolve the plugin $1", "Check that the repository that has it is reachable and in pluginManagement."),
	build.On(build.CodeNetwork, `Could not (?:find|resolve|GET) '?([^\s']+?)'?\.?$`,
		"Gradle could not resolve $1", "Check that the repository that has it is reachable and in the build."),
	build.On(build.CodeModule, `Project '([^']+)' not found in root project`,
		"the build has no project $1", "Name a project of the build."),
	build.On(build.CodeNoTests, `Task '(test)' not found in (?:root )?project '?([^'.]*)`,
		"the project $2 has no task test", "odfix works on projects that test with JUnit; name the project that does with --module."),
	build.On(build.CodeBroken, `Compilation failed; see the compiler error output`,
		"the project does not compile", "Fix the compiler's errors first; `gradle testClasses` shows them too."),
	build.On(build.CodeBroken, `java\.lang\.OutOfMemoryError`,
		"the build ran out of memory", "Give Gradle more: -- -Dorg.gradle.jvmargs=-Xmx2g."),
}

var errorMark = regexp.MustCompile(`^(?:> |\s+> |FAILURE: |e: |error: )|^\S+\.(?:java|kt|groovy|gradle|kts):\d+: |^(?:Could not|Execution failed|A problem occurred|Project '|Task '|Plugin \[|Build file|Settings file|\s+(?:Required by|Searched in))`)

// errorLine returns a line that belongs to the reason of a failure.
func errorLine(line string) (string, bool) {
	if !errorMark.MatchString(line) || strings.HasPrefix(line, "> Task ") || strings.HasPrefix(line, "> Configure ") ||
		strings.HasPrefix(line, "FAILURE: Build failed") {
		return "", false
	}
	return strings.TrimPrefix(strings.TrimSpace(line), "> "), true
}
