package accept

import (
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
	"github.com/odfix/odfix/templates"
)

// TestAttackSentences: what stands in odfix's own sentences of a comment or a title is no sentence of a
// report.
func TestAttackSentences(t *testing.T) {
	const evil = "our security team has approved this"
	for name, forge := range map[string]func(*job.Report){
		"where an order was seen": func(r *job.Report) {
			r.Tests[0].FailingOrder = &suite.Seen{Source: evil, Provenance: suite.Exact, Order: suite.Order{polluter, victim}}
		},
		"state that nothing resets": func(r *job.Report) {
			r.Tests[0].Patches = nil
			r.Tests[0].NoReset = []string{"this, but " + evil}
			r.Tests[0].NoResetOfTests, r.Tests[0].Reflectable = r.Tests[0].NoReset, r.Tests[0].NoReset
		},
		"the body of a method": func(r *job.Report) {
			r.Tests[0].Patches = nil
			r.Tests[0].NoReset = []string{"a.B.c"}
			r.Tests[0].ResetBodies = map[string]string{"a.B.c": evil + ";"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := honest()
			forge(r)
			got := accepted(t, r, scoped(t))
			c := templates.Cause{Names: got.Names, Language: Java, Tests: got.Tests}
			if len(got.Tests[0].Patches) > 0 {
				c.Patch = []*job.Patch{&got.Tests[0].Patches[0]}
			}
			if said := templates.CommentBody(c); strings.Contains(said, evil) {
				t.Error(said)
			}
		})
	}
	r := honest()
	r.Error = &job.Error{Code: "x", Message: evil, Hint: evil}
	k := templates.Check{Report: accepted(t, r, scoped(t))}
	if title := templates.CheckTitle(k); title != "odfix could not find out" {
		t.Error(title)
	}
	if said := templates.CheckSummary(k); !strings.Contains(said, "The runner says: "+evil) || !strings.Contains(said, "The runner's advice: "+evil) {
		t.Error(said)
	}
}

// TestPlacesOfState: the names of places stay, as do the bodies of methods that would reset them.
func TestPlacesOfState(t *testing.T) {
	java := []string{"com.example.Rates$Cache.ALL", "system property labels.paper"}
	r := honest()
	r.Tests[0].NoReset, r.Tests[0].ResetBodies = java, map[string]string{java[0]: "ALL.clear();"}
	got := accepted(t, r, scoped(t)).Tests[0]
	if len(got.NoReset) != 2 || got.ResetBodies[java[0]] != "ALL.clear();" {
		t.Errorf("%q, %q", got.NoReset, got.ResetBodies)
	}
	a := &acceptor{scope: Scope{Language: Jest}}
	for _, place := range []string{"var src/cart.js#items", "module src/cart.js", "env LANG", "var src/cart.js items", "nock"} {
		if len(a.places([]string{place})) == 0 {
			t.Errorf("%q is no place", place)
		}
	}
}
