package maven

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/java/build"
	"github.com/odfix/odfix/internal/suite"
	"github.com/odfix/odfix/runner/junit"
)

// Record builds the project and returns how each execution of a test plugin launches its tests, for
// the chosen module or for all. If nothing has changed since the last run, Record does not run
// Maven.
func (p *Project) Record(ctx context.Context) ([]build.Launch, error) {
	key := p.cacheKey()
	if launches, ok := p.recorded(key); ok {
		return launches, nil
	}
	launches, session, err := p.recordTests(ctx)
	if err != nil {
		return nil, err
	}
	failsafe := p.hasFailsafe(session)
	if failsafe && p.Lacks(build.ClassesOf(launches)) {
		if launches, _, err = p.recordPhase(ctx, "integration-test"); err != nil {
			return nil, err
		}
		failsafe = false // the later phase was recorded as well
	}
	if err := p.checkLaunches(launches); err != nil {
		return nil, err
	}
	if launches, err = withoutTestNG(launches); err != nil {
		return nil, err
	}
	for i := range launches {
		if err := build.Probe(ctx, &launches[i], "argLine in the pom", p.typed("test")); err != nil {
			return nil, err
		}
	}
	p.Keep(key, state{p.maven.Version, p.alone, p.phase, failsafe}, launches)
	return launches, nil
}

// state is kept with the record of a build.
type state struct {
	Maven    string `json:"maven"`
	Alone    bool   `json:"alone"`
	Phase    string `json:"phase"`
	Failsafe bool   `json:"failsafe"` // Failsafe has tests, and its phase was not recorded
}

// recorded returns the last record if it is still valid and has the tests.
func (p *Project) recorded(key string) ([]build.Launch, bool) {
	var s state
	launches, ok := p.Recorded(key, &s)
	if !ok || s.Failsafe && p.Lacks(build.ClassesOf(launches)) {
		return nil, false
	}
	p.maven.Version, p.alone, p.phase = s.Maven, s.Alone, s.Phase
	return launches, true
}

// cacheKey covers all that decides what Maven would record.
func (p *Project) cacheKey() string {
	jar, _ := junit.Unpack(filepath.Join(p.Opts.Work, "jars"), junit.Launch)
	home, _ := os.UserHomeDir()
	settings := []string{filepath.Join(home, ".m2", "settings.xml"), filepath.Join(home, ".m2", "toolchains.xml"), p.maven.Command[0]}
	return p.Key(settings, jar, p.maven.Command, p.module, os.Getenv("MAVEN_OPTS"), os.Getenv("MAVEN_ARGS"))
}

// recordTests records the test phase. It handles a module that the reactor root does not list
// (outside some profile, say), and a module that needs another module's jar instead of its classes.
func (p *Project) recordTests(ctx context.Context) ([]build.Launch, *sessionRecord, error) {
	launches, session, err := p.recordPhase(ctx, p.phase)
	e, ok := err.(*build.Error)
	if ok && e.Code == build.CodeModule && !p.alone && p.module != "" {
		p.alone = true
		launches, session, err = p.recordPhase(ctx, p.phase)
		e, ok = err.(*build.Error)
	}
	if ok && p.phase == "test" && (e.Code == build.CodeNetwork && p.namesModule(e) || lacksModule(e)) {
		p.phase = "package"
		launches, session, err = p.recordPhase(ctx, p.phase)
	}
	return launches, session, err
}

// lacksModule reports whether the compiler did not find a module of Java. That of a multi-release
// module is in its jar, where javac finds it, and in a folder of classes, where it does not.
func lacksModule(e *build.Error) bool {
	return e.Code == build.CodeBroken && strings.Contains(e.Detail, "module-info.java") && strings.Contains(e.Detail, "module not found: ")
}

// namesModule reports whether the unresolved artifact is a module of this build.
func (p *Project) namesModule(e *build.Error) bool {
	return slices.ContainsFunc(p.modules(), func(m mavenModule) bool {
		return strings.Contains(e.Message+e.Detail, m.pom.GroupID+":"+m.pom.ArtifactID+":") &&
			!strings.Contains(e.Detail, "on project "+m.pom.ArtifactID+":")
	})
}

// recordPhase runs Maven with odfix's extension up to a phase.
func (p *Project) recordPhase(ctx context.Context, phase string) ([]build.Launch, *sessionRecord, error) {
	dir := p.Beside("record")
	if err := os.RemoveAll(dir); err != nil {
		return nil, nil, build.DiskError("cannot clear the last record", err)
	}
	if err := p.writeRequest(dir, p.Copy(filepath.Join(p.At.Root, p.module))); err != nil {
		return nil, nil, err
	}
	if err := p.Forget(); err != nil {
		return nil, nil, err
	}
	run := mavenRun{dir: p.Copy(p.runDir()), record: dir, args: append(p.selection(), phase), log: p.Beside("maven.log")}
	err := p.runMaven(ctx, run)
	if hidden := hiddenTests(dir); hidden != nil {
		return nil, nil, hidden
	}
	if err != nil {
		return nil, nil, p.inCheckoutTerms(err)
	}
	session := &sessionRecord{}
	if err := build.ReadJSON(filepath.Join(dir, "session.json"), session); err != nil {
		return nil, nil, &build.Error{Code: build.CodeBroken, Message: "Maven ran, but did not load odfix's extension",
			Hint: "Maven 3.6 or later is needed; `mvn -v` shows yours.", Detail: err.Error()}
	}
	if session.Maven != "" {
		p.maven.Version = session.Maven
	}
	launches, err := p.assemble(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("reading what Maven recorded: %w", err)
	}
	raised(launches, session)
	return launches, session, nil
}

// hiddenTests returns an error if another extension of Maven hid the settings of a test plugin from
// odfix's extension. Its tests have not run then.
func hiddenTests(dir string) error {
	records, _ := readRecords(dir, "test.json")
	for _, r := range records {
		if r.HiddenBy != "" {
			return &build.Error{Code: build.CodeBroken,
				Message: "odfix cannot read how " + r.Plugin + " runs the tests: the extension " + r.HiddenBy + " hides its settings",
				Hint: "Pass the property that switches this extension off, if it has one; " +
					"or remove it from .mvn/extensions.xml or the pom while odfix runs."}
		}
	}
	return nil
}

// writeRequest writes the request for the extension.
func (p *Project) writeRequest(dir, module string, without ...string) error {
	var b strings.Builder
	if len(without) > 0 {
		fmt.Fprintf(&b, "without=%s\n", escapeProperty(strings.Join(without, ",")))
	}
	if p.module != "" {
		fmt.Fprintf(&b, "modules=%s\n", escapeProperty(module))
	}
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "request.properties"), []byte(b.String()), 0o644)
	}
	return build.DiskError("cannot write the request to Maven", err)
}

// escapeProperty escapes a value for java.util.Properties.
func escapeProperty(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\\':
			b.WriteString(`\\`)
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+(r>>10), 0xdc00+(r&0x3ff))
		case r < ' ' || r > '~':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// runDir is the checkout's folder in which Maven runs.
func (p *Project) runDir() string {
	if p.alone {
		return filepath.Join(p.At.Root, p.module)
	}
	return p.At.Root
}

// selection restricts the build to the chosen module and the modules it needs.
func (p *Project) selection() []string {
	if p.module == "" || p.module == "." || p.alone {
		return nil
	}
	return []string{"-pl", filepath.ToSlash(p.module), "-am"}
}

// hasFailsafe reports whether Failsafe would run tests in a later phase of the build.
func (p *Project) hasFailsafe(s *sessionRecord) bool {
	return slices.ContainsFunc(s.Modules, func(m moduleRecord) bool {
		return m.Failsafe && (p.module == "" || m.Basedir == p.Copy(filepath.Join(p.At.Root, p.module)))
	})
}

// withoutTestNG leaves out launches of TestNG tests, and notes that. It returns an error if no launch
// remains.
func withoutTestNG(launches []build.Launch) ([]build.Launch, error) {
	out := suite.Filter(launches, func(l build.Launch) bool {
		return !strings.Contains(strings.ToLower(l.Provider), "testng")
	})
	if len(out) == 0 {
		return nil, &build.Error{Code: build.CodeFramework, Message: "the build runs its tests with TestNG, which odfix does not support yet",
			Hint: "odfix works on JUnit 3 to 6."}
	}
	if len(out) < len(launches) {
		out[0].Notes = append(out[0].Notes, "The build also runs tests with TestNG, which odfix does not support yet. They are left out.")
	}
	return out, nil
}

// checkLaunches refuses a build that runs no tests, and names the switch that disables them.
func (p *Project) checkLaunches(launches []build.Launch) error {
	classes := 0
	for _, l := range launches {
		classes += len(l.Classes)
	}
	if classes > 0 {
		return nil
	}
	e := &build.Error{Code: build.CodeNoTests, Message: "the build runs no tests", Hint: "Check that `" + p.typed("test") + "` runs any."}
	if p.module != "" {
		e.Message = "the build runs no tests in module " + p.module
	}
	records, _ := readRecords(p.Beside("record"), "test.json")
	if reason := skipReason(records); reason != "" {
		e.Message, e.Hint = e.Message+": "+reason, "Pass the setting or profile that turns them on, for example -DskipTests=false."
	} else if by := wrapper(records); by != "" {
		e.Message += ", or the extension " + by + " has taken their result from an earlier build"
		e.Hint += " If it does, switch off the cache of this extension."
	}
	return e
}

// wrapper returns the extension that runs the test plugins for Maven, if there is one.
func wrapper(records []*mojoRecord) string {
	for _, r := range records {
		if r.WrappedBy != "" {
			return r.WrappedBy
		}
	}
	return ""
}

// skipReason finds the switch that disables the tests.
func skipReason(records []*mojoRecord) string {
	for _, r := range records {
		for _, name := range []string{"skipTests", "skip", "skipExec", "skipITs"} {
			if r.Parameters.flag(name) {
				return name + " is set for " + r.Plugin + " in " + r.Module
			}
		}
	}
	return ""
}

// inCheckoutTerms replaces the copy's paths in an error with the checkout's.
func (p *Project) inCheckoutTerms(err error) error {
	if e, ok := err.(*build.Error); ok {
		e.Detail = strings.ReplaceAll(e.Detail, p.Tree(), p.At.Anchor)
		e.Message = strings.ReplaceAll(e.Message, p.Tree(), p.At.Anchor)
		if e.Code == build.CodeNetwork {
			e.Hint = strings.ReplaceAll(e.Hint, "the project's build once", "`"+p.online("test")+"` once")
		}
		if e.Code == build.CodeModule {
			e.Hint = "Modules: " + strings.Join(p.moduleNames(), ", ")
		}
	}
	return err
}
