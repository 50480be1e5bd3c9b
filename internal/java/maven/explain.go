package maven

import (
	"regexp"

	"github.com/odfix/odfix/internal/java/build"
)

// messages is how Maven says what went wrong.
var messages = &build.Messages{
	ErrorLine: errorLine, Symptoms: symptoms,
	Failed: []*regexp.Regexp{regexp.MustCompile(`Failed to execute goal \S*?([\w.-]+:[\w.-]+:[\w.-]+) `)},
	Noise: regexp.MustCompile(`^\s*$|^\[Help \d+\]|re-run Maven|Re-run Maven|For more information about the errors|` +
		`To see the full stack trace|^After correcting the problems|mvn <args> -rf|^\s*at [\w.$/@-]+\.[\w$<>-]+\([^()]*\)$|^\s*\.\.\. \d+ more$`),
	Tail: regexp.MustCompile(`\s*-> \[Help \d+\]$`),
}

var symptoms = []build.Symptom{
	build.FullDisk,
	build.On(build.CodeJDKTooNew, `(Source|Target) option (\S+) is no longer supported\. Use (\S+) or later`,
		"this JDK cannot compile for Java $2 any more",
		"Build with an older JDK (JAVA_HOME), or raise the level: -Dmaven.compiler.source=$3 -Dmaven.compiler.target=$3 "+
			"where the pom does not fix it, else in the pom."),
	build.On(build.CodeJDKTooNew, `release version (1\.)?([1-7]) not supported`,
		"this JDK cannot compile for Java $2 any more", "Build with an older JDK (JAVA_HOME), or raise maven.compiler.release."),
	build.On(build.CodeJDKTooOld, `(?:invalid target release|invalid source release|release version|Fatal error compiling: error: invalid target release):? (\d[\d.]*)`,
		"this JDK is too old: the project is compiled for Java $1", "Build with JDK $1 or later (JAVA_HOME)."),
	build.On(build.CodeJDKTooOld, `invalid flag: --(release|enable-preview|module-path|add-exports)`,
		"this JDK is too old: its compiler does not know --$1",
		"Build with a newer JDK (JAVA_HOME): --release and modules need 9, previews the very release they belong to."),
	build.On(build.CodeJDKTooOld, `invalid flag: (-\S+)`,
		"the compiler of this JDK does not know $1", "Build with a newer JDK (JAVA_HOME), or remove it from the pom."),
	build.On(build.CodeJDKTooOld, `^Unrecognized option: ([^\s']+)`,
		"this JDK does not know the option $1, so Maven does not start",
		"Build with a newer JDK (JAVA_HOME); or remove the option: it is in .mvn/jvm.config, MAVEN_OPTS or JDK_JAVA_OPTIONS."),
	build.On(build.CodeBroken, `^Unrecognized VM option '?([^\s']+)`,
		"this JDK does not know the option $1, so Maven does not start",
		"Remove the option, which is in .mvn/jvm.config, MAVEN_OPTS or JDK_JAVA_OPTIONS; or build with the JDK that it is for (JAVA_HOME)."),
	build.On(build.CodeJDKTooOld, `has been compiled by a more recent version of the Java Runtime.*class file version (\d+)`,
		"this JDK is too old: a plugin or dependency has class files of version $1", "Build with a newer JDK (JAVA_HOME)."),
	build.On(build.CodeJDKTooNew, `(?:IllegalAccessError|NoSuchFieldError|ExceptionInInitializerError|InaccessibleObjectException).*(?:lombok|jdk\.compiler|com\.sun\.tools\.javac)`,
		"this JDK is too new for an annotation processor of the project",
		"Build with an older JDK (JAVA_HOME), or with a newer version of the processor (Lombok, as a rule)."),
	build.On(build.CodeJDKTooNew, `Unsupported class file major version (\d+)`,
		"this JDK is too new for a plugin of the project (class file version $1)", "Build with an older JDK (JAVA_HOME)."),
	build.On(build.CodeJDKTooNew, `Could not find artifact com\.sun:tools:jar`,
		"the project needs tools.jar, which JDKs have not had since Java 9", "Build with JDK 8 (JAVA_HOME), or remove that dependency."),
	build.On(build.CodeJDKTooOld, `Detected JDK (?:V|v)ersion:? \S+ .*is not in the allowed range (\S+,\))`,
		"the project's enforcer refuses this JDK as too old; it requires $1", "Build with a JDK it allows (JAVA_HOME)."),
	build.On(build.CodeJDKTooNew, `Detected JDK (?:V|v)ersion:? \S+ .*is not in the allowed range (\S+?)\.?$`,
		"the project's enforcer refuses this JDK; it wants $1", "Build with a JDK it allows (JAVA_HOME)."),
	build.On(build.CodeModule, `Could not find the selected project in the reactor: (\S+)`,
		"the build has no module $1", "Name a module of the build."),
	build.On(build.CodeNetwork, `in offline mode and the artifact (org\.apache\.maven\.\S+:2\.12\.4)`,
		"Maven is offline and has never fetched $1, which odfix needs to run the tests",
		"Run odfix once with a network."),
	build.On(build.CodeNetwork, `Cannot access \S+ \(\S+\) in offline mode and the artifact (\S+)`,
		"Maven is offline and has never fetched $1",
		"Run the project's build once with a network, then odfix again; or leave out --offline."),
	build.On(build.CodeNetwork, `(?i)(?:resolve|transfer|artifact) ?(\S+:\S+:\S+)?.*(?:Unknown host|Name or service not known|Temporary failure in name resolution|Network is unreachable|Connection (?:refused|timed out|reset)|No route to host|Connect to \S+ .*failed|Remote host terminated the handshake|status code: 407)`,
		"Maven could not reach a repository that the build needs",
		"Check the network and the proxy in Maven's settings; or run the project's build once with a network, then odfix with --offline."),
	build.On(build.CodeNetwork, `(?:Could not (?:find|transfer) artifact|The following artifacts could not be resolved:) (\S+?)(?: \(absent\))?:?(?: |$)`,
		"Maven could not resolve $1", "Check that the repository that has it is reachable and in your settings."),
	build.On(build.CodeNetwork, `(?:wget|curl): |org\.apache\.maven\.wrapper\.|org/apache/maven/wrapper|Failed to fetch .*apache-maven`,
		"the project's mvnw could not fetch its Maven",
		"Run ./mvnw -v once with a network; or fix distributionUrl in .mvn/wrapper/maven-wrapper.properties."),
	build.On(build.CodeNetwork, `Could not resolve dependencies`,
		"Maven could not resolve the project's dependencies",
		"Check that the repositories that have them are reachable and in your settings."),
	build.On(build.CodeJDKTooNew, `package (javax\.(?:annotation|xml\.bind|xml\.soap|xml\.ws|jws|activation|transaction)(?:\.\w+)*|org\.omg\.\S+) does not exist`,
		"the project uses $1, which JDKs have not had since Java 11", "Build with JDK 8 (JAVA_HOME), or add the library that has it."),
	build.On(build.CodeJDKTooNew, `NoClassDefFoundError: (javax/(?:annotation/(?:Generated|PostConstruct|PreDestroy|Resource)|xml/bind|xml/soap|xml/ws|jws|activation)\S*)`,
		"the build needs the class $1, which JDKs have not had since Java 11",
		"Build with JDK 8 (JAVA_HOME), or with newer versions of the plugins and processors that use it."),
	build.On(build.CodeJDKTooNew, `Fatal error compiling: java\.lang\.\S+: java\.lang\.(NoSuchFieldException|NoSuchFieldError|NoSuchMethodError|IllegalAccessError)`,
		"this JDK is too new for the compiler or an annotation processor of the project ($1)", "Build with an older JDK (JAVA_HOME)."),
	build.On(build.CodeBroken, `COMPILATION ERROR`,
		"the project does not compile", "Fix the compiler's errors first; `mvn test-compile` shows them too."),
	build.On(build.CodeBroken, `Non-(?:parseable|readable) POM|Malformed POM|Some problems were encountered while processing the POMs|The project \S+ \(\S+\) has \d+ error`,
		"Maven cannot read the project's pom", "Fix the pom."),
	build.On(build.CodeNoTool, `JAVA_HOME (?:environment variable )?is not defined correctly|The JAVA_HOME environment variable is not defined|No Java runtime present`,
		"Maven finds no JDK", "Set JAVA_HOME to a JDK."),
	build.On(build.CodeBroken, `^java\.lang\.StackOverflowError`,
		"the Java compiler ran out of stack",
		"Set MAVEN_OPTS=-Xss8m, or write -Xss8m into the project's .mvn/jvm.config."),
	build.On(build.CodeBroken, `^java\.lang\.OutOfMemoryError`,
		"the build ran out of memory",
		"Set MAVEN_OPTS=-Xmx2g, or write -Xmx2g into the project's .mvn/jvm.config."),
}

// unmarked are errors without a mark: of javac for want of memory, and of a JVM that does not start.
var unmarked = regexp.MustCompile(`^java\.lang\.(?:StackOverflowError|OutOfMemoryError)\b|^Unrecognized (?:VM )?option`)

var errorPrefix = regexp.MustCompile(`^(?:[\d:.,TZ/+-]+ ){0,2}\[?(?:ERROR|FATAL)\]?[ :]\s?(.*)$`)

// errorLine strips the mark of an error line. The usual format is "[ERROR] x". If the project
// configures the logger, it may be "ERROR x" or begin with a time stamp. When javac was short of memory,
// Maven reports any warning as the error.
func errorLine(s string) (string, bool) {
	if unmarked.MatchString(s) {
		return s, true
	}
	m := errorPrefix.FindStringSubmatch(s)
	if m == nil {
		return "", false
	}
	return m[1], true
}
