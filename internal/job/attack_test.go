package job

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

const reader = 1 << 20 // bytes that the server reads of a report

// TestForgedSize: a report that would take much memory is refused before it is decoded.
func TestForgedSize(t *testing.T) {
	honest, err := json.Marshal(longReport(20))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		text string
		ok   bool
	}{
		"an honest one":      {string(honest), true},
		"64 MiB":             {`{"notes":["` + strings.Repeat("x", 64<<20) + `"]}`, false},
		"empty objects":      {`{"tests":[` + strings.Repeat("{},", 10_000) + `{}]}`, false},
		"empty lists":        {`{"tests":[` + strings.Repeat("[],", 70_000) + `[]]}`, false},
		"numbers":            {`{"tests":[` + strings.Repeat("1,", 70_000) + `1]}`, false},
		"levels":             {strings.Repeat("[", 40) + strings.Repeat("]", 40), false},
		"braces in texts":    {`{"notes":["` + strings.Repeat("{[,", 100_000) + `"]}`, true},
		"an escaped quote":   {`{"notes":["\"` + strings.Repeat("{[,", 100_000) + `"]}`, true},
		"a text without end": {`{"notes":["` + strings.Repeat(`\`, 1000), true}, // the decoder refuses it
	} {
		if err := BoundsOf(reader).Check([]byte(c.text)); (err == nil) != c.ok || !c.ok && !errors.Is(err, ErrBounds) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// longReport is a report for tests that failed in long orders.
func longReport(n int) *Report {
	r := &Report{Version: Version}
	var order suite.Order
	for i := range max(2, min(500, 100_000/n)) {
		order = append(order, suite.TestID(fmt.Sprintf("com.example.SomeClassTest#aTestWithALongName%d", i)))
	}
	for i := range n {
		r.Tests = append(r.Tests, TestReport{Test: order[i%len(order)], Verdict: suite.Victim, MinimalOrder: order[:2],
			FailingOrder: &suite.Seen{Order: order}, Evidence: []suite.Answer{{Order: order}}})
	}
	return r
}

// TestLongReportArrives: the runner shortens a report until the server reads it. Verdicts stay as
// long as possible.
func TestLongReportArrives(t *testing.T) {
	for tests, left := range map[int]int{1: 1, 200: 200, 5_000: 0} {
		r := longReport(tests)
		if !r.Fit(reader) {
			t.Fatalf("%d tests do not fit", tests)
		}
		text, err := json.Marshal(r)
		if err != nil || BoundsOf(reader).Check(text) != nil {
			t.Errorf("%d tests: %d bytes, %v", tests, len(text), err)
		}
		switch {
		case left > 0 && (len(r.Tests) != left || r.Tests[0].Verdict != suite.Victim || len(r.Tests[0].MinimalOrder) != 2):
			t.Errorf("%d of %d tests are left", len(r.Tests), tests)
		case left == 0 && (len(r.Tests) == 0 || !strings.Contains(strings.Join(r.Notes, " "), "left out")):
			t.Errorf("%d of %d tests, %q", len(r.Tests), tests, r.Notes)
		}
		if tests == 1 && r.Tests[0].FailingOrder == nil {
			t.Error("a short report is shortened")
		}
	}
}
