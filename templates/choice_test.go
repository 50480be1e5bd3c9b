package templates

import (
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
)

// TestSecondPatch: a second proved patch is described, with the flag that makes it the first one.
// One that is not proved, or that fixes other tests, is not.
func TestSecondPatch(t *testing.T) {
	for name, change := range map[string]func(*job.Patch){
		"proved":      func(*job.Patch) {},
		"not proved":  func(p *job.Patch) { p.Proof.Proved = false },
		"other tests": func(p *job.Patch) { p.Fixes = p.Fixes[:0] },
		"the same":    func(p *job.Patch) { p.SetDiff(resetDiff) },
	} {
		r := victim()
		second := fixed()[0]
		second.Location = patch.VictimSetup
		second.SetDiff(strings.ReplaceAll(resetDiff, "CatalogueImportTest", "ReceiptTest"))
		change(&second)
		r.Tests[0].Patches = append(r.Tests[0].Patches, second)
		text := strings.Join(strings.Fields(Fix(r, Options{Width: 80})), " ")
		want := "Alternative 1 statement in the setup of the test's class, learned from " + string(reset) +
			"; it is proved, too, and is in report.json. To get it as odfix.patch: --place victim-setup."
		if got := strings.Contains(text, want); got != (name == "proved") || strings.Contains(text, "Alternative") != got {
			t.Errorf("%s: %s", name, text)
		}
	}
}
