// Package maven finds out how a project compiles and launches its tests. It asks Maven itself.
// odfix can then launch the tests thousands of times in the same way without Maven.
//
// An extension of Maven (runner/junit/launch) records the configured mojos of one real run; see
// Project.Record. odfix guesses nothing from the pom.
package maven

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/java/build"
	"github.com/odfix/odfix/runner/junit"
)

// Project is one checkout of Maven and its private copy. Its methods are not safe for concurrent
// use, except TestCompile on different folders.
type Project struct {
	*build.Workspace
	module string // chosen module, relative to the reactor root; "" for all modules or the only one
	maven  mavenTool
	alone  bool   // the module is built in its own folder, because the reactor root does not list it
	phase  string // the build phase that must run before tests can be compiled: "test" or "package"
}

// outputs are the folders that Maven builds into.
var outputs = build.Outputs{
	Is: func(dir string) bool {
		return filepath.Base(dir) == "target" && build.Exists(filepath.Join(filepath.Dir(dir), "pom.xml"))
	},
	Classes: []string{"classes", "test-classes"},
	Other:   []string{"surefire-reports", "failsafe-reports", "site", "apidocs", "surefire"},
	Reports: []string{"surefire-reports"},
}

// Open finds the project around opts.Dir and locks a copy of it. Errors for people are of type
// *build.Error.
func Open(ctx context.Context, opts build.Options) (*Project, error) {
	at, err := build.Locate(opts.Dir, locate)
	if err != nil {
		return nil, err
	}
	w, err := build.Open(ctx, opts, at, outputs)
	if err != nil {
		return nil, err
	}
	p := &Project{Workspace: w, phase: "test"}
	modules := p.modules()
	if p.module, err = p.ChooseModule(ctx, forChoice(modules), scansDependencies(at.Root, modules)); err == nil {
		p.maven, err = p.findMaven()
	}
	if err != nil {
		_ = p.Close()
		return nil, err
	}
	return p, nil
}

// Name is the build tool's name, for people.
func (p *Project) Name() string { return "Maven" }

// Tool names the build tool and its version where known, for people.
func (p *Project) Tool() string { return p.maven.String() }

// mavenTool is the project's own mvnw, or the mvn in PATH.
type mavenTool struct {
	Command []string // how to start it, in the copy
	Typed   string   // what a person types, in the checkout's reactor folder
	Version string   // if known without running Maven
}

func (m mavenTool) String() string { return strings.TrimSpace("maven " + m.Version) }

func (p *Project) findMaven() (mavenTool, error) {
	for dir := p.At.Root; build.Within(dir, p.At.Base); dir = filepath.Dir(dir) {
		if fi, err := os.Stat(filepath.Join(dir, "mvnw")); err == nil && fi.Mode().IsRegular() {
			rel, _ := filepath.Rel(p.At.Root, filepath.Join(dir, "mvnw"))
			shown := rel
			if !strings.HasPrefix(rel, "..") {
				shown = "./" + rel
			}
			m := mavenTool{Command: []string{p.Copy(filepath.Join(dir, "mvnw"))}, Typed: shown, Version: wrapperVersion(dir)}
			if fi.Mode()&0o111 == 0 {
				m.Command, m.Typed = append([]string{"sh"}, m.Command...), "sh "+shown
			}
			return m, nil
		}
	}
	path, err := exec.LookPath("mvn")
	if err != nil {
		return mavenTool{}, &build.Error{Code: build.CodeNoTool, Message: "there is no mvn in PATH, and the project has no mvnw",
			Hint: "Install Apache Maven 3.6 or later, or add the Maven wrapper to the project (mvn wrapper:wrapper)."}
	}
	return mavenTool{Command: []string{path}, Typed: "mvn", Version: homeVersion(path)}, nil
}

var coreJar = regexp.MustCompile(`^maven-core-(\d+\.\d.*)\.jar$`)

// homeVersion reads Maven's version from the names of its jars.
func homeVersion(mvn string) string {
	real, err := filepath.EvalSymlinks(mvn)
	if err != nil {
		return ""
	}
	files, _ := os.ReadDir(filepath.Join(filepath.Dir(filepath.Dir(real)), "lib"))
	for _, f := range files {
		if m := coreJar.FindStringSubmatch(f.Name()); m != nil {
			return m[1]
		}
	}
	return ""
}

var wrapperURL = regexp.MustCompile(`apache-maven-(\d[^/]*?)-bin\.`)

func wrapperVersion(dir string) string {
	data, _ := os.ReadFile(filepath.Join(dir, ".mvn", "wrapper", "maven-wrapper.properties"))
	if m := wrapperURL.FindSubmatch(data); m != nil {
		return string(m[1])
	}
	return ""
}

// ours are the properties that odfix adds to a build. Tests see them in a real run of Maven, so the
// record leaves them out.
const (
	propExt    = "maven.ext.class.path"
	propRecord = "odfix.record"
	propColour = "style.color"
	propQuiet  = "org.slf4j.simpleLogger.log.org.apache.maven.cli.transfer.Slf4jMavenTransferListener"
)

// buildCaches are properties of extensions that may take the result of a goal from an earlier
// build, so that tests and compilers do not run. odfix sets them to false. The extensions are
// Develocity, formerly Gradle Enterprise, and Maven's own build cache. Develocity would also
// publish odfix's builds. The properties of its caches are for versions before 1.12, which cannot
// be switched off, and for projects that switch it on.
var buildCaches = []string{"develocity.enabled", "develocity.cache.local.enabled", "develocity.cache.remote.enabled",
	"gradle.enterprise.enabled", "gradle.cache.local.enabled", "gradle.cache.remote.enabled", "maven.build.cache.enabled"}

// isOurs reports whether odfix adds the property to a build.
func isOurs(property string) bool {
	return property == propExt || property == propRecord || property == propColour || property == propQuiet ||
		slices.Contains(buildCaches, property)
}

// quickJVM makes a short-lived Maven a third faster on small projects, as measured.
const quickJVM = "-XX:TieredStopAtLevel=1"

// quickGC is left out if a collector is configured, because a JVM refuses two.
const quickGC = "-XX:+UseSerialGC"

// mavenRun is one run of Maven.
type mavenRun struct {
	dir    string   // where it runs
	record string   // folder with request.properties; empty: run the build unchanged, without odfix's extension
	args   []string // goals and options
	log    string   // file for its output
	low    bool     // with low priority
}

// runMaven runs Maven to its end. The error of a failed build is a *build.Error with the reason
// that the output shows.
func (p *Project) runMaven(ctx context.Context, r mavenRun) error {
	extra, err := p.mavenArgs(r)
	if err != nil {
		return build.DiskError("cannot unpack the Maven extension", err)
	}
	return p.Run(ctx, build.Run{Tool: "Maven", Check: p.maven.Typed + " -v", Command: slices.Concat(p.maven.Command, extra),
		Dir: r.dir, Log: r.log, Env: p.mavenEnv(), Low: r.low, Messages: messages})
}

func (p *Project) mavenArgs(r mavenRun) ([]string, error) {
	args := []string{"-B", "-D" + propColour + "=never", "-D" + propQuiet + "=warn"}
	for _, property := range buildCaches {
		args = append(args, "-D"+property+"=false")
	}
	if p.Opts.Offline {
		args = append(args, "-o")
	}
	if r.record == "" {
		return append(append(args, p.Opts.Args...), r.args...), nil
	}
	ext, err := junit.Unpack(filepath.Join(p.Opts.Work, "jars"), junit.Launch)
	for _, a := range p.Opts.Args {
		// The extension path of odfix would replace the project's.
		if rest, ok := strings.CutPrefix(a, "-D"+propExt+"="); ok {
			ext += string(os.PathListSeparator) + rest
			continue
		}
		args = append(args, a)
	}
	args = append(args, "-D"+propRecord+"="+r.record, "-D"+propExt+"="+ext)
	return append(args, r.args...), err
}

func (p *Project) mavenEnv() []string {
	chosen := os.Getenv("MAVEN_OPTS") + os.Getenv("JAVA_TOOL_OPTIONS") + os.Getenv("JDK_JAVA_OPTIONS")
	config, _ := os.ReadFile(filepath.Join(p.At.Root, ".mvn", "jvm.config"))
	opts := quickJVM
	if !strings.Contains(chosen+string(config), "GC") {
		opts += " " + quickGC
	}
	env := append(os.Environ(), "GIT_OPTIONAL_LOCKS=0", "MAVEN_OPTS="+strings.TrimSpace(opts+" "+os.Getenv("MAVEN_OPTS")))
	if p.Opts.JavaHome != "" {
		env = append(env, "JAVA_HOME="+p.Opts.JavaHome)
	}
	return env
}
