package templates

import (
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// The JUnit report that build servers read. It has a test case for each
// test that something was found out about, and one for the search itself, so
// that it is never empty.
type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Stamp    string      `xml:"timestamp,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string      `xml:"classname,attr"`
	Name    string      `xml:"name,attr"`
	Time    string      `xml:"time,attr"`
	Failure *junitCause `xml:"failure"`
	Error   *junitCause `xml:"error"`
	Skipped *junitCause `xml:"skipped"`
	Out     string      `xml:"system-out,omitempty"`
}

type junitCause struct {
	Type    string `xml:"type,attr,omitempty"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// JUnit is a report as a JUnit report: order-dependent tests, flaky ones and genuine failures fail,
// tests that end their process are errors, what is not certain is skipped.
func JUnit(r *job.Report) string {
	r = clean(r)
	s := junitSuite{Name: "odfix fix", Time: seconds(r.Cost.Total), Stamp: r.Started.UTC().Format("2006-01-02T15:04:05")}
	search := junitCase{Class: "odfix.fix", Name: "orders", Time: s.Time, Out: costLine(r.Cost)}
	if d := r.Detection; d != nil {
		s.Name, s.Time = "odfix detect", seconds(d.Seconds)
		search = junitCase{Class: "odfix.detect", Name: "orders", Time: s.Time, Out: coverage(d)}
	}
	if e := r.Error; e != nil {
		s.Errors++
		search.Error = &junitCause{Type: e.Code, Message: e.Message, Text: e.Hint}
	}
	s.Cases = append(s.Cases, search)
	for _, t := range r.Tests {
		s.add(r.Names.Of(t.Test), func(c *junitCase) {
			if t.Verdict == suite.NotReproduced || t.Verdict == suite.Undecided {
				c.Skipped = &junitCause{Message: headline(t)}
			} else {
				c.Failure = causeOf(t, r.Proved(t.Test))
			}
		})
	}
	if d := r.Detection; d != nil {
		for _, u := range d.LeftOut {
			s.add(r.Names.Of(u.Test), func(c *junitCase) { c.Error = &junitCause{Type: "ends-its-process", Message: u.Why} })
		}
		for _, u := range d.Undecided {
			s.add(r.Names.Of(u.Test), func(c *junitCase) { c.Skipped = &junitCause{Message: "not certain: " + u.Why} })
		}
	}
	s.Tests = len(s.Cases)
	text, err := xml.MarshalIndent(s, "", "  ")
	if err != nil {
		panic(err) // of types that can be written
	}
	return xml.Header + string(text) + "\n"
}

func (s *junitSuite) add(t job.TestName, why func(*junitCase)) {
	c := junitCase{Class: t.Unit, Name: t.Name, Time: "0"}
	why(&c)
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}

// causeOf is a verdict as a failure, with the proved patch; nil: there is none.
func causeOf(t job.TestReport, p *job.Patch) *junitCause {
	c := &junitCause{Type: string(t.Verdict), Message: headline(t)}
	if t.Verdict.OrderDependent() {
		c.Type = "order-dependent"
	}
	var b strings.Builder
	for _, s := range cutSteps(t) {
		b.WriteString(s.Test)
		if s.Role != "" {
			fmt.Fprintf(&b, "  (%s)", s.Role)
		}
		b.WriteByte('\n')
	}
	if f := failure(t.Failure); f != "" {
		b.WriteString(f + "\n")
	}
	if p != nil {
		b.WriteString("A proved patch fixes it:\n" + excerpt(p.Diff))
	}
	c.Text = b.String()
	return c
}

func seconds(s float64) string { return fmt.Sprintf("%.3f", s) }
