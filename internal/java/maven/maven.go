package maven

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/odfix/odfix/runner/junit"
)

// mavenTool is the project's own mvnw, or the mvn in PATH.
type mavenTool struct {
	Command []string // how to start it, in the copy
	Typed   string   // what a person types, in the checkout's reactor folder
	Version string   // if known without running Maven
}

func (m mavenTool) String() string { return strings.TrimSpace("maven " + m.Version) }

func (p *Project) findMaven() (mavenTool, error) {
	for dir := p.layout.reactor; within(dir, p.layout.base); dir = filepath.Dir(dir) {
		if fi, err := os.Stat(filepath.Join(dir, "mvnw")); err == nil && fi.Mode().IsRegular() {
			rel, _ := filepath.Rel(p.layout.reactor, filepath.Join(dir, "mvnw"))
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
		return mavenTool{}, &Error{Code: CodeNoMaven, Message: "there is no mvn in PATH, and the project has no mvnw",
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

// runMaven runs Maven to its end. The error of a failed build is an *Error with the reason that the
// output shows.
func (p *Project) runMaven(ctx context.Context, r mavenRun) error {
	ctx, cancel := context.WithTimeoutCause(ctx, p.opts.Budget, errBudget)
	defer cancel()
	extra, err := p.mavenArgs(r)
	if err != nil {
		return diskError("cannot unpack the Maven extension", err)
	}
	command := slices.Concat(p.maven.Command, extra)
	if r.low {
		command = lowPriority(command)
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = r.dir
	cmd.Env = p.mavenEnv()
	out, err := newOutput(r.log, p.opts.Log)
	if err != nil {
		return diskError("cannot write the build's log", err)
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	err = runGroup(ctx, cmd)
	if err == nil {
		return nil
	}
	if context.Cause(ctx) == errBudget {
		return &Error{Code: CodeTimeout, Message: fmt.Sprintf("Maven did not finish within %s and was stopped",
			p.opts.Budget.Round(time.Second)),
			Hint: "Raise the budget, or find out what hangs: the log is " + r.log, Detail: out.Tail(30)}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, ok := errors.AsType[*exec.ExitError](err); !ok {
		return &Error{Code: CodeNoMaven, Message: "cannot start Maven: " + err.Error(),
			Hint: "Check that `" + p.maven.Typed + " -v` works in " + p.layout.reactor}
	}
	return explain(out, r.log)
}

var errBudget = errors.New("the build's budget is spent")

func (p *Project) mavenArgs(r mavenRun) ([]string, error) {
	args := []string{"-B", "-D" + propColour + "=never", "-D" + propQuiet + "=warn"}
	if p.opts.Offline {
		args = append(args, "-o")
	}
	if r.record == "" {
		return append(append(args, p.opts.Args...), r.args...), nil
	}
	ext, err := junit.Unpack(filepath.Join(p.opts.Work, "jars"), junit.Launch)
	for _, a := range p.opts.Args {
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
	config, _ := os.ReadFile(filepath.Join(p.layout.reactor, ".mvn", "jvm.config"))
	opts := quickJVM
	if !strings.Contains(chosen+string(config), "GC") {
		opts += " " + quickGC
	}
	env := append(os.Environ(), "GIT_OPTIONAL_LOCKS=0", "MAVEN_OPTS="+strings.TrimSpace(opts+" "+os.Getenv("MAVEN_OPTS")))
	if p.opts.JavaHome != "" {
		env = append(env, "JAVA_HOME="+p.opts.JavaHome)
	}
	return env
}
