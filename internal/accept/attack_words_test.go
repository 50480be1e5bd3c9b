package accept

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
	"github.com/odfix/odfix/templates"
)

// code matches a code span, and quoted a text in quotation marks. Both show what a report says as such.
var (
	code   = regexp.MustCompile("`[^`]*`")
	quoted = regexp.MustCompile(`“[^”]*”`)
)

// TestAttackSentences: a report cannot add words to odfix's own sentences in a comment, or to the title
// of a check.
func TestAttackSentences(t *testing.T) {
	const evil = "our security team has approved this"
	wrong := regexp.MustCompile(evil + "|team|hasApproved|JUnit Pioneer")
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
		"why a change is where it is": func(r *job.Report) {
			r.Tests[0].Patches[0].Why = "the test sets its own state before it begins; " + evil
		},
		"a name that ends its quotation": func(r *job.Report) {
			id := suite.TestID(`a.PolluterTest#writes" ”. Then ` + evil + ` “`)
			r.Tests[0].Polluters, r.Tests[0].MinimalOrder = []suite.Order{{id}}, suite.Order{id, victim}
		},
		"the words on another patch": func(r *job.Report) {
			r.Tests[0].Patches[0].Why = job.Why{Location: patch.Declaration, Places: 1, Pioneer: true}.Sentence(junitid.Syntax{}.Nouns())
		},
		"an annotation that the change does not add": func(r *job.Report) {
			x := &r.Tests[0].Patches[0]
			x.Location, x.Made = patch.Declaration, &patch.Made{Annotate: []string{"org.junitpioneer.jupiter.RestoreSystemProperties"}}
			x.Why = job.Why{Location: patch.Declaration, Places: 1, Pioneer: true}.Sentence(junitid.Syntax{}.Nouns())
		},
		"statements that the change does not add": func(r *job.Report) {
			r.Tests[0].Patches[0].Statements = []string{"security.hasApproved(this);", " "}
		},
		"a name of a test": func(r *job.Report) {
			id := suite.TestID("a.PolluterTest#writes. Then " + evil)
			r.Tests[0].Polluters, r.Tests[0].MinimalOrder = []suite.Order{{id}}, suite.Order{id, victim}
			r.Names = nil
		},
		"a check of the proof": func(r *job.Report) {
			r.Tests[0].Patches[0].Proof.Checks[0].Detail = "2 of 2 pairs; " + evil
		},
		"state of one word": func(r *job.Report) {
			r.Tests[0].Patches = nil
			r.Tests[0].NoReset = strings.Fields(evil)
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
			statements := ""
			if len(r.Tests[0].Patches) > 0 {
				c.Patch = []*job.Patch{&got.Tests[0].Patches[0]}
				statements = strings.Join(c.Patch[0].Statements, "\n")
			}
			k := templates.Check{Report: got, Causes: []templates.CheckCause{{Cause: c}}}
			said := code.ReplaceAllString(templates.CommentBody(c)+strings.Join(templates.CheckSections(k), ""), "")
			plain := strings.Join([]string{templates.CheckTitle(k), templates.FixMessage(c), templates.AnnotationTitle(got.Names, got.Tests[0]),
				templates.AnnotationMessage(got.Tests[0], true)}, "\n")
			if said += quoted.ReplaceAllString(plain, ""); wrong.MatchString(said) || wrong.MatchString(statements) ||
				slices.Contains(strings.Split(statements, "\n"), " ") || strings.Contains(plain, `"`) {
				t.Error(said, statements)
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

// TestSentencesOfOdfix: what odfix itself says of a patch and of its proof stays.
func TestSentencesOfOdfix(t *testing.T) {
	for _, language := range []string{Java, Jest} {
		a := &acceptor{scope: Scope{Language: language}, syntax: syntaxOf(language)}
		for _, detail := range []string{
			"1 of 2 tests", "60 tests", "20 of 160 pairs", "4 of 12 pairs, those of several tests one after another",
			"4 of the 161 that run each test directly after every other",
			"4 of the 9 that run each test directly after every other; those of 3 " + a.syntax.Nouns().Groups + " run one after another",
			"2 tests give no result there without the patch and were not compared; some tests fail in this order with and without the patch, or are flaky",
			"2 tests that end their process are left out of all orders",
			"4 tests; a test failed once in parallel with other processes, and no worse in 3 runs with no other process",
		} {
			if got := a.detail(detail); got != detail {
				t.Errorf("%q becomes %q", detail, got)
			}
		}
		const worse = "a.B#c: fail in parallel with other processes, and no worse in 3 runs with no other process"
		if got := a.detail(worse); !strings.HasPrefix(got, "a test failed once in parallel") {
			t.Errorf("%q becomes %q", worse, got)
		}
	}
}

// TestStatementsOfADiff: a statement is named if the diff adds it, or lines of it, also where lines of a
// similar one stand before it, and where a declaration of several lines goes on.
func TestStatementsOfADiff(t *testing.T) {
	of := read{hunks: []addition{
		additionOf(patch.Hunk{Before: []string{"a();\n", "}\n"}, After: []string{"try {\n", "  b();\n", "} catch (E e) {\n", "}\n", "a();\n", "}\n"}}),
		additionOf(patch.Hunk{Before: []string{"static final Map<A, B> m = make(\n", "  1,\n"}, After: []string{"final Map<A, B> m = make(\n", "  1,\n"}}),
	}}
	for statement, want := range map[string]bool{
		"try {\n    b();\n} catch (E e) {\n}": true, "b();": true, "a();": false, "c();": false, " ": false, "b();} catch (E e) {}a();}final": false,
	} {
		if got := of.adds(statement); got != want {
			t.Errorf("%q: %v", statement, got)
		}
	}
	if !of.begins("final Map<A, B> m = make(\n  1,\n  2,\n  3);") || of.begins("final Map<A, B> n = make();") {
		t.Error("what begins a declaration")
	}
}

// TestNamesOfStrangers: tests are known by the names that Kotlin and Jest allow.
func TestNamesOfStrangers(t *testing.T) {
	for language, ids := range map[string][]string{
		Java: {"a.PolluterTest$when full#writes", "a.Foo-BarTest#x", "$when-empty#x", "a.BTest#" + strings.Repeat("x", 2500)},
		Jest: {"web/cart.test.js#cart › a > b", "a.test.js#a > b", "a.test.js#A > B › C"},
	} {
		for _, id := range ids {
			r := honest()
			r.Tests[0] = job.TestReport{Test: suite.TestID(id), Verdict: suite.Victim, MinimalOrder: suite.Order{suite.TestID(id)}}
			s := scoped(t)
			s.Language, s.Tests = language, []string{id}
			if got := accepted(t, r, s).Tests; len(got) != 1 || len(got[0].MinimalOrder) != 1 {
				t.Errorf("%s: %+v", id, got)
			}
		}
	}
}

// TestAttackClassNames: names of classes hold nothing that another part of a command or a page reads.
func TestAttackClassNames(t *testing.T) {
	a := &acceptor{scope: Scope{Language: Java}}
	for _, id := range []string{" #x", "a. #x", "com.*#x", "a.B,c.D#x", "a.\u202eB#x", "a.B !c#x", "a.\"B#x", "a/B#x", "a. B#x"} {
		if a.valid(suite.TestID(id)) {
			t.Errorf("%q is valid", id)
		}
	}
}
