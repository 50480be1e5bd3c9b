package maven

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/odfix/odfix/internal/java/build"
)

// assemble makes launches from the records of one build.
func (p *Project) assemble(dir string) ([]build.Launch, error) {
	tests, err := readRecords(dir, "test.json")
	if err != nil {
		return nil, err
	}
	compiles, err := readRecords(dir, "compile.json")
	if err != nil {
		return nil, err
	}
	var out []build.Launch
	for _, r := range tests {
		forks, err := readForks(r.folder)
		if err != nil {
			return nil, err
		}
		for _, f := range forks {
			l, err := newLaunch(r, f, p.Opts.JavaHome)
			if err != nil {
				return nil, err
			}
			for _, c := range compiles {
				if c.Module == r.Module && c.Goal == "testCompile" {
					l.Compiler = newCompiler(c)
				}
			}
			p.orderLikeCheckout(l)
			out = append(out, *l)
		}
	}
	return out, nil
}

func newLaunch(r *mojoRecord, f *fork, javaHome string) (*build.Launch, error) {
	l := &build.Launch{Module: r.Module, Basedir: r.Basedir, Plugin: r.Plugin, Version: r.Version, Execution: r.Execution,
		Java: r.Java, Dir: f.dir, SourceRoots: r.SourceTests, TestOutput: r.TestOutput, MainOutput: r.MainOutput,
		Provider: f.config["providerConfiguration"], RunOrder: r.Parameters.text("runOrder"),
		Groups: r.Parameters.text("groups"), NotGroups: r.Parameters.text("excludedGroups"), ProviderArgs: map[string]string{}}
	setForks(l, r.Parameters)
	if l.InProcess {
		l.Dir = r.MavenDir
	}
	if err := setPaths(l, f); err != nil {
		return nil, err
	}
	setArgs(l, f)
	setProperties(l, f)
	ours := environment(os.Environ())
	f.restoreRealJDK(r, javaHome, ours["JAVA_HOME"])
	setEnv(l, f, ours)
	setClasses(l, f)
	return l, nil
}

// setForks reads how many JVMs the build would use. forkMode is the older name of this setting.
func setForks(l *build.Launch, p parameters) {
	count, reuse := p.text("forkCount"), p.text("reuseForks") != "false"
	switch p.text("forkMode") {
	case "never":
		count = "0"
	case "always", "pertest":
		count, reuse = "1", false
	case "perthread":
		count, reuse = p.text("threadCount"), false
	}
	count = cmp.Or(count, "1")
	l.Forks, l.InProcess = count, count == "0"
	l.ForkPerClass = !reuse && !l.InProcess
	parallel := strings.ToLower(p.text("parallel"))
	l.Parallel = parallel != "" && parallel != "none" && parallel != "false"
	if l.InProcess {
		l.Notes = append(l.Notes, "The build runs these tests inside Maven (forkCount 0); odfix runs them in a separate JVM.")
	}
	if count != "1" && !l.InProcess && !l.ForkPerClass {
		l.Notes = append(l.Notes, "The build spreads these classes over several JVMs (forkCount "+count+
			"), so it differs from run to run which classes share a JVM.")
	}
	if l.ForkPerClass {
		l.Notes = append(l.Notes, "The build gives each test class a JVM of its own (reuseForks false), so only tests of the same class can run before a test.")
	}
}

func setPaths(l *build.Launch, f *fork) error {
	l.ClassPath = numbered(f.config, "classPathUrl.")
	l.ProviderPath = numbered(f.config, "surefireClassPathUrl.")
	args, err := f.argFile()
	if err != nil {
		return err
	}
	if args != nil {
		var classPath []string
		l.Modules, classPath = parseModules(args)
		l.Modules.Tests = build.NameOfTestModule(l.Modules, l.TestOutput)
		l.ClassPath = slices.DeleteFunc(classPath, func(entry string) bool { return slices.Contains(l.ProviderPath, entry) })
		return nil
	}
	if len(l.ClassPath) == 0 {
		l.ClassPath, err = f.manifestClassPath()
	}
	return err
}

// setArgs records the JVM's options. Surefire enables assertions from inside the fork. -ea does the
// same from outside, and later options can still disable them.
func setArgs(l *build.Launch, f *fork) {
	if f.config["enableAssertions"] != "false" {
		l.JVMArgs = append(l.JVMArgs, "-ea")
	}
	if l.AttachesItself() {
		l.JVMArgs = append(l.JVMArgs, "-XX:+StartAttachListener")
	}
	for _, arg := range f.jvmArgs() {
		l.JVMArgs = append(l.JVMArgs, build.WithoutCoverageFile(arg))
	}
}

// setProperties records the system properties that tests would see. It leaves out properties that
// odfix adds and those that the new process sets anyway.
func setProperties(l *build.Launch, f *fork) {
	l.Properties = map[string]string{}
	for k, v := range f.system {
		if isOurs(k) || k == "java.class.path" || k == "surefire.real.class.path" || k == "user.dir" && v == f.dir {
			continue
		}
		l.Properties[k] = v
	}
}

// setEnv records how the fork's environment differs from odfix's. A later run applies the same
// differences to its own environment.
func setEnv(l *build.Launch, f *fork, base map[string]string) {
	l.EnvSet = map[string]string{"PWD": l.Dir}
	for k, v := range f.env {
		if had, ok := base[k]; (!ok || had != v) && !shellNoise[k] {
			l.EnvSet[k] = v
		}
	}
	for k := range base {
		if _, ok := f.env[k]; !ok && !shellNoise[k] {
			l.EnvUnset = append(l.EnvUnset, k)
		}
	}
	sort.Strings(l.EnvUnset)
}

func environment(list []string) map[string]string {
	env := map[string]string{}
	for _, kv := range list {
		if k, v, ok := strings.Cut(kv, "="); ok {
			env[k] = v
		}
	}
	return env
}

// restoreRealJDK replaces the recorder's folder with the real JDK's in the fork's environment.
// Later versions of Surefire set JAVA_HOME if a JDK is configured. If none is, JAVA_HOME becomes
// the value that Maven received.
func (f *fork) restoreRealJDK(r *mojoRecord, given ...string) {
	fake, real := filepath.Join(r.folder, "jdk"), filepath.Dir(filepath.Dir(r.Java))
	for k, v := range f.env {
		moved := build.MovePrefix(v, fake, real)
		if moved == v {
			continue
		}
		if !r.JavaChosen {
			moved = cmp.Or(given...)
		}
		if f.env[k] = moved; moved == "" {
			delete(f.env, k)
		}
	}
}

// shellNoise lists variables that shells, Maven's script and odfix change. No test needs them.
var shellNoise = map[string]bool{"_": true, "SHLVL": true, "PWD": true, "OLDPWD": true, "MAVEN_OPTS": true,
	"MAVEN_CMD_LINE_ARGS": true, "CLASSPATH": true, "GIT_OPTIONAL_LOCKS": true, build.Mark: true}

func setClasses(l *build.Launch, f *fork) {
	l.Classes = numbered(f.config, "tc.")
	if _, known := f.config["tc.0"]; !known {
		l.Classes = scanClasses(l.TestOutput, numbered(f.config, "includes"), numbered(f.config, "excludes"))
	}
	for k, v := range f.config {
		if isProviderArg(k) {
			l.ProviderArgs[k] = v
		}
	}
	applyRunOrder(l)
}

// surefireOwn are prefixes of Surefire's settings that other launchers do not need.
var surefireOwn = []string{"classPathUrl.", "surefireClassPathUrl.", "tc.", "includes", "excludes", "specificTest", "shadefire"}

func isProviderArg(key string) bool {
	for _, prefix := range surefireOwn {
		if rest, ok := strings.CutPrefix(key, prefix); ok {
			if _, err := strconv.Atoi(rest); err == nil || rest == "" {
				return false
			}
		}
	}
	return true
}

// orderLikeCheckout computes the "filesystem" order again from the checkout's folders, because the
// copy may list its files in another order.
func (p *Project) orderLikeCheckout(l *build.Launch) {
	if l.RunOrder != "" && l.RunOrder != "filesystem" {
		return
	}
	rank := map[string]int{}
	walkClasses(p.Source(l.TestOutput), "", func(path string) {
		rank[strings.ReplaceAll(path, "/", ".")] = len(rank)
	})
	sort.SliceStable(l.Classes, func(i, j int) bool {
		a, known := rank[l.Classes[i]]
		b, both := rank[l.Classes[j]]
		return known && both && a < b
	})
}
