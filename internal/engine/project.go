package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/java/maven"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
	"github.com/odfix/odfix/runner/junit"
)

// project is one module of a checkout, built, and ready to be asked.
type project struct {
	*lab
	build  *maven.Project
	launch maven.Launch
	suite  *suite.Suite
	names  *suite.Resolver
	groups *suite.Groups
	info   harness.Info
	work   string // scratch folder of this job, removed by the build's Close
	jar    string // the harness
}

// open builds the project and discovers the tests of the module that holds the
// named ones.
func (w *worker) open(ctx context.Context, names []string, r *job.Report) (*project, error) {
	w.enter(job.PhaseBuild)
	w.say(job.Event{Message: "building a copy of the project"})
	b, err := maven.Open(ctx, w.buildOptions(ctx, names))
	if err != nil {
		return nil, err
	}
	p := &project{build: b}
	if err := p.start(ctx, w, names); err != nil {
		_ = p.Close()
		return nil, err
	}
	p.describe(ctx, w, r)
	w.names = p.names
	return p, nil
}

func (w *worker) buildOptions(ctx context.Context, names []string) maven.Options {
	opts := maven.Options{
		Dir: w.job.Dir, Module: w.job.Module, Tests: names, Args: w.job.BuildArgs,
		Offline: w.job.Offline, JavaHome: w.job.Runtime, Work: w.job.Work, Wait: 30 * time.Second,
	}
	if at, ok := ctx.Deadline(); ok {
		opts.Budget = time.Until(at)
	}
	return opts
}

// justBuild builds up to where tests would run. The next job with the same
// work folder finds everything there.
func (w *worker) justBuild(ctx context.Context) error {
	w.enter(job.PhaseBuild)
	w.say(job.Event{Message: "fetching what the build needs"})
	b, err := maven.Open(ctx, w.buildOptions(ctx, w.job.Tests))
	if err != nil {
		return err
	}
	_, err = b.Record(ctx)
	return errors.Join(err, b.Close())
}

func (p *project) start(ctx context.Context, w *worker, names []string) error {
	launches, err := p.build.Record(ctx)
	if err != nil {
		return err
	}
	if p.launch, err = chooseLaunch(launches, names); err != nil {
		return err
	}
	if p.work, err = p.build.Scratch(); err != nil {
		return err
	}
	jars := w.job.Work
	if jars == "" {
		if jars, err = os.UserCacheDir(); err != nil {
			return err
		}
		jars = filepath.Join(jars, "odfix")
	}
	if p.jar, err = junit.Unpack(filepath.Join(jars, "jars"), junit.Harness); err != nil {
		return err
	}
	p.lab = &lab{log: w.log, isolated: p.launch.ForkPerClass, ends: &w.ends, spec: func(overlay string) (harness.Spec, harness.Spec, error) { return p.specs(p.launch, overlay) }}
	exact, quick, err := p.specs(p.launch, "")
	if err != nil {
		return err
	}
	if p.base, err = harness.NewPool(harness.Config{Exact: exact, Quick: quick, Parallel: w.job.Parallel, Limits: limits(w.job)}); err != nil {
		return err
	}
	w.mu.Lock()
	w.cost = p.base.Stats
	w.mu.Unlock()
	p.lab.tidy = newTidy(ctx, w.log, &p.lab.litters, p.build.Remember, filepath.Join(p.work, "kept"))
	return p.discover(ctx, w)
}

// limits are the harness's, unless the job says how long a test may take.
func limits(j job.Job) harness.Limits {
	d := j.TestTimeout
	return harness.Limits{Floor: d, Unseen: d, Cap: d}
}

func (p *project) discover(ctx context.Context, w *worker) error {
	w.enter(job.PhaseDiscover)
	w.say(job.Event{Message: fmt.Sprintf("looking at %d test classes", len(p.launch.Classes))})
	var err error
	leave := p.lab.tidy.enter(true, suite.Fresh) // classes are loaded, which may write, too
	p.suite, p.info, err = p.base.Discover(ctx, p.launch.Classes)
	leave()
	if err != nil {
		return err
	}
	p.original = p.suite.Order()
	if len(p.original) == 0 {
		return noTests(p.launch, p.info, p.suite)
	}
	p.names = suite.NewResolver(p.suite, junitid.Syntax{})
	p.groups = suite.NewGroups(p.suite, junitid.Syntax{})
	return nil
}

// noTests says why there is nothing to run.
func noTests(l maven.Launch, info harness.Info, s *suite.Suite) error {
	e := &job.Error{Code: maven.CodeNoTests, Message: fmt.Sprintf("no JUnit tests among the %d classes that %s would run", len(l.Classes), l.Plugin)}
	for _, c := range info.Classes {
		if c.Framework == "testng" || c.Framework == "spock" {
			e.Code, e.Message = maven.CodeFramework, "the tests are "+c.Framework+" tests, which odfix does not support yet"
			e.Hint = "odfix works on JUnit 3, 4 and 5."
			return e
		}
	}
	for _, problem := range s.Problems {
		e.Detail += problem.Class + ": " + problem.Reason + "\n"
	}
	if strings.Contains(e.Detail, "UnsupportedClassVersionError") {
		e.Code, e.Message = maven.CodeJDKTooOld, "the compiled classes are for a newer Java than "+info.Java+", with which the build runs them"
		e.Hint = "Build with a newer JDK (JAVA_HOME, or --java-home), or compile again with this one (mvn clean)."
		return e
	}
	e.Hint = "Check that the module's own build runs tests."
	return e
}

// chooseLaunch picks the execution whose classes hold the named tests; without
// names the one with the most classes.
func chooseLaunch(launches []maven.Launch, names []string) (maven.Launch, error) {
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
		return maven.Launch{}, &job.Error{Code: maven.CodeNoTests, Message: "the build runs no tests"}
	}
	return launches[best], nil
}

// belongs reports whether a test's name, as anybody may write it, can belong to the class.
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

// specs are the commands that start the launch's JVM: exactly as the build
// does, and with flags for quick searching.
func (p *project) specs(l maven.Launch, overlay string) (exact, quick harness.Spec, err error) {
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

// jvm is how the build starts the launch's JVM, with the harness in it.
func (p *project) jvm(l maven.Launch) harness.JVM {
	return harness.JVM{
		Java: l.Java, Args: l.JVMArgs, QuickArgs: l.QuickArgs(), ClassPath: slices.Concat(l.ClassPath, l.ProviderPath),
		Properties: properties(l), Modules: harness.Modules(l.Modules), Env: l.Environ(os.Environ()),
		Dir: l.Dir, HarnessJar: p.jar, Scratch: p.work,
	}
}

// properties adds to the build's system properties what the harness needs to
// know of its selection of tests.
func properties(l maven.Launch) map[string]string {
	out := map[string]string{}
	for k, v := range l.Properties {
		out[k] = v
	}
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

// providerName says by which of JUnit's ways the build runs its tests, from the
// class name of Surefire's provider; "" where that is not known.
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

// describe fills in the report's page about the project.
func (p *project) describe(ctx context.Context, w *worker, r *job.Report) {
	l := p.launch
	r.Project.Root = p.build.Checkout()
	r.Project.Revision = revision(ctx, p.build.Checkout())
	r.Project.Build = p.build.Tool()
	r.Project.Provider = fmt.Sprintf("%s %s (%s), %s", strings.TrimSuffix(strings.TrimPrefix(l.Plugin, "maven-"), "-plugin"), l.Version, l.Execution, strings.Join(p.info.Frameworks, ", "))
	r.Project.Runtime, r.Project.Tests = p.info.Java, len(p.original)
	r.Project.Isolated, r.Project.Parallel = l.ForkPerClass, l.Parallel
	r.Project.BuildArgs = w.job.BuildArgs
	r.Project.Module = p.module()
	r.Notes = append(r.Notes, l.Notes...)
	for _, problem := range p.suite.Problems {
		r.Notes = append(r.Notes, fmt.Sprintf("%s cannot be run: %s", problem.Class, problem.Reason))
	}
	if l.Unordered {
		r.Notes = append(r.Notes, "The build's own order of classes differs from run to run ("+l.RunOrder+"); the one used here is in the report.")
	}
	if l.Parallel {
		r.Notes = append(r.Notes, "The build runs tests of one JVM in parallel; odfix runs them one after the other.")
	}
	w.log.Info("project", zap.String("module", l.Module), zap.String("provider", r.Project.Provider), zap.Int("tests", len(p.original)))
}

// module is the module's folder relative to the checkout's build, "" for the root.
func (p *project) module() string {
	rel, err := filepath.Rel(p.build.Copy(p.build.Root()), p.launch.Basedir)
	if err != nil || rel == "." || strings.HasPrefix(rel, "..") {
		return ""
	}
	return filepath.ToSlash(rel)
}

// Close ends every process, removes scratch files and frees the copy.
func (p *project) Close() error {
	var errs []error
	if p.lab != nil && p.base != nil {
		errs = append(errs, p.lab.Close())
		if p.lab.tidy.close() {
			p.build.Tidied()
		}
	}
	return errors.Join(append(errs, p.build.Close())...)
}
