package ci

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/odfix/odfix/internal/suite"
)

// maxParts bounds the plugin executions of a log.
const maxParts = 10_000

// parseLog reads the console output of Maven, Gradle or Jest, with the additions of CI systems. If
// several tools ran tests, it uses the first tool with failing tests.
func parseLog(path string, src *source) (Evidence, error) {
	return newLogParser(src.limits).read(path, src)
}

func newLogParser(l Limits) *logParser { return &logParser{spent: newBudget(l)} }

func (p *logParser) read(path string, src *source) (Evidence, error) {
	for {
		raw, err := src.line()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && (p.spent.tests == 0 || src.ctx.Err() != nil) {
			return Evidence{}, src.failure(err)
		}
		if err != nil {
			p.notes = append(p.notes, src.failure(err).Error())
			break
		}
		if p.relevant() || interesting(raw) {
			p.line(cleanLine(raw))
		}
		p.others(raw)
		if p.spent.over || len(p.parts) > maxParts {
			return Evidence{}, fmt.Errorf("%s %w; keep only the lines of one module", path, p.spent.err())
		}
	}
	var passed *Evidence
	for _, read := range []func(string) Evidence{p.evidence, p.gradle.evidence, p.jest.evidence} {
		ev := read("log " + path)
		switch {
		case len(ev.Failed) > 0:
			return ev, nil
		case len(ev.Tests) > 0 && passed == nil:
			passed = &ev
		}
	}
	if passed != nil {
		return *passed, nil
	}
	return Evidence{}, p.nothing(path, src.lineNo)
}

// others passes a line to the readers for other tools.
func (p *logParser) others(raw []byte) {
	if len(raw) > maxID {
		return
	}
	gradle, jest := gradleMark(raw), jestMark(raw)
	if !gradle && !jest {
		return
	}
	text := cleanLine(raw).text
	if gradle {
		p.gradle.line(text, p.keep)
	}
	if jest {
		p.jest.line(text, p.keep)
	}
}

func (p *logParser) nothing(path string, lines int) error {
	return fmt.Errorf("%s (%d lines) is neither an order file nor a log of Maven, Gradle or Jest with test results (no %q or %q lines); "+
		"give one test a line as Class#method, the output of mvn test without -q, or a folder of test reports "+
		"(target/surefire-reports, build/test-results/test)",
		path, lines, "Running com.acme.FooTest", "Tests run: …")
}

// logParser is a state machine over lines. Its state is the running plugin, the running class, and
// whether a summary or a list of crashed tests is being read.
type logParser struct {
	parts   []*logPart
	cur     *logPart // nil outside of a test plugin's execution
	strict  bool     // this Surefire prints levels: a line without a level is output of a test
	summary string   // the section of the summary, "results" at its begin, "" outside
	crashed bool     // crashed tests are being listed
	spent   *budget
	gradle  gradleLog
	jest    jestLog
	notes   []string
	// parallel: modules are built in parallel, and their lines alternate.
	parallel bool
}

// keep charges a name that is kept to the budget.
func (p *logParser) keep(name string) { p.spent.spend(name) }

// relevant reports whether a line matters even if interesting does not accept it.
func (p *logParser) relevant() bool { return p.summary != "" || p.crashed }

func (p *logParser) line(l logLine) {
	if g := mojoLine.FindStringSubmatch(l.text); g != nil && l.level {
		p.mojo(g[1], g[2], g[3], g[4], g[5])
		return
	}
	if l.level && strings.HasPrefix(l.text, "Using the MultiThreadedBuilder") {
		p.parallel = true
		return
	}
	if p.crashed {
		p.crash(l)
		return
	}
	if crashLine.MatchString(l.text) && l.level {
		p.crashed, p.summary = true, ""
		return
	}
	if p.summary != "" {
		p.summarise(l)
		return
	}
	if p.strict && !l.level {
		return
	}
	p.surefire(l)
}

// mojo reads the line with which Maven announces a plugin. A test plugin begins a part. Another
// plugin ends it.
func (p *logParser) mojo(plugin, version, goal, execution, module string) {
	p.summary, p.crashed = "", false
	if p.cur != nil && p.cur.busy() {
		p.parallel = true // another plugin has output while a class runs: modules are built in parallel
	} else {
		p.cur = nil
	}
	if (plugin != "surefire" && plugin != "failsafe") || (goal != "test" && goal != "integration-test") {
		return
	}
	if len(module) > maxName || len(execution) > maxName {
		return
	}
	p.strict = printsLevels(version)
	p.spent.add(len(module) + len(execution))
	p.begin(module, execution)
}

func (p *logParser) begin(module, execution string) {
	p.cur = newLogPart(module, execution, p.spent)
	p.parts = append(p.parts, p.cur)
}

// printsLevels reports whether this Surefire prints its lines with a level: since 2.20 it uses
// Maven's logger.
func printsLevels(version string) bool {
	var major, minor int
	if n, _ := fmt.Sscanf(version, "%d.%d", &major, &minor); n < 2 {
		return true
	}
	return major > 2 || minor >= 20
}

// part returns the current part. If an excerpt of a log begins in the middle of a part, it makes
// one.
func (p *logParser) part() *logPart {
	if p.cur == nil {
		p.begin("", "")
	}
	return p.cur
}

// owner returns the part in which a class began. If modules are built in parallel, this may not be
// the current part.
func (p *logParser) owner(class string) *logPart {
	const near = 64
	for i := len(p.parts) - 1; p.parallel && i >= max(0, len(p.parts)-near); i-- {
		if c := p.parts[i].byName[class]; c != nil && c.running {
			return p.parts[i]
		}
	}
	return p.part()
}

func (p *logParser) surefire(l logLine) {
	if g := runningLine.FindStringSubmatch(l.text); g != nil && isClass(g[1]) {
		// In an excerpt without plugin headers, the first class shows whether Surefire prints
		// levels.
		p.strict = p.strict || (l.level && p.cur == nil)
		p.keep(g[1])
		p.part().running(g[1])
		return
	}
	if g := doneLine.FindStringSubmatch(l.text); g != nil {
		name := withoutSuffix(g[6])
		p.keep(name)
		p.cur = p.owner(name)
		p.cur.done(name, g[1], seconds(g[5]), p.strict || l.level)
		return
	}
	if g := testLine.FindStringSubmatch(l.text); g != nil && p.cur != nil {
		p.cur.test(g[1], g[2] != "")
		return
	}
	if resultsLine.MatchString(l.text) && p.cur != nil {
		p.summary = "results"
	}
}

// summarise reads the list after "Results:" up to the totals.
func (p *logParser) summarise(l logLine) {
	text := strings.TrimSpace(l.text)
	if totalLine.MatchString(text) && !strings.Contains(text, "Time elapsed") {
		p.summary = ""
		return
	}
	if strings.HasPrefix(text, "BUILD ") || runningLine.MatchString(text) {
		p.summary = ""
		p.line(l)
		return
	}
	if g := sectionLine.FindStringSubmatch(text); g != nil {
		p.summary, text = g[1], g[2]
	}
	if p.summary == "results" || text == "" || (p.strict && !l.level) {
		return
	}
	p.keep(text)
	p.cur.summarised(text, strings.HasPrefix(p.summary, "Flake"))
}

// crash reads the list after "Crashed tests:".
func (p *logParser) crash(l logLine) {
	text := strings.TrimSpace(l.text)
	id, ok := parseID(text)
	if !l.level || !ok || !strings.Contains(text, ".") {
		p.crashed = false
		if text != "" {
			p.line(l)
		}
		return
	}
	p.keep(id)
	if len(p.parts) > 0 {
		p.parts[len(p.parts)-1].failed.add(id)
	}
}

func (p *logParser) evidence(source string) Evidence {
	ev := Evidence{Source: source, Provenance: suite.Exact, Notes: p.notes}
	defer func() {
		if p.spent.over { // by names in the summary, which are read last
			ev.note("the log names too many tests: some that failed are left out")
		}
	}()
	if len(p.notes) > 0 {
		ev.Provenance = suite.Partial // the log could not be read to its end
	}
	if p.parallel {
		ev.Provenance = suite.Inferred
		ev.note("modules were built in parallel (mvn -T): odfix can only guess which class belongs to which module")
	}
	var flaked set
	for _, lp := range p.parts {
		if p.parallel {
			lp.module = ""
		}
		part, trust := lp.finish(&ev)
		if len(part.Tests)+len(part.Failed) == 0 {
			continue
		}
		ev.Provenance = ev.Provenance.AtBest(trust)
		ev.Parts = append(ev.Parts, part)
		flaked.add(lp.flaked.list...)
	}
	ev.join()
	ev.Flaked = flaked.list
	return ev
}
