package java

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/java/build"
	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/suite"
	"github.com/odfix/odfix/runner/junit"
)

// Project is one module of a checkout, built, and ready to run its tests.
type Project struct {
	*processes
	opts   project.Options
	build  builder
	copy   *build.Workspace
	launch build.Launch
	suite  *suite.Suite
	groups *suite.Groups
	names  *suite.Resolver
	info   harness.Info
	work   string // scratch folder of this job, removed by the build's Close
	jar    string // the harness
	agents agents

	checks checks // that the project's own build fails in, with or without a patch
}

var (
	_ project.Project  = (*Project)(nil)
	_ project.Observer = (*Project)(nil)
	_ project.Editable = (*Project)(nil)
)

func (p *Project) start(ctx context.Context) error {
	launches, err := p.build.Record(ctx)
	if err != nil {
		return err
	}
	if p.launch, err = chooseLaunch(launches, p.opts.Tests); err != nil {
		return err
	}
	if p.work, err = p.copy.Scratch(); err != nil {
		return err
	}
	jars := p.opts.Work
	if jars == "" {
		if jars, err = os.UserCacheDir(); err != nil {
			return err
		}
		jars = filepath.Join(jars, "odfix")
	}
	if p.jar, err = junit.Unpack(filepath.Join(jars, "jars"), junit.Harness); err != nil {
		return err
	}
	exact, quick, err := p.specs(p.launch, "")
	if err != nil {
		return err
	}
	// The harness chooses the limits, unless the job says how long a test may take.
	limits := harness.Limits{Floor: p.opts.TestTimeout, Unseen: p.opts.TestTimeout, Cap: p.opts.TestTimeout}
	base, err := harness.NewPool(harness.Config{Exact: exact, Quick: quick, Parallel: p.opts.Parallel, Limits: limits})
	if err != nil {
		return err
	}
	p.processes = &processes{
		base: base, log: p.opts.Log, isolated: p.launch.ForkPerClass,
		spec:   func(overlay string) (harness.Spec, harness.Spec, error) { return p.specs(p.launch, overlay) },
		copies: &laterCopies{copy: p.makeCopies}, tree: p.copy.Tree(), checkout: p.copy.Checkout(),
	}
	p.tidy = newTidy(ctx, p.log, &p.testsWrite, nil, p.copy.Tree(), filepath.Join(p.work, "kept"))
	return p.discover(ctx)
}

func (p *Project) discover(ctx context.Context) error {
	p.opts.Phase(project.Discovering)
	p.opts.Progress("looking at " + suite.Count(len(p.launch.Classes), "test class", "test classes"))
	var err error
	leave := p.tidy.enter(true, suite.Fresh) // classes are loaded, which may write, too
	p.suite, p.info, err = p.base.Discover(ctx, p.launch.Classes, nil)
	leave()
	if err != nil {
		return err
	}
	if len(p.suite.Order()) == 0 {
		return noTests(p.launch, p.info, p.suite)
	}
	p.suite.Walk(func(leaf *suite.Node) { leaf.Name = cmp.Or(junitid.Method(leaf.Test), leaf.Name) })
	p.names = suite.NewResolver(p.suite, junitid.Syntax{})
	p.groups = suite.NewGroups(p.suite, junitid.Syntax{})
	return nil
}

// noTests returns the error for a suite without tests. It gives the reason.
func noTests(l build.Launch, info harness.Info, s *suite.Suite) error {
	e := &project.Error{Code: build.CodeNoTests,
		Message: fmt.Sprintf("no JUnit tests among the %d classes that %s would run", len(l.Classes), l.Plugin)}
	for _, c := range info.Classes {
		if c.Framework == "testng" || c.Framework == "spock" {
			e.Code, e.Message = build.CodeFramework, "the tests are "+c.Framework+" tests, which odfix does not support yet"
			e.Hint = "odfix works on JUnit 3 to 6."
			return e
		}
	}
	for _, problem := range s.Problems {
		e.Detail += problem.Class + ": " + problem.Reason + "\n"
	}
	if strings.Contains(e.Detail, "UnsupportedClassVersionError") {
		e.Code, e.Message = build.CodeJDKTooOld, "the compiled classes are for a newer Java than "+info.Java+
			", with which the build runs them"
		e.Hint = "Build with a newer JDK (JAVA_HOME, or --java-home), or remove the compiled classes and compile again with this one."
		return e
	}
	e.Hint = "Check that the module's own build runs tests."
	return e
}

// chooseLaunch picks the execution whose classes hold the named tests. Without names, it picks the
// one with the most classes.
func chooseLaunch(launches []build.Launch, names []string) (build.Launch, error) {
	best, most := -1, -1
	for i, l := range launches {
		score := 0
		for _, n := range names {
			if slices.ContainsFunc(l.Classes, func(c string) bool { return belongs(n, c) }) {
				score += 1 << 20
			}
		}
		if score += len(l.Classes); score > most {
			best, most = i, score
		}
	}
	if best < 0 {
		return build.Launch{}, &project.Error{Code: build.CodeNoTests, Message: "the build runs no tests"}
	}
	return launches[best], nil
}

// belongs reports whether a test's name, in any spelling, can belong to the class.
func belongs(name, class string) bool {
	simple := class[strings.LastIndexByte(class, '.')+1:]
	for _, c := range []string{class, simple} {
		rest, ok := strings.CutPrefix(name, c)
		if ok && (rest == "" || strings.ContainsAny(rest[:1], "#.$>")) {
			return true
		}
	}
	return false
}

// specs returns two commands that start the launch's JVM: one exactly as the build does, and one
// with flags for a quick search.
func (p *Project) specs(l build.Launch, overlay string) (exact, quick harness.Spec, err error) {
	jvm := p.jvm(l)
	if overlay != "" {
		jvm.Overlay = []string{overlay}
	}
	if exact, err = jvm.Spec(); err != nil {
		return exact, quick, err
	}
	jvm.Quick = true
	quick, err = jvm.Spec()
	return exact, quick, err
}

// jvm describes how the build starts the launch's JVM, and adds the harness.
func (p *Project) jvm(l build.Launch) harness.JVM {
	return harness.JVM{
		Java: l.Java, Args: l.JVMArgs, QuickArgs: l.QuickArgs(), ClassPath: slices.Concat(l.ClassPath, l.ProviderPath),
		Properties: properties(l), Modules: l.Modules, Env: l.Environ(os.Environ()),
		Dir: l.Dir, HarnessJar: p.jar, Scratch: p.work,
	}
}

// properties adds the build's selection of tests to the build's system properties. The harness
// reads it.
func properties(l build.Launch) map[string]string {
	out := map[string]string{}
	maps.Copy(out, l.Properties)
	if l.Groups != "" {
		out["odfix.groups"] = l.Groups
	}
	if l.NotGroups != "" {
		out["odfix.excludedGroups"] = l.NotGroups
	}
	if name := providerName(l.Provider); name != "" {
		out["odfix.provider"] = name
	}
	for from, to := range map[string]string{
		"listener": "odfix.listeners", "includejunit5engines": "odfix.includeEngines", "excludejunit5engines": "odfix.excludeEngines",
	} {
		if names := l.ProviderArgs[from]; names != "" {
			out[to] = names
		}
	}
	for _, line := range strings.Split(l.ProviderArgs["configurationParameters"], "\n") {
		if k, v, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			out[strings.TrimSpace(k)] = strings.TrimSpace(v)
		}
	}
	return out
}

// providerName returns the harness's name for the provider that runs the build's tests. class is
// the name of Surefire's provider class. The name is "" for an unknown provider.
func providerName(class string) string {
	class = strings.ToLower(class)
	for _, p := range []struct{ part, name string }{
		{"junitplatform", "junit-platform"}, {"junitcore", "junit4"}, {"junit4", "junit4"}, {"junit3", "junit3"},
	} {
		if strings.Contains(class, p.part) {
			return p.name
		}
	}
	return ""
}

// About implements project.Project.
func (p *Project) About() project.About {
	l := p.launch
	a := project.About{
		Language: Language{}.Name(), Root: p.copy.Checkout(), Module: p.module(), Name: l.Module,
		Build: p.build.Tool(), Runtime: p.info.Java,
		Runner: fmt.Sprintf("%s %s (%s), %s", strings.TrimSuffix(strings.TrimPrefix(l.Plugin, "maven-"), "-plugin"),
			l.Version, l.Execution, strings.Join(p.info.Frameworks, ", ")),
		Parallel: l.Parallel, BuildArgs: p.opts.BuildArgs, Isolated: l.ForkPerClass, Local: p.local(), Notes: slices.Concat(l.Notes, p.suite.Sentences()),
	}
	if l.Unordered {
		a.Notes = append(a.Notes, "The build's own order of classes differs from run to run ("+l.RunOrder+
			"); the one used here is in the report.")
	}
	if l.Parallel {
		a.Notes = append(a.Notes, "The build runs tests of one JVM in parallel; odfix runs them one after the other.")
	}
	return a
}

// Suite implements project.Project.
func (p *Project) Suite() *suite.Suite { return p.suite }

// Syntax implements project.Project.
func (p *Project) Syntax() suite.Syntax { return junitid.Syntax{} }

// Explain implements project.Project.
func (p *Project) Explain(err error) *project.Error { return explain(err) }

// module is the module's folder relative to the root of the build, "" for the root.
func (p *Project) module() string {
	rel, err := filepath.Rel(p.copy.Copy(p.copy.At.Root), p.launch.Basedir)
	if err != nil || rel == "." || strings.HasPrefix(rel, "..") {
		return ""
	}
	return filepath.ToSlash(rel)
}

// Close implements project.Project.
func (p *Project) Close() error {
	var errs []error
	if p.processes != nil {
		errs = append(errs, p.agents.close(), p.processes.close())
		if p.tidy.close() {
			p.copy.Cleaned()
		}
	}
	return errors.Join(append(errs, p.copy.Close())...)
}
