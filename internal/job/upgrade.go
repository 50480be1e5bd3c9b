package job

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/odfix/odfix/internal/suite"
)

// ParseReport reads a stored report of this version or an older one. It returns an error if the
// text is no report, or is one of a newer version.
func ParseReport(text []byte) (*Report, error) {
	var r Report
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, err
	}
	switch r.Version {
	case 0, Version: // 0: the report has no version
		return &r, nil
	case 1, 2:
		return &r, r.upgrade(text)
	}
	return nil, fmt.Errorf("the report is of version %d, and this odfix reads versions 1 to %d", r.Version, Version)
}

// upgrade converts a report of version 1 or 2 to this version.
func (r *Report) upgrade(text []byte) error {
	r.NameTests(junitName)
	if r.Version == 1 {
		if err := r.renamed(text); err != nil {
			return err
		}
	}
	r.Version = Version
	return nil
}

// junitName returns the names of a test as versions 1 and 2 had them, which only knew JUnit. Later
// reports contain the names that the language gives.
func junitName(t suite.TestID) TestName {
	unit, name, method := strings.Cut(string(t), "#")
	group, _, bySuite := strings.Cut(unit, ">")
	outer, _, _ := strings.Cut(unit[strings.LastIndexByte(unit, '>')+1:], "$")
	if !bySuite {
		group = outer
	}
	short := unit[strings.LastIndexByte(unit, '.')+1:]
	if method {
		short += "#" + name
	}
	return TestName{Short: short, Group: group, Unit: unit, Name: name, Source: strings.ReplaceAll(outer, ".", "/")}
}

// renamed reads the fields that had other names in version 1.
func (r *Report) renamed(text []byte) error {
	var old struct {
		Cohorts []Cohort `json:"crowds"`
		Project struct {
			Runtime  string `json:"java"`
			Isolated bool   `json:"forkPerClass"`
			Parallel bool   `json:"parallelInJVM"`
		} `json:"project"`
		Detection struct {
			Cohorts []Cohort `json:"crowds"`
		} `json:"detection"`
	}
	if err := json.Unmarshal(text, &old); err != nil {
		return err
	}
	r.Cohorts = old.Cohorts
	r.Project.Runtime, r.Project.Isolated, r.Project.Parallel = old.Project.Runtime, old.Project.Isolated, old.Project.Parallel
	if r.Detection != nil {
		r.Detection.Cohorts = old.Detection.Cohorts
	}
	for i := range r.Tests {
		for k := range r.Tests[i].Patches {
			if p := &r.Tests[i].Patches[k]; p.Kind == "rewind" {
				p.Kind = FromReflection
			}
		}
	}
	return nil
}
