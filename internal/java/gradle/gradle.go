// Package gradle finds out how a project compiles and launches its tests. It asks Gradle itself.
// odfix can then launch the tests thousands of times in the same way without Gradle.
//
// An init script (runner/junit/gradle) records the configured test tasks of one real run; see
// Project.Record. odfix guesses nothing from build scripts, except which folders are projects.
package gradle

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/java/build"
)

// Project is one checkout of Gradle and its private copy. Its methods are not safe for concurrent
// use, except TestCompile on different folders.
type Project struct {
	*build.Workspace
	module  string // folder of the chosen project, relative to the root project; "" for all or the only one
	path    string // its path in the build, "" for all or the only one
	tool    tool
	compile []string // tasks that make what the recorded tests need
}

// outputs are the folders that Gradle builds into. A copy does not take them over, since Gradle
// knows its outputs by their absolute paths and makes them anew elsewhere.
var outputs = build.Outputs{
	Is: func(dir string) bool {
		name := filepath.Base(dir)
		return name == ".gradle" || name == "build" && isBuilt(filepath.Dir(dir))
	},
	Other: []string{"reports", "test-results", "docs", "distributions"},
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
	p := &Project{Workspace: w}
	all := modules(at.Root)
	if p.module, err = p.ChooseModule(ctx, all, false); err == nil {
		for _, m := range all {
			if m.Dir == p.module && len(all) > 1 {
				p.path = m.Names[1]
			}
		}
		p.tool, err = p.find()
	}
	if err != nil {
		_ = p.Close()
		return nil, err
	}
	return p, nil
}

// Name is the build tool's name, for people.
func (p *Project) Name() string { return "Gradle" }

// Tool names the build tool and its version where known, for people.
func (p *Project) Tool() string { return strings.TrimSpace("gradle " + p.tool.Version) }

// tool is the project's own gradlew, or the gradle in PATH.
type tool struct {
	Command []string // how to start it, in the copy
	Typed   string   // what a person types, in the checkout's root project
	Version string   // if known without running Gradle
}

var wrapperURL = regexp.MustCompile(`gradle-(\d[^/]*?)-(?:bin|all)\.`)

func (p *Project) find() (tool, error) {
	for dir := p.At.Root; build.Within(dir, p.At.Base); dir = filepath.Dir(dir) {
		script := filepath.Join(dir, "gradlew")
		fi, err := os.Stat(script)
		if err != nil || !fi.Mode().IsRegular() {
			continue
		}
		rel, _ := filepath.Rel(p.At.Root, script)
		t := tool{Command: []string{p.Copy(script)}, Typed: filepath.ToSlash(rel)}
		if !strings.HasPrefix(rel, "..") {
			t.Typed = "./" + t.Typed
		}
		if fi.Mode()&0o111 == 0 {
			t.Command, t.Typed = append([]string{"sh"}, t.Command...), "sh "+t.Typed
		}
		if m := wrapperURL.FindSubmatch(small(filepath.Join(dir, "gradle", "wrapper", "gradle-wrapper.properties"))); m != nil {
			t.Version = string(m[1])
		}
		return t, nil
	}
	path, err := exec.LookPath("gradle")
	if err != nil {
		return tool{}, &build.Error{Code: build.CodeNoTool, Message: "there is no gradle in PATH, and the project has no gradlew",
			Hint: "Install Gradle, or add the Gradle wrapper to the project (gradle wrapper)."}
	}
	return tool{Command: []string{path}, Typed: "gradle"}, nil
}

// propRecord is the project property with which the init script gets its folder.
const propRecord = "odfix.record"

// always are the arguments of every run. A stored configuration would know nothing of the init
// script, which also looks at all projects. A daemon of Kotlin's compiler would outlive the run.
var always = []string{"--no-daemon", "--console=plain", "-Dorg.gradle.configuration-cache=false", "-Dorg.gradle.unsafe.configuration-cache=false",
	"-Dorg.gradle.unsafe.isolated-projects=false", "-Dorg.gradle.warning.mode=none", "-Pkotlin.compiler.execution.strategy=in-process"}

// run runs tasks of Gradle to their end. r.Dir is the root project in the copy or in a clone. The
// error of a failed build is a *build.Error with the reason that the output shows.
func (p *Project) run(ctx context.Context, r build.Run, args ...string) error {
	r.Tool, r.Check, r.Messages = "Gradle", p.tool.Typed+" -v", messages
	r.Command = slices.Concat(p.tool.Command, always, slices.DeleteFunc(args, func(a string) bool { return a == "--configuration-cache" }))
	r.Env = p.environment()
	return p.Run(ctx, r)
}

// environment is that of Gradle's own processes.
func (p *Project) environment() []string {
	env := append(os.Environ(), "GIT_OPTIONAL_LOCKS=0")
	if p.Opts.JavaHome != "" {
		env = append(env, "JAVA_HOME="+p.Opts.JavaHome)
	}
	return env
}

// options are the arguments that every run of Gradle gets.
func (p *Project) options(offline bool) []string {
	args := slices.Clone(p.Opts.Args)
	if offline {
		args = append([]string{"--offline"}, args...)
	}
	return args
}
