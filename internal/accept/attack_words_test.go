package accept

import (
	"regexp"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
	"github.com/odfix/odfix/templates"
)

// code matches a code span, which shows what a report says as such.
var code = regexp.MustCompile("`[^`]*`")

// TestAttackSentences: a report cannot add words to odfix's own sentences in a comment, or to the title
// of a check.
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
		"how that state changed": func(r *job.Report) {
			r.Tests[0].Patches = nil
			r.Tests[0].NoReset, r.Tests[0].State = []string{"a.B.c"}, []string{"a.B.c"}
			r.Tests[0].Changes = []job.StateChange{{Field: "a.B.c", Path: "a.B.c, but " + evil, Before: "1", After: evil}}
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
			said := templates.CommentBody(c)
			if strings.Contains(code.ReplaceAllString(said, ""), evil) {
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

// TestPlacesOfState: the names of places stay, as do the statements that would reset them.
func TestPlacesOfState(t *testing.T) {
	places := []string{"com.example.Rates.Cache.ALL", "com.example.Maß.größe"}
	r := honest()
	r.Tests[0].NoReset, r.Tests[0].ResetBodies = places, map[string]string{places[0]: "ALL.clear();", places[1]: "größe = \"public\";"}
	got := accepted(t, r, scoped(t)).Tests[0]
	if len(got.NoReset) != 2 || len(got.ResetBodies) != 2 || got.ResetBodies[places[0]] != "ALL.clear();" {
		t.Errorf("%q, %q", got.NoReset, got.ResetBodies)
	}
}

// TestSourceOfAnOrder: the server's own words for an order stay, with what the diagnosis makes of it.
func TestSourceOfAnOrder(t *testing.T) {
	s := scoped(t)
	s.OrderSource = "log of the job \"test\""
	for source, stays := range map[string]bool{s.OrderSource: true, s.OrderSource + ", each class's tests reversed": true,
		"alone": true, "order 7": false, s.OrderSource + ", which is fine": false} {
		r := honest()
		r.Tests[0].FailingOrder = &suite.Seen{Source: source, Provenance: suite.Exact, Order: suite.Order{polluter, victim}}
		if got := accepted(t, r, s).Tests[0].FailingOrder.Source; (got == source) != stays {
			t.Errorf("%q became %q", source, got)
		}
	}
}
