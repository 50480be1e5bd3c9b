package job

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseReportOfVersionOne(t *testing.T) {
	r, err := ParseReport([]byte(`{"version":1,"project":{"java":"17.0.15","forkPerClass":true,"parallelInJVM":true},
		"crowds":[{"tests":["a.A#v"],"failing":["a.P#p","a.A#v"],"passing":["a.A#v"],"repeats":3,"cause":["a.P#p"]}],
		"detection":{"crowds":[{"tests":["a.B#v"],"repeats":2}]},
		"tests":[{"test":"a.A#v","verdict":"victim","patches":[{"kind":"rewind"},{"kind":"helper"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if r.Version != Version || r.Project.Runtime != "17.0.15" || !r.Project.Isolated || !r.Project.Parallel {
		t.Errorf("version %d, project %+v", r.Version, r.Project)
	}
	if len(r.Cohorts) != 1 || r.Cohorts[0].Repeats != 3 || !r.Joint(&r.Tests[0]) {
		t.Errorf("cohorts %+v", r.Cohorts)
	}
	if len(r.Detection.Cohorts) != 1 || r.Detection.Cohorts[0].Repeats != 2 {
		t.Errorf("cohorts of the detection %+v", r.Detection.Cohorts)
	}
	if p := r.Tests[0].Patches; p[0].Kind != FromReflection || p[1].Kind != FromHelper {
		t.Errorf("kinds %s, %s", p[0].Kind, p[1].Kind)
	}
}

// TestParseReportOfVersionTwo: its tests are JUnit's.
func TestParseReportOfVersionTwo(t *testing.T) {
	r, err := ParseReport([]byte(`{"version":2,"tests":[{"test":"a.b.V$In#v[1]","minimalOrder":["a.All>c.P#p","a.b.C","a.b.V$In#v[1]"]}]}`))
	if err != nil || r.Version != Version {
		t.Fatal(r, err)
	}
	want := Names{
		"a.b.V$In#v[1]": {Short: "V$In#v[1]", Group: "a.b.V", Unit: "a.b.V$In", Name: "v[1]", Source: "a/b/V"},
		"a.All>c.P#p":   {Short: "P#p", Group: "a.All", Unit: "a.All>c.P", Name: "p", Source: "c/P"},
		"a.b.C":         {Short: "C", Group: "a.b.C", Unit: "a.b.C", Source: "a/b/C"},
	}
	if d := cmp.Diff(want, r.Names); d != "" {
		t.Error(d)
	}
}

func TestParseReportOfAnotherVersion(t *testing.T) {
	for text, says := range map[string]string{`{"version":99}`: "version 99", `[]`: "cannot unmarshal"} {
		if _, err := ParseReport([]byte(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
