package main

import (
	"context"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// TestProved says what became of candidates none of which is proved.
func TestProved(t *testing.T) {
	const victim = suite.TestID("a.A#victim")
	cause := repair.Cause{Cases: []repair.Case{{Test: victim}}}
	for name, tt := range map[string]struct {
		answers []bool // whether a candidate's proof holds; past the end, the time is over
		tried   int
		note    string
	}{
		"the second holds":     {[]bool{false, true}, 2, ""},
		"none holds":           {[]bool{false, false, false, false, false}, maxProofs, "its proof failed"},
		"the time was over":    {nil, 1, "did not come to an end"},
		"the time was over on": {[]bool{false}, 2, "did not come to an end"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		report := &job.Report{Tests: []job.TestReport{{Test: victim}}}
		m, tried := &mender{r: report}, 0
		cured, err := m.proved(ctx, cause, make([]*repair.Candidate, 5), func(*repair.Candidate) ([]suite.TestID, error) {
			if tried++; tried > len(tt.answers) {
				cancel()
				return nil, ctx.Err()
			}
			if tt.answers[tried-1] {
				return []suite.TestID{victim}, nil
			}
			return nil, nil
		})
		cancel()
		notes := strings.Join(report.Tests[0].Notes, " ")
		if tried != tt.tried || !strings.Contains(notes, tt.note) || (tt.note == "") != (notes == "") {
			t.Errorf("%s: %d tried, notes %q", name, tried, notes)
		}
		if (err != nil) != (tt.tried > len(tt.answers)) || (len(cured) > 0) != (tt.note == "") {
			t.Errorf("%s: cured %v, error %v", name, cured, err)
		}
	}
}
