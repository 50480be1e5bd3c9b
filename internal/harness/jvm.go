package harness

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// MainClass is the harness's entry point inside its jar.
const MainClass = "io.odfix.harness.Main"

// JVM is how a project's build starts a JVM for its tests.
type JVM struct {
	Java       string            // the executable
	Args       []string          // the build's own JVM arguments
	QuickArgs  []string          // those of a Quick process; nil: Args
	ClassPath  []string          // as the build has it; the harness comes after it
	Overlay    []string          // put before everything: patched classes
	Properties map[string]string // system properties
	Modules    Modules
	Env        []string // nil: odfix's own
	Dir        string
	HarnessJar string
	Agent      string // the jar that observes static state (Pool.Observe); empty: none
	AgentFile  string // the agent's options, where it is to look at the heap, too; empty: only at static fields
	// Quick adds flags that make short questions cheaper, and takes QuickArgs for Args. Never for
	// proof: the build does not use them.
	Quick bool
	// Scratch is where a file with arguments too long for a command line is
	// put; empty: the user's cache folder.
	Scratch string
}

// Modules is how a project with a module descriptor is launched. The zero value means the class path
// only. In the build the main class is Surefire's; on the class path beside the modules any other can
// take its place, since the patched module reads it (--add-reads m=ALL-UNNAMED).
type Modules struct {
	Path  []string            `json:"path"`  // --module-path
	Patch map[string][]string `json:"patch"` // --patch-module: module to folders
	Args  []string            `json:"args"`  // the rest: "--add-modules", "a.b", "--add-reads", …
	Tests string              `json:"tests"` // the module that the test classes are themselves; empty: none
}

// Spec is the complete command. It may write a file to Scratch.
func (j JVM) Spec() (Spec, error) {
	switch {
	case j.Java == "":
		return Spec{}, errors.New("no java executable to run tests with")
	case j.HarnessJar == "":
		return Spec{}, errors.New("no harness jar to run tests with: run `make build`")
	case strings.Contains(j.Agent, "="):
		return Spec{}, fmt.Errorf("a JVM takes no agent from %s, for the equals sign in its path: choose another "+
			"folder for odfix's work", j.Agent)
	}
	args, err := j.fit(j.arguments(j.classPath()))
	if err != nil {
		return Spec{}, err
	}
	return Spec{Command: append([]string{j.Java}, args...), Env: j.Env, Dir: j.Dir}, nil
}

func (j JVM) classPath() []string {
	return slices.Concat(j.Overlay, j.ClassPath, []string{j.HarnessJar})
}

// arguments is everything after the executable.
func (j JVM) arguments(classPath []string) []string {
	args := slices.Clone(j.Args)
	if j.Quick && j.QuickArgs != nil {
		args = slices.Clone(j.QuickArgs)
	}
	if j.Agent != "" {
		agent := j.Agent
		if j.AgentFile != "" {
			agent += "=" + j.AgentFile
		}
		args = append(args, "-javaagent:"+agent) // after the build's own: it sees classes as their agents made them
	}
	if j.Quick {
		args = append(args, j.quickFlags()...)
	}
	for _, k := range slices.Sorted(maps.Keys(j.Properties)) {
		args = append(args, "-D"+k+"="+j.Properties[k])
	}
	args = append(args, "-Dodfix.pipes="+pipes)
	args = append(args, j.moduleArgs()...)
	return append(args, "-cp", joinPath(classPath), MainClass)
}

func (j JVM) moduleArgs() []string {
	var args []string
	if len(j.Modules.Path) > 0 {
		args = append(args, "--module-path", joinPath(j.Modules.Path))
	}
	for _, m := range slices.Sorted(maps.Keys(j.Modules.Patch)) {
		// A patched class of a module is found in the patch only, not on the class path.
		dirs := slices.Concat(j.Overlay, j.Modules.Patch[m])
		args = append(args, "--patch-module", m+"="+joinPath(dirs))
	}
	if j.Modules.Tests != "" && len(j.Overlay) > 0 {
		// The statements of a patch under trial ask the harness, which is on the class path.
		args = append(args, "--patch-module", j.Modules.Tests+"="+joinPath(j.Overlay), "--add-reads", j.Modules.Tests+"=ALL-UNNAMED")
	}
	return append(args, j.Modules.Args...)
}

// quickFlags leaves out the optimising compiler, which does not pay in a process that lives for
// half a second: without it a question of two tests takes a third less processor time. The serial
// collector, unless the project chooses one, saves a twentieth of the rest. Class data sharing
// would save a fifth, but the archive takes as long to make as five questions save, and needs the
// class path in another order (folders cannot be archived).
func (j JVM) quickFlags() []string {
	flags := []string{"-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"}
	if !j.choosesCollector() {
		flags = append(flags, "-XX:+UseSerialGC")
	}
	return flags
}

// choosesCollector reports whether the build, or the environment, names a garbage collector; a JVM
// refuses two.
func (j JVM) choosesCollector() bool {
	env := j.Env
	if env == nil {
		env = os.Environ()
	}
	named := func(s string) bool { return strings.Contains(s, "GC") }
	return slices.ContainsFunc(slices.Concat(j.Args, j.QuickArgs),
		func(a string) bool { return named(a) || strings.HasPrefix(a, "@") || strings.HasPrefix(a, "-XX:Flags") }) ||
		slices.ContainsFunc(env, func(e string) bool {
			name, value, _ := strings.Cut(e, "=")
			return named(value) && slices.Contains([]string{"JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS"}, name)
		})
}

func joinPath(list []string) string { return strings.Join(list, string(os.PathListSeparator)) }
