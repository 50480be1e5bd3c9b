package templates

import (
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/job"
)

// TestProofLine counts a check once, as the list of all checks does, however many orders it was made for.
func TestProofLine(t *testing.T) {
	p := fixed()[0]
	seen := job.Check{Name: "an order that was seen to fail passes with the patch", OK: true, Repeats: 1}
	p.Proof.Checks = append(p.Proof.Checks, seen, seen)
	got := proofLine(victim().Tests[0], []*job.Patch{&p}, "")
	if !strings.HasSuffix(got, "fails without it (3 of 3 runs); 2 other checks passed") {
		t.Error(got)
	}
}
