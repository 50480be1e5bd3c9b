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

// JVM describes how a project's build starts a JVM for its tests.
type JVM struct {
	Java       string            // the executable
	Args       []string          // the build's own JVM arguments
	QuickArgs  []string          // those of a Quick process; nil: Args
	ClassPath  []string          // the build's class path; the harness comes after it
	Overlay    []string          // patched classes, before everything else
	Properties map[string]string // system properties
	Modules    Modules
	Env        []string // nil: odfix's own
	Dir        string
	HarnessJar string
	Agent      string // the jar of the agent that observes static state (Pool.Observe); empty: none
	AgentFile  string // the agent's options if it observes the heap, too; empty: static fields only
	// Quick adds flags that make short questions cheaper, and replaces Args with QuickArgs. It is
	// never used for proof, because the build does not use these flags.
	Quick bool
	// Scratch is the folder for a file with arguments that are too long for a command line; empty:
	// the user's cache folder.
	Scratch string
}

// Modules describes how a project with a module descriptor is launched. The zero value means the
// class path only. The build runs Surefire's main class. Any main class on the class path can
// replace it, because the patched module reads the class path (--add-reads m=ALL-UNNAMED).
type Modules struct {
	Path  []string            `json:"path"`  // --module-path
	Patch map[string][]string `json:"patch"` // --patch-module: module to folders
	Args  []string            `json:"args"`  // the rest: "--add-modules", "a.b", "--add-reads", …
	Tests string              `json:"tests"` // the module that the test classes form; empty: none
}

// Spec returns the complete command. It may write a file to Scratch.
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

// arguments returns everything after the executable.
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
		args = append(args, "-javaagent:"+agent) // after the build's own agents, so that it sees the classes they made
	}
	if j.Quick {
		args = append(args, j.quickFlags()...)
	}
	for _, k := range slices.Sorted(maps.Keys(j.Properties)) {
		args = append(args, "-D"+k+"="+j.Properties[k])
	}
	args = append(args, "-Dodfix.pipes="+pipes)
	args = append(args, j.Modules.Flags(j.Overlay)...)
	return append(args, "-cp", joinPath(classPath), MainClass)
}

// Flags are the arguments of java for the modules, with patched classes before those of the tests.
func (m Modules) Flags(overlay []string) []string {
	var args []string
	if len(m.Path) > 0 {
		args = append(args, "--module-path", joinPath(m.Path))
	}
	for _, name := range slices.Sorted(maps.Keys(m.Patch)) {
		// Java looks for a patched class of a module in the patch only, not on the class path.
		args = append(args, "--patch-module", name+"="+joinPath(slices.Concat(overlay, m.Patch[name])))
	}
	if m.Tests != "" && len(overlay) > 0 {
		// Statements of a patch under trial call the harness, which is on the class path.
		args = append(args, "--patch-module", m.Tests+"="+joinPath(overlay), "--add-reads", m.Tests+"=ALL-UNNAMED")
	}
	return append(args, m.Args...)
}

// quickFlags leaves out the optimising compiler. It does not pay in a process that lives for half a
// second: without it, a question of two tests takes a third less processor time. The serial
// collector saves a twentieth of the rest, unless the project chooses a collector. Class data
// sharing would save a fifth. But its archive takes as long to make as five questions save, and
// needs another class path (folders cannot be archived).
func (j JVM) quickFlags() []string {
	flags := []string{"-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"}
	if !j.choosesCollector() {
		flags = append(flags, "-XX:+UseSerialGC")
	}
	return flags
}

// choosesCollector reports whether the build, or the environment, names a garbage collector. A JVM
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
