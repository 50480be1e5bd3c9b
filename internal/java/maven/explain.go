package maven

import (
	"regexp"
	"strings"
)

// symptom maps lines of a failed build to advice.
type symptom struct {
	code    string
	pattern *regexp.Regexp
	message string // $1 … are the pattern's groups
	hint    string
}

var fullDisk = regexp.MustCompile(`(?i)no space left on device|not enough space on the disk|disk quota exceeded`)

// symptoms are in the order of the search: causes before their consequences.
var symptoms = []symptom{
	{CodeDisk, fullDisk, "the disk is full", diskHint},
	{CodeJDKTooNew, regexp.MustCompile(`(Source|Target) option (\S+) is no longer supported\. Use (\S+) or later`),
		"this JDK cannot compile for Java $2 any more",
		"Build with an older JDK (JAVA_HOME), or raise the level: -Dmaven.compiler.source=$3 -Dmaven.compiler.target=$3 " +
			"where the pom does not fix it, else in the pom."},
	{CodeJDKTooNew, regexp.MustCompile(`release version (1\.)?([1-7]) not supported`),
		"this JDK cannot compile for Java $2 any more", "Build with an older JDK (JAVA_HOME), or raise maven.compiler.release."},
	{CodeJDKTooOld, regexp.MustCompile(`(?:invalid target release|invalid source release|release version|Fatal error compiling: error: invalid target release):? (\d[\d.]*)`),
		"this JDK is too old: the project is compiled for Java $1", "Build with JDK $1 or later (JAVA_HOME)."},
	{CodeJDKTooOld, regexp.MustCompile(`invalid flag: --(release|enable-preview|module-path|add-exports)`),
		"this JDK is too old: its compiler does not know --$1",
		"Build with a newer JDK (JAVA_HOME): --release and modules need 9, previews the very release they belong to."},
	{CodeJDKTooOld, regexp.MustCompile(`has been compiled by a more recent version of the Java Runtime.*class file version (\d+)`),
		"this JDK is too old: a plugin or dependency has class files of version $1", "Build with a newer JDK (JAVA_HOME)."},
	{CodeJDKTooNew, regexp.MustCompile(`(?:IllegalAccessError|NoSuchFieldError|ExceptionInInitializerError|InaccessibleObjectException).*(?:lombok|jdk\.compiler|com\.sun\.tools\.javac)`),
		"this JDK is too new for an annotation processor of the project",
		"Build with an older JDK (JAVA_HOME), or with a newer version of the processor (Lombok, as a rule)."},
	{CodeJDKTooNew, regexp.MustCompile(`Unsupported class file major version (\d+)`),
		"this JDK is too new for a plugin of the project (class file version $1)", "Build with an older JDK (JAVA_HOME)."},
	{CodeJDKTooNew, regexp.MustCompile(`Could not find artifact com\.sun:tools:jar`),
		"the project needs tools.jar, which JDKs have not had since Java 9", "Build with JDK 8 (JAVA_HOME), or remove that dependency."},
	{CodeJDKTooOld, regexp.MustCompile(`Detected JDK (?:V|v)ersion:? \S+ .*is not in the allowed range (\S+,\))`),
		"the project's enforcer refuses this JDK as too old; it requires $1", "Build with a JDK it allows (JAVA_HOME)."},
	{CodeJDKTooNew, regexp.MustCompile(`Detected JDK (?:V|v)ersion:? \S+ .*is not in the allowed range (\S+?)\.?$`),
		"the project's enforcer refuses this JDK; it wants $1", "Build with a JDK it allows (JAVA_HOME)."},
	{CodeModule, regexp.MustCompile(`Could not find the selected project in the reactor: (\S+)`),
		"the build has no module $1", "Name a module of the build."},
	{CodeNetwork, regexp.MustCompile(`Cannot access \S+ \(\S+\) in offline mode and the artifact (\S+)`),
		"Maven is offline and has never fetched $1",
		"Run the project's build once with a network, then odfix again; or leave out --offline."},
	{CodeNetwork, regexp.MustCompile(`(?i)(?:resolve|transfer|artifact) ?(\S+:\S+:\S+)?.*(?:Unknown host|Name or service not known|Temporary failure in name resolution|Network is unreachable|Connection (?:refused|timed out|reset)|No route to host|Connect to \S+ .*failed|Remote host terminated the handshake|status code: 407)`),
		"Maven could not reach a repository that the build needs",
		"Check the network and the proxy in Maven's settings; or run the project's build once with a network, then odfix with --offline."},
	{CodeNetwork, regexp.MustCompile(`(?:Could not (?:find|transfer) artifact|The following artifacts could not be resolved:) (\S+?)(?: \(absent\))?:?(?: |$)`),
		"Maven could not resolve $1", "Check that the repository that has it is reachable and in your settings."},
	{CodeNetwork, regexp.MustCompile(`(?:wget|curl): |org\.apache\.maven\.wrapper\.|org/apache/maven/wrapper|Failed to fetch .*apache-maven`),
		"the project's mvnw could not fetch its Maven",
		"Run ./mvnw -v once with a network; or fix distributionUrl in .mvn/wrapper/maven-wrapper.properties."},
	{CodeNetwork, regexp.MustCompile(`Could not resolve dependencies`),
		"Maven could not resolve the project's dependencies",
		"Check that the repositories that have them are reachable and in your settings."},
	{CodeJDKTooNew, regexp.MustCompile(`package (javax\.(?:annotation|xml\.bind|xml\.soap|xml\.ws|jws|activation|transaction)(?:\.\w+)*|org\.omg\.\S+) does not exist`),
		"the project uses $1, which JDKs have not had since Java 11", "Build with JDK 8 (JAVA_HOME), or add the library that has it."},
	{CodeJDKTooNew, regexp.MustCompile(`Fatal error compiling: java\.lang\.\S+: java\.lang\.(NoSuchFieldException|NoSuchFieldError|NoSuchMethodError|IllegalAccessError)`),
		"this JDK is too new for the compiler or an annotation processor of the project ($1)", "Build with an older JDK (JAVA_HOME)."},
	{CodeBroken, regexp.MustCompile(`COMPILATION ERROR`),
		"the project does not compile", "Fix the compiler's errors first; `mvn test-compile` shows them too."},
	{CodeBroken, regexp.MustCompile(`Non-(?:parseable|readable) POM|Malformed POM|Some problems were encountered while processing the POMs|The project \S+ \(\S+\) has \d+ error`),
		"Maven cannot read the project's pom", "Fix the pom."},
	{CodeNoMaven, regexp.MustCompile(`JAVA_HOME (?:environment variable )?is not defined correctly|The JAVA_HOME environment variable is not defined|No Java runtime present`),
		"Maven finds no JDK", "Set JAVA_HOME to a JDK."},
	{CodeBroken, regexp.MustCompile(`^java\.lang\.StackOverflowError`),
		"the Java compiler ran out of stack",
		"Set MAVEN_OPTS=-Xss8m, or write -Xss8m into the project's .mvn/jvm.config."},
	{CodeBroken, regexp.MustCompile(`^java\.lang\.OutOfMemoryError`),
		"the build ran out of memory",
		"Set MAVEN_OPTS=-Xmx2g, or write -Xmx2g into the project's .mvn/jvm.config."},
}

// Bounds of the search for symptoms: lines from each end, bytes of a line.
const (
	maxLooked  = 300
	maxSymptom = 2 << 10
)

// explain turns the output of a failed build into an error for people.
func explain(o *output, log string) *Error {
	errs := o.Errors()
	lines := append(append([]string(nil), errs[:min(len(errs), maxLooked)]...), strings.Split(o.Tail(maxLooked), "\n")...)
	for _, s := range symptoms {
		for _, line := range lines {
			line = line[:min(len(line), maxSymptom)]
			if m := s.pattern.FindStringSubmatchIndex(line); m != nil {
				expand := func(t string) string { return string(s.pattern.ExpandString(nil, t, line, m)) }
				return &Error{Code: s.code, Message: expand(s.message), Hint: expand(s.hint), Detail: detail(errs, o)}
			}
		}
	}
	e := &Error{Code: CodeBroken, Message: "the project's build fails", Detail: detail(errs, o),
		Hint: "Fix the build first; all it printed is in " + log}
	if m := failedGoal.FindStringSubmatch(strings.Join(errs, "\n")); m != nil {
		e.Message = "the project's build fails in " + m[1]
	}
	return e
}

var failedGoal = regexp.MustCompile(`Failed to execute goal \S*?([\w.-]+:[\w.-]+:[\w.-]+) `)

// maxDetail bounds the lines shown to people.
const maxDetail = 40

var helpLink = regexp.MustCompile(`\s*-> \[Help \d+\]$`)

var noise = regexp.MustCompile(`^\s*$|^\[Help \d+\]|re-run Maven|Re-run Maven|For more information about the errors|To see the full stack trace|^After correcting the problems|mvn <args> -rf`)

// detail returns each error line once, without noise. Without error lines, it returns the end of
// the output.
func detail(errs []string, o *output) string {
	var out []string
	seen := map[string]bool{}
	for _, e := range errs {
		e = helpLink.ReplaceAllString(e, "")
		if seen[e] || noise.MatchString(e) {
			continue
		}
		seen[e] = true
		if len(out) == maxDetail {
			out = append(out, "…")
			break
		}
		out = append(out, e)
	}
	if len(out) == 0 {
		return o.Tail(maxDetail)
	}
	return strings.Join(out, "\n")
}
