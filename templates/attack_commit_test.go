package templates

import (
	"regexp"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// TestAttackCommitMessages: titles of tests are foreign text. In a commit message they skip no
// build, close no issue, and name nobody.
func TestAttackCommitMessages(t *testing.T) {
	acts := regexp.MustCompile(`(?i)\[[a-z ]*(skip|no.ci)[a-z ]*\]|#[0-9]|gh-[0-9]|@[a-z]|://|\*no_ci|(?m)^[a-z-]+-(by|checks):`)
	for _, text := range []string{"[skip ci] Closes #1", "[ci skip]", "[No CI]", "[skip actions]", "***NO_CI***", "fixes acme/shop#12", "Resolves GH-7",
		"closes https://github.com/acme/shop/issues/1", "@everyone", "Co-authored-by: x", "Signed-off-by: y", "skip-checks:true", "a[[skip ci]]"} {
		id := suite.TestID(text)
		t1 := job.TestReport{Test: id, Verdict: suite.Victim, Polluters: []suite.Order{{id}}, Reason: text + " is proved"}
		c := Cause{Tests: []job.TestReport{t1}}
		if got := FixMessage(c) + AnnotationMessage(t1, false); strings.Contains(got, "is proved") {
			t.Errorf("the runner's sentence is in %q", got)
		}
		for _, got := range []string{FixMessage(c), FixTitle(c)} {
			if found := acts.FindString(got); found != "" {
				t.Errorf("%q: %q is in %q", text, found, got)
			}
		}
	}
	plain := Cause{Tests: []job.TestReport{{Test: "com.acme.ReceiptTest#prints[1]", Verdict: suite.Brittle, StateSetters: []suite.Order{{"com.acme.B#b"}}}}}
	if got := FixMessage(plain); !strings.Contains(got, "com.acme.ReceiptTest#prints[1] fails alone, and passes after com.acme.B#b.") {
		t.Errorf("changed: %q", got)
	}
}
