package ci

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/odfix/odfix/internal/suite"
)

func FuzzLog(f *testing.F) {
	seed(f, "testdata/logs/*.log")
	f.Fuzz(func(t *testing.T, b []byte) {
		src, err := own.source("f.log", bytes.NewReader(b))
		if err != nil {
			return
		}
		ev, err := parseLog("f.log", src)
		check(t, ev, err)
	})
}

// FuzzForeignLog checks that names come from the log, whichever tool printed it, and that another
// tool's words are never read as Maven's.
func FuzzForeignLog(f *testing.F) {
	seed(f, "testdata/logs/gradle-*.log")
	seed(f, "testdata/logs/jest-*.log")
	f.Fuzz(func(t *testing.T, b []byte) {
		src, err := own.source("f.log", bytes.NewReader(b))
		if err != nil {
			return
		}
		var g gradleLog
		var j jestLog
		for {
			raw, err := src.line()
			if err != nil {
				break
			}
			text := cleanLine(raw).text
			g.line(text, func(string) {})
			j.line(text, func(string) {})
		}
		for _, ev := range []Evidence{g.evidence("log f.log"), j.evidence("log f.log")} {
			if len(ev.Tests)+len(ev.Failed) > 0 {
				check(t, ev, nil)
			}
			if ev.Tool == "" || ev.Tool == Jest && ev.Provenance == suite.Exact {
				t.Errorf("%+v", ev)
			}
		}
	})
}

func FuzzJestJSON(f *testing.F) {
	seed(f, "testdata/jest/*.json")
	f.Fuzz(func(t *testing.T, b []byte) {
		ev, err := parseJestJSON("f.json", bytes.NewReader(b), newBudget(ownLimits))
		check(t, ev, err)
	})
}

func FuzzReportXML(f *testing.F) {
	seed(f, "testdata/reports/*/*/target/surefire-reports/*.xml")
	seed(f, "testdata/jest/*.xml")
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := parseReport("f.xml", bytes.NewReader(b), newBudget(ownLimits))
		if err != nil {
			check(t, Evidence{}, err)
			return
		}
		if r.jest {
			ev, err := jestReport(r)
			check(t, ev, err)
			return
		}
		ev := evidence([]*folder{{path: "f", reports: []*report{r}}}, "f.xml")
		if len(ev.Tests) > 0 {
			check(t, ev, nil)
		}
	})
}

func FuzzOrderFile(f *testing.F) {
	seed(f, "testdata/orders/*.order")
	f.Fuzz(func(t *testing.T, b []byte) {
		src, err := own.source("f.order", bytes.NewReader(b))
		if err != nil {
			return
		}
		src.kind()
		ev, err := parseOrderFile("f.order", src)
		check(t, ev, err)
		for _, id := range ev.Tests { // an id that was read is read again as the same id
			if again, ok := parseID(id); ok && stripID(again) != stripID(id) {
				t.Errorf("%q is read as %q", id, again)
			}
		}
	})
}

// check checks what is true of all evidence and of every error.
func check(t *testing.T, ev Evidence, err error) {
	t.Helper()
	if err != nil {
		if !strings.Contains(err.Error(), "f.") || len(err.Error()) > 2000 {
			t.Errorf("error %q", err)
		}
		return
	}
	if len(ev.Tests)+len(ev.Failed) == 0 || ev.Provenance == "" || ev.Source == "" {
		t.Errorf("evidence of nothing: %+v", ev)
	}
	for _, id := range append(ev.Tests, ev.Failed...) {
		if id == "" || !utf8.ValidString(id) || strings.Contains(id, "\n") && strings.Contains(ev.Source, "log") {
			t.Errorf("id %q", id)
		}
	}
}

func seed(f *testing.F, pattern string) {
	f.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		f.Fatal(pattern, err)
	}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
}
