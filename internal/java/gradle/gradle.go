// Package gradle finds out how a project compiles and launches its tests. It asks Gradle itself. odfix
// can then launch the tests thousands of times in the same way without Gradle.
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

// Project is one checkout of Gradle and its private copy. Its methods are not safe for concurrent use,
// except TestCompile on different folders.
type Project struct {
	*build.Workspace
	module  string // folder of the chosen project, relative to the root project; "" for all or the only one
	tool    tool
	compile []string // tasks that compile the recorded tests
}

// outputs are the folders that Gradle builds into. A copy does not take them over, since Gradle knows
// its outputs by their absolute paths and makes them anew elsewhere.
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
	if p.module, err = p.ChooseModule(ctx, modules(at.Root), false); err == nil {
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
	script := filepath.Join(p.At.Root, "gradlew")
	if fi, err := os.Stat(script); err == nil && fi.Mode().IsRegular() {
		t := tool{Command: []string{p.Copy(script)}, Typed: "./gradlew"}
		if fi.Mode()&0o111 == 0 {
			t.Command, t.Typed = append([]string{"sh"}, t.Command...), "sh gradlew"
		}
		properties, _ := os.ReadFile(filepath.Join(p.At.Root, "gradle", "wrapper", "gradle-wrapper.properties"))
		if m := wrapperURL.FindSubmatch(properties); m != nil {
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

// run runs tasks of Gradle to their end. dir is the root project in the copy or in a clone. The error
// of a failed build is a *build.Error with the reason that the output shows.
func (p *Project) run(ctx context.Context, r build.Run, args ...string) error {
	r.Tool, r.Check, r.Messages = "Gradle", p.tool.Typed+" -v", messages
	r.Command = slices.Concat(p.tool.Command, []string{"--no-daemon", "--console=plain"}, args)
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
