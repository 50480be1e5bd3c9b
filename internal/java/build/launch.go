package build

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/harness"
)

// Launch describes how one execution of a test plugin starts its test JVM. Paths are in the private
// copy. It holds no arguments of Surefire's main class, because a launcher uses its own main class
// and class path.
type Launch struct {
	Module    string `json:"module"`    // groupId:artifactId, or the path of Gradle's project
	Basedir   string `json:"basedir"`   // the module's folder
	Plugin    string `json:"plugin"`    // maven-surefire-plugin, maven-failsafe-plugin or Gradle
	Version   string `json:"version"`   // of the plugin, or of Gradle
	Execution string `json:"execution"` // its id in the pom, or the path of Gradle's task

	Java         string            `json:"java"`         // the executable
	JVMArgs      []string          `json:"jvmArgs"`      // argLine as resolved, assertions included
	Modules      harness.Modules   `json:"modules"`      // empty if tests run on the class path
	ClassPath    []string          `json:"classPath"`    // test class path (in module mode: what is left on it)
	ProviderPath []string          `json:"providerPath"` // Surefire's provider; comes after ClassPath
	Properties   map[string]string `json:"properties"`   // system properties set before the first test
	EnvSet       map[string]string `json:"envSet"`       // environment added or changed by the build
	EnvUnset     []string          `json:"envUnset"`     // environment removed by the build
	Dir          string            `json:"dir"`          // working directory

	Classes      []string          `json:"classes"`      // as the build would run them
	RunOrder     string            `json:"runOrder"`     // filesystem, alphabetical, …
	Unordered    bool              `json:"unordered"`    // the build's order differs from run to run; Classes is one of them
	Provider     string            `json:"provider"`     // class name of Surefire's provider
	ProviderArgs map[string]string `json:"providerArgs"` // its configuration, e.g. JUnit Platform parameters
	Groups       string            `json:"groups"`
	NotGroups    string            `json:"notGroups"`
	ForkPerClass bool              `json:"forkPerClass"` // each class has a JVM of its own
	Forks        string            `json:"forks"`        // forkCount as configured
	InProcess    bool              `json:"inProcess"`    // the build runs tests inside Maven; odfix runs them in a JVM
	Parallel     bool              `json:"parallel"`     // tests of one JVM run in parallel

	SourceRoots []string  `json:"sourceRoots"` // of tests
	TestOutput  string    `json:"testOutput"`  // folder of test classes
	MainOutput  string    `json:"mainOutput"`  // folder of main classes
	Compiler    *Compiler `json:"compiler"`    // for test classes; nil if javac compiles none
	Notes       []string  `json:"notes"`       // what odfix could not keep, for people
}

// Environ applies the build's changes of the environment to base ("NAME=value").
func (l *Launch) Environ(base []string) []string {
	drop := map[string]bool{}
	for _, name := range l.EnvUnset {
		drop[name] = true
	}
	var out []string
	for _, kv := range base {
		name, _, _ := strings.Cut(kv, "=")
		if _, set := l.EnvSet[name]; !set && !drop[name] {
			out = append(out, kv)
		}
	}
	for _, name := range SortedKeys(l.EnvSet) {
		out = append(out, name+"="+l.EnvSet[name])
	}
	return out
}

// moved returns the launch with every path below one folder moved to the other, for the same tests
// in another copy.
func (l Launch) moved(from, to string) Launch {
	list := func(in []string) []string {
		out := slices.Clone(in)
		for i, s := range out {
			out[i] = MovePrefix(s, from, to)
		}
		return out
	}
	table := func(in map[string]string) map[string]string {
		out := maps.Clone(in)
		for k, v := range out {
			out[k] = MovePrefix(v, from, to)
		}
		return out
	}
	for _, path := range []*string{&l.Basedir, &l.Dir, &l.TestOutput, &l.MainOutput} {
		*path = MovePrefix(*path, from, to)
	}
	l.JVMArgs, l.ClassPath, l.ProviderPath, l.SourceRoots = list(l.JVMArgs), list(l.ClassPath), list(l.ProviderPath), list(l.SourceRoots)
	l.Properties, l.EnvSet, l.ProviderArgs = table(l.Properties), table(l.EnvSet), table(l.ProviderArgs)
	l.Modules.Path, l.Modules.Args, l.Modules.Patch = list(l.Modules.Path), list(l.Modules.Args), maps.Clone(l.Modules.Patch)
	for m, folders := range l.Modules.Patch {
		l.Modules.Patch[m] = list(folders)
	}
	if l.Compiler != nil {
		c := *l.Compiler
		c.Args, c.ClassPath, c.ProcessorPath = list(c.Args), list(c.ClassPath), list(c.ProcessorPath)
		l.Compiler = &c
	}
	return l
}

// MovePrefix replaces from with to wherever a path in s begins with it ("-javaagent:/a/b=/a/c").
func MovePrefix(s, from, to string) string {
	var out strings.Builder
	for {
		i := strings.Index(s, from)
		if i < 0 {
			out.WriteString(s)
			return out.String()
		}
		end := i + len(from)
		out.WriteString(s[:i])
		if end == len(s) || s[end] == filepath.Separator || strings.IndexByte(":;,=\"' \n", s[end]) >= 0 {
			out.WriteString(to)
		} else {
			out.WriteString(from)
		}
		s = s[end:]
	}
}

func SortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// ClassesOf returns the classes of all launches.
func ClassesOf(launches []Launch) (out []string) {
	for _, l := range launches {
		out = append(out, l.Classes...)
	}
	return out
}

// Compiler describes how the build compiles a module's test sources. With it, one changed class can
// be compiled alone.
type Compiler struct {
	JavaHome      string   `json:"javaHome"`      // JDK whose compiler the build uses
	Args          []string `json:"args"`          // javac's options, without -d, class path and sources
	ClassPath     []string `json:"classPath"`     // test classes first
	ProcessorPath []string `json:"processorPath"` // empty: the compiler searches the class path for processors
	Encoding      string   `json:"encoding"`      // of the sources; empty: the platform's
}
