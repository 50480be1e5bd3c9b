package verdict

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// manyFiles is a report whose patches make files with long names, some of them in several patches.
func manyFiles(patches int) Input {
	in := Input{Head: texts{}, Config: config.Defaults(), HeadSHA: "a", TestedSHA: "a"}
	victim := suite.TestID("a.VTest#reads")
	t := job.TestReport{Test: victim, Verdict: suite.Victim, MinimalOrder: suite.Order{"a.ATest#writes", victim},
		Polluters: []suite.Order{{"a.ATest#writes"}}}
	for n := range patches {
		p := job.Patch{Kind: job.FromHelper, Fixes: []suite.TestID{victim}, Proof: job.Proof{Proved: true}}
		var diff strings.Builder
		for f := range 20 {
			path := fmt.Sprintf("src/test/java/%s%d.java", strings.Repeat("a", 200), f)
			fmt.Fprintf(&diff, "diff --git a/%[1]s b/%[1]s\nnew file mode 100644\n--- /dev/null\n+++ b/%[1]s\n@@ -0,0 +1 @@\n+// %[2]d\n", path, n)
		}
		p.SetDiff(diff.String())
		t.Patches = append(t.Patches, p)
	}
	in.Report = &job.Report{Tests: []job.TestReport{t}}
	return in
}

// TestAttackPatternsOfPaths: whether a file may be patched is found out once for each file, whatever number of
// patches have it, and not after the time is over. Long names and patterns can make that take long.
func TestAttackPatternsOfPaths(t *testing.T) {
	in := manyFiles(24)
	b := &builder{ctx: t.Context(), in: in}
	b.choices()
	if len(b.may) != 20 {
		t.Errorf("%d files are looked at", len(b.may))
	}
	ctx, end := context.WithCancel(t.Context())
	end()
	b = &builder{ctx: ctx, in: in}
	if b.choices(); len(b.may) != 0 {
		t.Errorf("%d files are looked at after the time is over", len(b.may))
	}
	if _, err := New(ctx, in); err == nil {
		t.Error("a plan after the time is over")
	}
	if got := Touched(ctx, in.Report, in.Config); len(got) != 0 {
		t.Errorf("%q", got)
	}
}
