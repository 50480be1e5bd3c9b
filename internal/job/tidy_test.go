package job

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

func TestTidyLeavesNoNull(t *testing.T) {
	r := Report{Tests: []TestReport{{
		FailingOrder: &suite.Seen{},
		Cleaners:     []suite.Cleaner{{}},
		Evidence:     []suite.Answer{{}},
		Patches:      []Patch{{}},
	}}}
	if before := encode(t, r); !strings.Contains(before, "null") {
		t.Fatal("the report under test holds no null to begin with")
	}
	r.Tidy()
	if after := encode(t, r); strings.Contains(after, "null") {
		t.Errorf("null is left in %s", after)
	}
}

func TestDiffKeepsBytes(t *testing.T) {
	for _, diff := range []string{"+caf\xe9\n", "+café\n", ""} {
		var p, back Patch
		p.SetDiff(diff)
		if err := json.Unmarshal([]byte(encode(t, p)), &back); err != nil {
			t.Fatal(err)
		}
		if got := back.RawDiff(); got != diff {
			t.Errorf("%q came back as %q", diff, got)
		}
	}
}

func encode(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
