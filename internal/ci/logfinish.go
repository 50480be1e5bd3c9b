package ci

import (
	"strings"

	"github.com/odfix/odfix/internal/suite"
)

// finish makes a part and its provenance from the lines that were read.
func (p *logPart) finish(ev *Evidence) (Part, suite.Provenance) {
	p.useSummary()
	part := Part{Module: p.module, Execution: p.execution, Failed: p.failed.list, Took: p.took}
	trust := suite.Exact
	for _, c := range p.classes {
		if p.insideListed(c) {
			continue
		}
		if !c.begun {
			trust = suite.Inferred // quiet build: only classes with failures have output
		}
		if c.named > 0 && c.named == c.count {
			part.Tests = append(part.Tests, c.tests.list...)
			continue
		}
		c.whole = true
		part.Tests = append(part.Tests, c.name)
		trust = trust.AtBest(suite.Partial)
	}
	if len(part.Tests) > 0 {
		p.qualify(ev, &trust)
	}
	return part, trust
}

// insideListed reports whether an outer class is listed as a whole. Then the nested class is not
// listed again.
func (p *logPart) insideListed(c *classRun) bool {
	for i := strings.IndexByte(c.name, '$'); i > 0; {
		if o := p.byName[c.name[:i]]; o != nil && o != c && o.whole {
			return true
		}
		next := strings.IndexByte(c.name[i+1:], '$')
		if next < 0 {
			return false
		}
		i += 1 + next
	}
	return false
}

func (p *logPart) qualify(ev *Evidence, trust *suite.Provenance) {
	in := ""
	if p.module != "" {
		in = " in " + p.module
	}
	if p.overlap {
		*trust = suite.Inferred
		ev.note("classes overlap%s: they ran in parallel or in several JVMs, and the log does not show which ran together", in)
	}
	if p.rerun {
		*trust = trust.AtBest(suite.Partial)
		ev.note("the build ran failing tests%s again; the reruns are not part of the order", in)
	}
	for _, c := range p.classes {
		if c.running {
			ev.note("%s began and never ended: the log is cut, or the test JVM hung or died there", c.name)
		}
	}
}
