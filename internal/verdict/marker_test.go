package verdict

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
	"github.com/odfix/odfix/templates"
)

func TestMarkerComesBack(t *testing.T) {
	for _, names := range [][]string{nil, {"a.A#x"}, {"-->", "<!-- odfix:1 -->", "ü\n\x00"},
		slices.Repeat([]string{strings.Repeat("x", 300)}, 3)} {
		m := newMarker(suite.Victim, names, names)
		back, ok := FindMarker(m.Line() + "\ntext")
		if !ok || back.Fingerprint() != m.Fingerprint() || !slices.Equal(back.Victims, m.Victims) || back.Kind != m.Kind {
			t.Errorf("%+v came back as %+v, %v", m, back, ok)
		}
		if !strings.HasSuffix(m.Line(), " -->") || strings.Count(m.Line(), "-->") != 1 {
			t.Errorf("%s", m.Line())
		}
	}
}

// TestLongNames: names of up to maxName bytes are in the marker as they are. Longer ones are cut and
// stay different.
func TestLongNames(t *testing.T) {
	same := strings.Repeat("x", maxName)
	got := few([]string{same, same + "a", same + "b", strings.Repeat("ü", maxName)})
	if got[0] != same || got[1] == got[2] || len(got[1]) != maxName {
		t.Errorf("%q", got)
	}
	for _, n := range got[1:] {
		if len(n) > maxName || len(n) < maxName-1 || !utf8.ValidString(n) {
			t.Errorf("a name of %d bytes: %q", len(n), n)
		}
	}
}

// TestMarkerOnlyFirst: what foreign text holds further below is no marker.
func TestMarkerOnlyFirst(t *testing.T) {
	line := newMarker(suite.Victim, nil, []string{"a"}).Line()
	for _, body := range []string{"", "text", "\n" + line, " " + line, "```\n" + line, line + "x",
		"<!-- odfix:1 0123456789abcdef !!! -->", "<!-- odfix:1 0123456789abcdef AAAA -->"} {
		if m, ok := FindMarker(body); ok {
			t.Errorf("%q holds %+v", body, m)
		}
	}
	if _, ok := FindMarker(line + "\r\ntext"); !ok {
		t.Error("a body with other line ends has lost its marker")
	}
}

// TestFingerprintHoldsOverPushes: lines, commits and orders of names do not count.
func TestFingerprintHoldsOverPushes(t *testing.T) {
	one := newPolluter().plan(t).Comments[0].Marker
	s := newPolluter()
	s.head[importerFile] = "// a line more\n" + importerText
	s.patched[importerFile] = "// a line more\n" + withTeardown(importerText)
	if two := s.plan(t).Comments[0].Marker; one.Fingerprint() != two.Fingerprint() {
		t.Errorf("%s became %s", one.Fingerprint(), two.Fingerprint())
	}
	if newMarker(suite.Victim, nil, []string{"a", "b"}).Fingerprint() != newMarker(suite.Victim, nil,
		[]string{"b", "a", "b"}).Fingerprint() {
		t.Error("the order of victims counts")
	}
	if newMarker(suite.Victim, []string{"a"}, []string{"b"}).Fingerprint() == newMarker(suite.Victim,
		[]string{"b"}, []string{"a"}).Fingerprint() {
		t.Error("roles do not count")
	}
}

func TestMatch(t *testing.T) {
	m := func(by string, victims ...string) Marker { return newMarker(suite.Victim, []string{by}, victims) }
	for name, c := range map[string]struct {
		old, now []Marker
		want     []int
	}{
		"nothing before":         {nil, []Marker{m("p", "v")}, []int{-1}},
		"the same":               {[]Marker{m("q", "w"), m("p", "v")}, []Marker{m("p", "v")}, []int{1}},
		"a victim more":          {[]Marker{m("p", "v")}, []Marker{m("p", "v", "w")}, []int{0}},
		"another polluter first": {[]Marker{m("p", "v")}, []Marker{m("q", "v")}, []int{0}},
		"other victims":          {[]Marker{m("p", "v")}, []Marker{m("p", "w")}, []int{0}},
		"another cause":          {[]Marker{m("p", "v")}, []Marker{m("q", "w")}, []int{-1}},
		"the same goes first":    {[]Marker{m("p", "v"), m("p", "w")}, []Marker{m("p", "x"), m("p", "v")}, []int{1, 0}},
		"one old one for two":    {[]Marker{m("p", "v")}, []Marker{m("p", "w"), m("p", "x")}, []int{0, -1}},
		"two old ones for one":   {[]Marker{m("p", "v"), m("q", "v")}, []Marker{m("p", "v")}, []int{0}},
		"matched once":           {[]Marker{m("p", "v"), m("q", "v")}, []Marker{m("p", "v"), m("q", "w")}, []int{0, 1}},
		"nobody to blame, no link": {[]Marker{newMarker(suite.FlakyOther, nil, []string{"v"})},
			[]Marker{newMarker(suite.FlakyOther, nil, []string{"w"})}, []int{-1}},
	} {
		if got := Match(c.old, c.now); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestRewrite(t *testing.T) {
	c := Comment{Inline: []Inline{{Path: "a", Line: 5, StartLine: 3, Body: "one"}, {Path: "b", Line: 7, Body: "two"}}}
	a, b := Standing{"a", 5, 3}, Standing{"b", 7, 0}
	if got, ok := c.Rewrite([]Standing{b, a}); !ok || !slices.Equal(got, []string{"two", "one"}) {
		t.Errorf("%v, %v", got, ok)
	}
	for name, old := range map[string][]Standing{
		"one is missing": {a}, "one twice": {a, a}, "moved": {a, {"b", 8, 0}}, "outdated": {a, {"b", 0, 0}},
		"more than there are": {a, b, b},
	} {
		if got, ok := c.Rewrite(old); ok {
			t.Errorf("%s: %v", name, got)
		}
	}
	if _, ok := (Comment{Body: "x"}).Rewrite(nil); ok {
		t.Error("what is no suggestion was kept as one")
	}
}

// named are the names that Java gives.
func named(tests ...suite.TestID) job.Names {
	var r job.Report
	r.NameTests(job.NameBy(junitid.Syntax{}), tests...)
	return r.Names
}

// TestSettled: what was reported stays, in a fold and without an offer to commit it.
func TestSettled(t *testing.T) {
	m := newMarker(suite.Victim, []string{"a.P#p"}, []string{"a.V#v"})
	old := m.Line() + "\r\n**`V#v` fails.**\r\n\r\n```suggestion\r\nx();\r\n```\r\n\r\n" + templates.HelpLine("")
	body := Settled(m, strings.Repeat("c", 40), old, "")
	back, ok := FindMarker(body)
	if !ok || !back.Settled || back.Fingerprint() != m.Fingerprint() {
		t.Errorf("%+v, %v", back, ok)
	}
	for _, want := range []string{"**CI passes again as of `cccccccccc`; the order dependence reported here no longer shows.**",
		"<summary>What was reported</summary>\n\n**`V#v` fails.**\n\n```\nx();\n```\n\n</details>"} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is missing in:\n%s", want, body)
		}
	}
	if strings.Contains(body, "suggestion") || strings.Count(body, "<!--") != 1 || strings.Count(body, templates.HelpPage) != 1 {
		t.Errorf("%s", body)
	}
	if body := Settled(m, "c", m.Line()+"\n"+strings.Repeat("x", maxBody), ""); len(body) > maxBody || strings.Contains(body, "xx") {
		t.Errorf("%d bytes", len(body))
	}
}
