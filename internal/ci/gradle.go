package ci

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/odfix/odfix/internal/suite"
)

// These patterns match lines of Gradle's test task. By default it names failing tests only. With
// testLogging it names other tests, too.
var (
	gradleTask   = regexp.MustCompile(`^(?:> Task )?(:[\pL\d_.:-]+)(?: (?:FAILED|UP-TO-DATE|NO-SOURCE|SKIPPED|FROM-CACHE))?$`)
	gradleResult = regexp.MustCompile(`^(?:Gradle (?:suite|test|Test Run \S+|Test Executor \d+) > )*(\S.*?) > (.+) (PASSED|FAILED|SKIPPED)$`)
	gradleTotal  = regexp.MustCompile(`^(\d+) tests? completed\b`)
)

// gradleLog reads what Gradle prints about its tests.
type gradleLog struct {
	parts  []*gradlePart
	byTask map[string]*gradlePart
	cur    *gradlePart
	odd    []string // failing tests whose method the log does not name
}

// gradlePart is what a log shows of one test task.
type gradlePart struct {
	task       string
	tests      set
	failed     set
	results    int // results, each invocation counted
	total      int // as announced; 0: not announced
	passed     bool
	class      string
	left       map[string]bool // classes that another class followed
	overlapped bool
}

// gradleMark is a quick test for lines that matter.
func gradleMark(raw []byte) bool {
	return bytes.Contains(raw, []byte(" > ")) || bytes.Contains(raw, []byte("> Task :")) ||
		bytes.Contains(raw, []byte(" completed")) || bytes.HasPrefix(raw, []byte(":"))
}

func (g *gradleLog) line(text string, spent func(string)) {
	if m := gradleTask.FindStringSubmatch(text); m != nil && len(m[1]) <= maxName {
		g.task(m[1])
		return
	}
	if m := gradleTotal.FindStringSubmatch(text); m != nil && g.cur != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			g.cur.total = n
		}
		return
	}
	if m := gradleResult.FindStringSubmatch(text); m != nil && len(text) <= maxName {
		g.result(m[1], m[2], m[3], spent)
	}
}

// task begins a task's lines, or continues them, because the output of parallel tasks alternates.
func (g *gradleLog) task(name string) {
	if p := g.byTask[name]; p != nil {
		g.cur = p
		return
	}
	if g.byTask == nil {
		g.byTask = map[string]*gradlePart{}
	}
	if len(g.parts) < maxParts {
		name = strings.Clone(name) // without the line that it is a part of
		g.cur = &gradlePart{task: name, left: map[string]bool{}}
		g.parts, g.byTask[name] = append(g.parts, g.cur), g.cur
	}
}

func (g *gradleLog) result(class, rest, outcome string, spent func(string)) {
	id, ok := gradleID(class, strings.Split(rest, " > "))
	if g.cur == nil {
		g.task("")
	}
	g.cur.results++
	switch {
	case id == "":
		return // the project printed a line that looks like a result
	case !ok && outcome == "FAILED":
		if len(g.odd) < 3 {
			g.odd = append(g.odd, class+" > "+rest)
		}
		return
	case !ok:
		return
	}
	spent(id)
	g.cur.ran(id, outcome)
}

func (p *gradlePart) ran(id, outcome string) {
	class, _, _ := strings.Cut(id, "#")
	class, _, _ = strings.Cut(class, "$")
	if class != p.class {
		p.overlapped = p.overlapped || p.left[class]
		p.left[p.class], p.class = true, strings.Clone(class) // without the line that it is a part of
	}
	p.tests.add(id)
	switch outcome {
	case "FAILED":
		p.failed.add(id)
	case "PASSED":
		p.passed = true
	}
}

// gradleID returns the id of a test. It is empty if the line names no test. ok is false if the line
// has a display name instead of a method.
func gradleID(class string, rest []string) (id string, ok bool) {
	if !isTestClass(class) {
		return "", false
	}
	for i, s := range rest {
		s = strings.TrimSpace(s)
		last := i == len(rest)-1
		switch {
		case s == "classMethod" || s == "initializationError" || s == "executionError":
			return class, true
		case isMethod(s):
			return testID(class, s), true
		case !last && isTestClass(s) && !strings.Contains(s, "."):
			class += "$" + s // a nested class; after a method comes an invocation of the method
		default:
			return class, false
		}
	}
	return class, false
}

func (g *gradleLog) evidence(source string) Evidence {
	ev := Evidence{Source: source, Provenance: suite.Exact, Tool: Gradle}
	silent := false
	for _, p := range g.parts {
		if len(p.tests.list) == 0 {
			continue
		}
		module, execution := "", p.task
		if i := strings.LastIndexByte(p.task, ':'); i >= 0 {
			module, execution = p.task[:i], p.task[i+1:]
		}
		ev.Parts = append(ev.Parts, Part{Module: module, Execution: execution, Tests: p.tests.list, Failed: p.failed.list})
		switch {
		case !p.passed:
			silent, ev.Provenance = true, suite.Inferred
		case p.overlapped:
			ev.Provenance = suite.Inferred
			ev.note("classes overlap in %s: they ran in parallel or in several JVMs", p.task)
		case p.total != p.results:
			ev.Provenance = ev.Provenance.AtBest(suite.Partial)
		}
	}
	if silent {
		ev.note("Gradle's log names failing tests only: which tests ran before them is not known")
	}
	if len(g.odd) > 0 {
		ev.note("failing tests are left out that the log names by their display names, such as %q", g.odd[0])
	}
	ev.join()
	ev.Tests = slices.Clip(ev.Tests)
	return ev
}
