package maven

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// Record builds the project and returns how each execution of a test plugin launches its tests, for
// the chosen module or for all. If nothing has changed since the last run, Record does not run
// Maven.
func (p *Project) Record(ctx context.Context) ([]Launch, error) {
	key := p.cacheKey()
	if launches, ok := p.cached(key); ok {
		return launches, nil
	}
	launches, session, err := p.recordTests(ctx)
	if err != nil {
		return nil, err
	}
	failsafe := p.hasFailsafe(session)
	if failsafe && p.missesTests(launches) {
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
		if err := p.probe(ctx, &launches[i]); err != nil {
			return nil, err
		}
	}
	p.markBuilt()
	p.store(key, launches, failsafe)
	return launches, nil
}

// recordTests records the test phase. It handles a module that the reactor root does not list
// (outside some profile, say), and a module that needs another module's jar instead of its classes.
func (p *Project) recordTests(ctx context.Context) ([]Launch, *sessionRecord, error) {
	launches, session, err := p.recordPhase(ctx, p.phase)
	e, ok := err.(*Error)
	if ok && e.Code == CodeModule && !p.alone && p.module != "" {
		p.alone = true
		launches, session, err = p.recordPhase(ctx, p.phase)
		e, ok = err.(*Error)
	}
	if ok && p.phase == "test" && (e.Code == CodeNetwork && p.namesModule(e) || lacksModule(e)) {
		p.phase = "package"
		launches, session, err = p.recordPhase(ctx, p.phase)
	}
	return launches, session, err
}

// lacksModule reports whether the compiler did not find a module of Java. That of a multi-release
// module is in its jar, where javac finds it, and in a folder of classes, where it does not.
func lacksModule(e *Error) bool {
	return e.Code == CodeBroken && strings.Contains(e.Detail, "module-info.java") && strings.Contains(e.Detail, "module not found: ")
}

// namesModule reports whether the unresolved artifact is a module of this build.
func (p *Project) namesModule(e *Error) bool {
	return slices.ContainsFunc(p.modules(), func(m mavenModule) bool {
		return strings.Contains(e.Message+e.Detail, m.pom.GroupID+":"+m.pom.ArtifactID+":") &&
			!strings.Contains(e.Detail, "on project "+m.pom.ArtifactID+":")
	})
}

// recordPhase runs Maven with odfix's extension up to a phase.
func (p *Project) recordPhase(ctx context.Context, phase string) ([]Launch, *sessionRecord, error) {
	dir := filepath.Join(p.slot, "record")
	if err := os.RemoveAll(dir); err != nil {
		return nil, nil, diskError("cannot clear the last record", err)
	}
	if err := p.writeRequest(dir); err != nil {
		return nil, nil, err
	}
	if err := p.dropRecord(); err != nil {
		return nil, nil, err
	}
	run := mavenRun{dir: p.Copy(p.runDir()), record: dir, args: append(p.selection(), phase), log: filepath.Join(p.slot, "maven.log")}
	if err := p.runMaven(ctx, run); err != nil {
		return nil, nil, p.inCheckoutTerms(err)
	}
	session := &sessionRecord{}
	if err := readJSON(filepath.Join(dir, "session.json"), session); err != nil {
		return nil, nil, &Error{Code: CodeBroken, Message: "Maven ran, but did not load odfix's extension",
			Hint: "Maven 3.6 or later is needed; `mvn -v` shows yours.", Detail: err.Error()}
	}
	if session.Maven != "" {
		p.maven.Version = session.Maven
	}
	launches, err := p.assemble(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("reading what Maven recorded: %w", err)
	}
	return launches, session, nil
}

// writeRequest writes the request for the extension.
func (p *Project) writeRequest(dir string) error {
	var b strings.Builder
	if p.module != "" {
		fmt.Fprintf(&b, "modules=%s\n", escapeProperty(p.Copy(filepath.Join(p.layout.reactor, p.module))))
	}
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "request.properties"), []byte(b.String()), 0o644)
	}
	return diskError("cannot write the request to Maven", err)
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
		return filepath.Join(p.layout.reactor, p.module)
	}
	return p.layout.reactor
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
		return m.Failsafe && (p.module == "" || m.Basedir == p.Copy(filepath.Join(p.layout.reactor, p.module)))
	})
}

// missesTests reports whether no launch has one of the requested tests.
func (p *Project) missesTests(launches []Launch) bool {
	known := map[string]bool{}
	for _, l := range launches {
		for _, c := range l.Classes {
			known[c], known[c[strings.LastIndexByte(c, '.')+1:]] = true, true
		}
	}
	return slices.ContainsFunc(p.opts.Tests, func(t string) bool {
		return !slices.ContainsFunc(possibleClasses(t), func(c string) bool { return known[c] })
	}) || len(known) == 0
}

// withoutTestNG leaves out launches of TestNG tests, and notes that. It returns an error if no launch
// remains.
func withoutTestNG(launches []Launch) ([]Launch, error) {
	out := suite.Filter(launches, func(l Launch) bool {
		return !strings.Contains(strings.ToLower(l.Provider), "testng")
	})
	if len(out) == 0 {
		return nil, &Error{Code: CodeFramework, Message: "the build runs its tests with TestNG, which odfix does not support yet",
			Hint: "odfix works on JUnit 3 to 6."}
	}
	if len(out) < len(launches) {
		out[0].Notes = append(out[0].Notes, "The build also runs tests with TestNG, which odfix does not support yet. They are left out.")
	}
	return out, nil
}

// checkLaunches refuses a build that runs no tests, and names the switch that disables them.
func (p *Project) checkLaunches(launches []Launch) error {
	classes := 0
	for _, l := range launches {
		classes += len(l.Classes)
	}
	if classes > 0 {
		return nil
	}
	e := &Error{Code: CodeNoTests, Message: "the build runs no tests", Hint: "Check that `" + p.typed("test") + "` runs any."}
	if p.module != "" {
		e.Message = "the build runs no tests in module " + p.module
	}
	records, _ := readRecords(filepath.Join(p.slot, "record"), "test.json")
	if reason := skipReason(records); reason != "" {
		e.Message, e.Hint = e.Message+": "+reason, "Pass the setting or profile that turns them on, for example -DskipTests=false."
	} else if plugin := tooOldPlugin(records); plugin != "" {
		e.Code, e.Message = CodeNotYet, "the build runs its tests with "+plugin+", which is too old for odfix"
		e.Hint = "Use version " + oldestPlugin + " or later in the pom."
	}
	return e
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
	if e, ok := err.(*Error); ok {
		e.Detail = strings.ReplaceAll(e.Detail, p.tree(), p.layout.anchor)
		e.Message = strings.ReplaceAll(e.Message, p.tree(), p.layout.anchor)
		if e.Code == CodeNetwork {
			e.Hint = strings.ReplaceAll(e.Hint, "the project's build once", "`"+p.online("test")+"` once")
		}
		if e.Code == CodeModule {
			e.Hint = "Modules: " + strings.Join(p.moduleNames(), ", ")
		}
	}
	return err
}

// markBuilt records that the copy's outputs are newer than the checkout's.
func (p *Project) markBuilt() {
	s := p.readOutputs()
	s.Built = time.Now().UnixNano()
	p.writeOutputs(s)
}
