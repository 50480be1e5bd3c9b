package templates

import (
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// mailer is a report about tests of Jest.
func mailer() *job.Report {
	const polluter, victim = "src/mailer.test.js#mailer › greets", "src/mailer.test.js#mailer › reminds"
	return &job.Report{
		Version: 3, Finished: true, Project: job.Project{Language: "jest"},
		Tests: []job.TestReport{{
			Test: victim, Verdict: suite.Victim, Reason: "passes alone, fails after mailer.test.js#mailer › greets",
			MinimalOrder: suite.Order{polluter, victim}, Polluters: []suite.Order{{polluter}},
			State: []string{"mock src/mailer.test.js transport.send", "env LANGUAGE"}, StateMatters: true,
			Changes: []job.StateChange{{
				Field: "mock src/mailer.test.js transport.send", Path: "transport.send.mock.calls", Before: "0 calls", After: "1 call",
			}},
			Patches: []job.Patch{{
				Kind: job.FromReset, Location: patch.PolluterTeardown, At: polluter, Statements: []string{"transport.send.mockClear();"},
				Made: &patch.Made{Resets: "mock src/mailer.test.js transport.send", Statements: []string{"transport.send.mockClear();"}},
				Diff: "--- a/x\n+++ b/x\n", Fixes: []suite.TestID{victim}, Why: "the polluter's file cleans up after itself",
				Proof: job.Proof{Proved: true},
			}},
		}},
	}
}

// TestWordsOfJest: what is said of tests of Jest does not speak of classes.
func TestWordsOfJest(t *testing.T) {
	r := mailer()
	text := Fix(r, Options{})
	comment := CommentBody(Cause{Language: "jest", Tests: r.Tests, Patch: []*job.Patch{&r.Tests[0].Patches[0]}})
	for what, c := range map[string]struct {
		got  string
		want []string
	}{
		"the terminal": {text, []string{
			"1 statement in afterEach around the polluter, to restore transport.send of mailer.test.js, learned from no test",
			"transport.send.mock.calls of mailer.test.js: 0 calls → 1 call", "process.env.LANGUAGE",
		}},
		"a comment": {comment, []string{
			"adds this in afterEach around the polluter", "`transport.send.mock.calls of mailer.test.js`", "`process.env.LANGUAGE`",
		}},
	} {
		for _, w := range c.want {
			if !strings.Contains(strings.Join(strings.Fields(c.got), " "), w) {
				t.Errorf("%s lacks %q:\n%s", what, w, c.got)
			}
		}
		for _, w := range []string{"class", "static", "method", "setup", "teardown"} {
			if strings.Contains(c.got, w) {
				t.Errorf("%s says %q:\n%s", what, w, c.got)
			}
		}
	}
	r.Project.Language = ""
	if got := Fix(r, Options{}); !strings.Contains(got, "in the teardown of the polluter's class") {
		t.Errorf("a report without a language is not one of Java:\n%s", got)
	}
}

// TestTitlesInSentences: a title has blanks, and is one name all the same.
func TestTitlesInSentences(t *testing.T) {
	names := job.Names{}
	for _, id := range []suite.TestID{"src/a.test.js#a › greets", "src/a.test.js#a › greets a user"} {
		names[id] = job.TestName{Short: strings.TrimPrefix(string(id), "src/")}
	}
	for s, want := range map[string]string{
		"fails after a.test.js#a › greets a user":                    "fails after `a.test.js#a › greets a user`",
		"a.test.js#a › greets, and not a.test.js#a › greets a user.": "`a.test.js#a › greets`, and not `a.test.js#a › greets a user`.",
		"passes alone": "passes alone",
	} {
		if got := told(names, s); got != want {
			t.Errorf("%s", got)
		}
	}
}

func TestJestFailureInALine(t *testing.T) {
	for message, want := range map[string]string{
		`expect(received).toBe(expected) // Object.is equality\n\nExpected: 1\nReceived: 2`: "expect(received).toBe(expected) // Object.is equality (Expected: 1, Received: 2)",
		`expect(a).toBeNull()\n\nReceived:   2`:                                             "expect(a).toBeNull() (Received: 2)",
		`expect(a).toEqual(b)\n\n- Expected\n+ Received`:                                    "expect(a).toEqual(b)",
	} {
		if got := failure(&suite.Failure{Type: "JestAssertionError", Message: message}); got != want {
			t.Errorf("%q", got)
		}
	}
}

func TestStateOfJest(t *testing.T) {
	for place, want := range map[string]string{
		"var src/cart.js items": "items of cart.js", "env A_B": "process.env.A_B", "document body": "document.body",
		"storage local cart": "localStorage.cart", "file out/a.txt": "the file out/a.txt", "global fetch": "the global fetch",
		"module src/cart.js": "the module src/cart.js", "core Array.prototype.last": "Array.prototype.last",
		"listeners process exit": "the listeners of process for exit", "all mocks": "all mocks", "the timers": "the timers", "x": "x",
		"env A, env B": "process.env.A and process.env.B",
	} {
		if got := jestState(place); got != want {
			t.Errorf("%s is %q, want %q", place, got, want)
		}
	}
	got := jestMissing(job.TestReport{NoReset: []string{"var src/cart.js items"}})
	if !strings.Contains(got, "no function that a test could call resets items of cart.js; one that the module exports") {
		t.Error(got)
	}
}

// TestEveryPlaceHasWords: a patch of any language can be at any of these places.
func TestEveryPlaceHasWords(t *testing.T) {
	for _, w := range []*wording{&java, &jest} {
		for _, at := range []patch.Location{patch.VictimStart, patch.VictimSetup, patch.PolluterTeardown, patch.PolluterEnd} {
			if w.places[at] == "" || w.state == nil || w.short == nil || w.listed == nil || w.changed == nil || w.missing == nil {
				t.Errorf("%s at %s", w.group, at)
			}
		}
	}
}

// TestStateOfJestByKind: each kind of state has words of its own.
func TestStateOfJestByKind(t *testing.T) {
	for place, want := range map[string]string{
		"mock global chrome.tabs.query": "chrome.tabs.query", "mock a.test.js send": "send of a.test.js", "spy axios.get": "axios.get",
		"builtin console.log": "console.log", "core fs.existsSync": "fs.existsSync", "storage local theme": "localStorage.theme",
		"file a/left.txt": "the file a/left.txt", "document body": "document.body",
	} {
		if got := jestState(place); got != want {
			t.Errorf("%s: %q", place, got)
		}
	}
	if got := jestChange(job.StateChange{Field: "mock global chrome.tabs.query", Path: "chrome.tabs.query once"}); got != "chrome.tabs.query once" {
		t.Errorf("a change of a global's mock: %q", got)
	}
}
