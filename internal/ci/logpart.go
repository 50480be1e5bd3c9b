package ci

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// logPart is one plugin execution in a log.
type logPart struct {
	module, execution string
	classes           []*classRun
	byName            map[string]*classRun
	current           *classRun // whose failures are being listed
	failed, flaked    set
	loose             map[string]bool // failures whose nested class the log did not name
	summary           []summaryLine
	overlap, rerun    bool
	took              time.Duration
	spent             *budget
}

// classRun is one class of a part.
type classRun struct {
	name    string
	tests   set
	named   int // tests that the log names, each invocation counted
	count   int // as announced; -1 until then
	running bool
	begun   bool
	whole   bool // listed by its name, tests unknown
}

func newLogPart(module, execution string, spent *budget) *logPart {
	return &logPart{module: strings.Clone(module), execution: strings.Clone(execution), byName: map[string]*classRun{},
		loose: map[string]bool{}, spent: spent}
}

func (p *logPart) class(name string) *classRun {
	c := p.byName[name]
	if c == nil {
		name = strings.Clone(name) // without the line that it is a part of
		c = &classRun{name: name, count: -1}
		p.byName[name] = c
		p.classes = append(p.classes, c)
	}
	return c
}

// running handles the line that a class begins. A class that began before runs again.
func (p *logPart) running(name string) {
	if p.busy() && !nestedIn(name, p.current.name) {
		p.overlap = true
	}
	c := p.class(name)
	p.rerun = p.rerun || c.begun
	c.running, c.begun = true, true
	p.current = c
}

// busy reports whether a class is running.
func (p *logPart) busy() bool { return p.current != nil && p.current.running }

// done handles the line that a class has ended. Surefire before 2.13 does not name the class. A
// test may print such a line, so a class that did not begin before is taken from plugin lines only.
func (p *logPart) done(name, count string, took time.Duration, plugin bool) {
	c := p.current
	if name != "" {
		if !isClass(name) || (p.byName[name] == nil && !plugin) {
			return
		}
		c = p.class(name)
	}
	if c == nil {
		return
	}
	c.running = false
	p.took += took
	if n, err := strconv.Atoi(count); err == nil && c.count < 0 {
		c.count = n
	}
	p.current = c
}

// test handles a line about a single test, in the form of any Surefire version.
func (p *logPart) test(name string, failure bool) {
	id, bare := p.identify(name)
	if id == "" || !p.spent.spend(id) {
		return
	}
	if c := p.current; c != nil && c.named < c.count {
		c.named++
		c.tests.add(id)
	}
	if failure {
		p.failed.add(id)
		if bare {
			p.loose[id] = true
		}
	}
}

// identify finds the class of a test's line. bare means that the line names no class, as lines of
// Surefire 2.22 for JUnit 5.
func (p *logPart) identify(name string) (id string, bare bool) {
	if len(name) > maxName {
		return "", false
	}
	cur := ""
	if p.current != nil {
		cur = p.current.name
	}
	if c := p.byName[name]; c != nil {
		return name, false
	}
	if rest, ok := strings.CutPrefix(name, cur+"."); ok && cur != "" {
		return testID(cur, rest), false
	}
	if class, method, ok := qualified(name); ok {
		return p.via(cur, class, method), false
	}
	if cur == "" {
		return "", false
	}
	return testID(cur, name), true
}

// via returns the id of a test in a class that did not begin itself, because a suite ran it.
func (p *logPart) via(cur, class, method string) string {
	id := testID(class, method)
	if p.byName[class] != nil {
		return id
	}
	return viaSuite(cur, id)
}

// summaryLine is a failure in the summary at the end.
type summaryLine struct {
	class, method string
	full, flake   bool // class is qualified; the test passed when run again
}

var (
	briefLine = regexp.MustCompile(`^([\pL\d_$]+)(?:>[\pL\d_$.]+)?\.([\pL\d_$]+)(?::\d+|->| |$)`)
	lambda    = regexp.MustCompile(`^lambda\$(\w+?)\$\d+$`)
	oldLine   = regexp.MustCompile(`^(.+?\([\pL\d_$]+(?:\.[\pL\d_$]+)+\)|[\pL\d_$]+(?:\.[\pL\d_$]+)+): `) // before the message, up to 2.12
)

// summarised handles a line of the summary's sections.
func (p *logPart) summarised(text string, flake bool) {
	if len(text) > maxName || strings.HasPrefix(text, "Run ") {
		return
	}
	if g := briefLine.FindStringSubmatch(text); g != nil && !strings.HasSuffix(text, ")") {
		method := g[2]
		if l := lambda.FindStringSubmatch(method); l != nil {
			method = l[1]
		}
		p.summary = append(p.summary, summaryLine{class: strings.Clone(g[1]), method: strings.Clone(method), flake: flake})
		return
	}
	if g := oldLine.FindStringSubmatch(text); g != nil {
		text = g[1]
	}
	class, method, ok := qualified(text)
	if p.byName[text] != nil {
		class, method, ok = text, "", true
	}
	if ok {
		p.summary = append(p.summary, summaryLine{strings.Clone(class), strings.Clone(method), true, flake})
	}
}
