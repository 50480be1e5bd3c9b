package gradle

import (
	"archive/zip"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/odfix/odfix/internal/java/build"
)

// taskRecord is what the init script writes about one test task.
type taskRecord struct {
	Gradle      string            `json:"gradle"`
	Home        string            `json:"home"` // of Gradle
	Path        string            `json:"path"`
	Project     string            `json:"project"`
	Group       string            `json:"group"`
	Artifact    string            `json:"artifact"`
	Basedir     string            `json:"basedir"`
	Java        string            `json:"java"`
	Args        []string          `json:"args"`
	ClassPath   []string          `json:"classPath"`
	Environment map[string]string `json:"environment"`
	Dir         string            `json:"dir"`
	Classes     []string          `json:"classes"` // class files, in the order in which Gradle finds them
	Scan        bool              `json:"scan"`    // Gradle looks into the class files for tests
	Includes    []string          `json:"includes"`
	Excludes    []string          `json:"excludes"`
	ForkEvery   int               `json:"forkEvery"`
	Forks       int               `json:"forks"`
	Framework   framework         `json:"framework"`
	Modules     bool              `json:"modules"`
	Sources     []string          `json:"sources"`
	Needs       []string          `json:"needs"` // the tasks that make what the tests need
	Compiler    *compilerRecord   `json:"compiler"`
	MainOutput  string            `json:"mainOutput"`
}

type framework struct {
	Name           string   `json:"name"` // simple name of Gradle's class
	Include        []string `json:"include"`
	Exclude        []string `json:"exclude"`
	IncludeEngines []string `json:"includeEngines"`
	ExcludeEngines []string `json:"excludeEngines"`
}

type compilerRecord struct {
	JavaHome         string   `json:"javaHome"`
	Args             []string `json:"args"`
	Release          string   `json:"release"`
	Source           string   `json:"source"`
	Target           string   `json:"target"`
	Encoding         string   `json:"encoding"`
	Debug            bool     `json:"debug"`
	ClassPath        []string `json:"classPath"`
	ProcessorPath    []string `json:"processorPath"`
	HasProcessorPath bool     `json:"hasProcessorPath"`
	Output           string   `json:"output"`
}

func (t *taskRecord) testNG() bool { return strings.Contains(t.Framework.Name, "TestNG") }

func (t *taskRecord) platform() bool { return strings.Contains(t.Framework.Name, "Platform") }

// launch says how the task starts its JVM. version is Gradle's.
func (t *taskRecord) launch(version string) build.Launch {
	if t.Gradle != "" {
		version = t.Gradle
	}
	l := build.Launch{Module: t.Project, Basedir: t.Basedir, Plugin: "Gradle", Version: version, Execution: t.Path,
		Java: t.Java, ClassPath: t.ClassPath, Dir: t.Dir, Classes: t.classNames(), Provider: "junit4",
		// The number of the worker process, and what it does without; tests can see both.
		Properties:   map[string]string{"org.gradle.test.worker": "1", "org.gradle.native": "false"},
		EnvSet:       map[string]string{"PWD": t.Dir},
		ProviderArgs: map[string]string{}, SourceRoots: existing(t.Sources), MainOutput: t.MainOutput,
		ForkPerClass: t.ForkEvery == 1, Forks: strconv.Itoa(t.Forks)}
	if t.Group != "" {
		l.Module = t.Group + ":" + t.Artifact
	}
	t.setArgs(&l)
	t.setEnvironment(&l)
	if t.platform() {
		t.setPlatform(&l)
	} else {
		l.Groups, l.NotGroups = strings.Join(t.Framework.Include, ","), strings.Join(t.Framework.Exclude, ",")
	}
	if c := t.Compiler; c != nil {
		l.TestOutput, l.Compiler = c.Output, c.compiler()
	}
	t.setNotes(&l)
	return l
}

// unpack replaces jars of the build's own projects with the folders from which they are made, as
// long as these hold the same. Classes in folders are known as the project's own, and their state
// as one that the project can reset.
func (t *taskRecord) unpack(jars map[string][]string) {
	t.ClassPath = unpacked(t.ClassPath, jars)
	if t.Compiler != nil {
		t.Compiler.ClassPath = unpacked(t.Compiler.ClassPath, jars)
	}
}

func unpacked(classPath []string, jars map[string][]string) []string {
	var out []string
	for _, entry := range classPath {
		folders := existing(jars[entry])
		if len(folders) > 0 && sameContents(entry, folders) {
			out = append(out, folders...)
		} else {
			out = append(out, entry)
		}
	}
	return out
}

// sameContents reports whether a jar has the files of the folders, by their names and sizes, and no
// others.
func sameContents(jar string, folders []string) bool {
	z, err := zip.OpenReader(jar)
	if err != nil {
		return false
	}
	defer z.Close()
	in := map[string]uint64{}
	for _, f := range z.File {
		if !strings.HasSuffix(f.Name, "/") && f.Name != "META-INF/MANIFEST.MF" {
			in[f.Name] = f.UncompressedSize64
		}
	}
	for _, dir := range folders {
		err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(dir, file)
			if size, is := in[filepath.ToSlash(rel)]; err == nil && (!is || size != uint64(info.Size())) {
				return fs.ErrNotExist
			}
			delete(in, filepath.ToSlash(rel))
			return err
		})
		if err != nil {
			return false
		}
	}
	return len(in) == 0
}

// setArgs records the JVM's options. Gradle gives its test processes 512 MiB since version 5, if
// the build says nothing else.
func (t *taskRecord) setArgs(l *build.Launch) {
	heap := false
	for _, arg := range t.Args {
		heap = heap || strings.HasPrefix(arg, "-Xmx") || strings.HasPrefix(arg, "-XX:MaxHeapSize") || strings.Contains(arg, "RAMPercentage")
		l.JVMArgs = append(l.JVMArgs, build.WithoutCoverageFile(arg))
	}
	if major, _, _ := strings.Cut(l.Version, "."); !heap && len(major) > 0 && atLeast(major, 5) {
		l.JVMArgs = append(l.JVMArgs, "-Xmx512m")
	}
	if l.AttachesItself() {
		l.JVMArgs = append(l.JVMArgs, "-XX:+StartAttachListener")
	}
}

func atLeast(number string, least int) bool {
	n, err := strconv.Atoi(number)
	return err == nil && n >= least
}

// setPlatform records how the build selects tests of the JUnit Platform. Gradle adds the launcher
// from its own distribution if the class path has none.
func (t *taskRecord) setPlatform(l *build.Launch) {
	l.Provider = "junitplatform"
	l.Groups, l.NotGroups = strings.Join(t.Framework.Include, " | "), strings.Join(t.Framework.Exclude, " | ")
	l.ProviderArgs["includejunit5engines"] = strings.Join(t.Framework.IncludeEngines, ",")
	l.ProviderArgs["excludejunit5engines"] = strings.Join(t.Framework.ExcludeEngines, ",")
	if slices.ContainsFunc(t.ClassPath, func(file string) bool { return strings.HasPrefix(filepath.Base(file), "junit-platform-launcher-") }) {
		return
	}
	launcher, _ := filepath.Glob(filepath.Join(t.Home, "lib", "plugins", "junit-platform-launcher-*.jar"))
	l.ProviderPath = launcher
}

// inherited are variables that Gradle's own script or odfix changes. No test needs them.
var inherited = map[string]bool{"_": true, "SHLVL": true, "PWD": true, "OLDPWD": true, "GIT_OPTIONAL_LOCKS": true, build.Mark: true}

// setEnvironment records how the task's environment differs from odfix' own.
func (t *taskRecord) setEnvironment(l *build.Launch) {
	for _, kv := range os.Environ() {
		k, v, _ := strings.Cut(kv, "=")
		switch now, is := t.Environment[k]; {
		case inherited[k]:
		case !is:
			l.EnvUnset = append(l.EnvUnset, k)
		case now != v:
			l.EnvSet[k] = now
		}
	}
	for k, v := range t.Environment {
		if _, had := os.LookupEnv(k); !had && !inherited[k] {
			l.EnvSet[k] = v
		}
	}
	slices.Sort(l.EnvUnset)
}

// inner matches classes without a name, which are no tests.
var inner = regexp.MustCompile(`\$\d`)

// classNames returns the classes in which Gradle looks for tests. The JUnit Platform finds nested
// classes through the outer ones.
func (t *taskRecord) classNames() []string {
	var out []string
	for _, file := range t.Classes {
		name := strings.ReplaceAll(strings.TrimSuffix(file, ".class"), "/", ".")
		base := path.Base(strings.TrimSuffix(file, ".class"))
		switch {
		case inner.MatchString(base), base == "module-info", base == "package-info":
		case t.platform() && strings.Contains(base, "$"):
		case !t.Scan && !namedLikeATest(base):
		case !selected(name, t.Includes, true), len(t.Excludes) > 0 && selected(name, t.Excludes, false):
		default:
			out = append(out, name)
		}
	}
	return out
}

// namedLikeATest reports whether Gradle takes a class for a test by its name alone.
func namedLikeATest(base string) bool {
	return (strings.HasSuffix(base, "Test") || strings.HasSuffix(base, "Tests")) && !strings.HasPrefix(base, "Abstract")
}

// selected reports whether a pattern of the task's filter can select tests of the class: all of
// them, or some if some is set. Patterns are names of classes or methods, with * for any
// characters; they may leave out the package.
func selected(class string, patterns []string, some bool) bool {
	if len(patterns) == 0 {
		return some
	}
	simple := class[strings.LastIndexByte(class, '.')+1:]
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		for _, name := range []string{class, simple} {
			if matches(pattern, name) {
				return true
			}
			at := strings.LastIndexByte(pattern, '.')
			if some && at > 0 && matches(pattern[:at], name) {
				return true
			}
		}
		return false
	})
}

func matches(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	ok, err := regexp.MatchString("^"+strings.Join(parts, ".*")+"$", name)
	return err == nil && ok
}

func existing(dirs []string) []string {
	return slices.DeleteFunc(slices.Clone(dirs), func(dir string) bool { return !build.Exists(dir) })
}

// setNotes says what of the task odfix does not keep.
func (t *taskRecord) setNotes(l *build.Launch) {
	if t.ForkEvery == 1 {
		l.Notes = append(l.Notes, "The build gives each test class a JVM of its own (forkEvery 1), "+
			"so only tests of the same class can run before a test.")
	} else if t.ForkEvery > 1 {
		l.Notes = append(l.Notes, "The build starts a new JVM after every "+strconv.Itoa(t.ForkEvery)+
			" test classes (forkEvery); odfix runs them in one.")
	}
	if t.Forks > 1 && t.ForkEvery != 1 {
		l.Notes = append(l.Notes, "The build spreads these classes over several JVMs (maxParallelForks "+strconv.Itoa(t.Forks)+
			"), so it differs from run to run which classes share a JVM.")
	}
	if t.Modules && slices.ContainsFunc(t.Classes, func(file string) bool { return file == "module-info.class" }) {
		l.Notes = append(l.Notes, "The tests are a Java module, which odfix does not support with Gradle yet: they run on the class path.")
	}
}

// compiler assembles javac's options as Gradle does.
func (c *compilerRecord) compiler() *build.Compiler {
	home := c.JavaHome
	if jdk := filepath.Dir(home); filepath.Base(home) == "jre" && build.Exists(filepath.Join(jdk, "bin", "javac")) {
		home = jdk // Java 8 takes the folder of its runtime for its home
	}
	out := &build.Compiler{JavaHome: home, ClassPath: c.ClassPath, ProcessorPath: c.ProcessorPath, Encoding: c.Encoding}
	if c.Encoding != "" {
		out.Args = append(out.Args, "-encoding", c.Encoding)
	}
	switch {
	case slices.Contains(c.Args, "--release"):
	case c.Release != "":
		out.Args = append(out.Args, "--release", c.Release)
	default:
		if c.Source != "" {
			out.Args = append(out.Args, "-source", c.Source)
		}
		if c.Target != "" {
			out.Args = append(out.Args, "-target", c.Target)
		}
	}
	if c.Debug {
		out.Args = append(out.Args, "-g")
	}
	if c.HasProcessorPath && len(c.ProcessorPath) == 0 {
		out.Args = append(out.Args, "-proc:none")
	}
	for _, a := range c.Args {
		if a != "" && a != "-Werror" && !strings.HasPrefix(a, "-Xlint") { // a candidate patch may cause warnings
			out.Args = append(out.Args, a)
		}
	}
	return out
}
