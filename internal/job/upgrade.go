package job

import (
	"encoding/json"
	"fmt"
)

// ParseReport reads a report that was kept, of this version or an older one. The error says where
// the text is no report, or one of a newer version.
func ParseReport(text []byte) (*Report, error) {
	var r Report
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, err
	}
	switch r.Version {
	case 0, Version: // 0: nobody said
		return &r, nil
	case 1:
		return &r, r.upgrade(text)
	}
	return nil, fmt.Errorf("the report is of version %d, and this odfix reads versions 1 to %d", r.Version, Version)
}

// upgrade takes over the fields that had other names in version 1.
func (r *Report) upgrade(text []byte) error {
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
	r.Version, r.Cohorts = Version, old.Cohorts
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
