package templates

import (
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/state"
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
				Diff: "--- a/x\n+++ b/x\n", Fixes: []suite.TestID{victim}, Why: "the file that leaves the state changed cleans up after itself",
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
			"1 statement in afterEach around the polluter, to restore transport.send of mailer.test.js",
			"transport.send.mock.calls of mailer.test.js: 0 calls → 1 call", "process.env.LANGUAGE",
		}},
		"a comment": {comment, []string{
			"adds `transport.send.mockClear();` in an `afterEach` around `src/mailer.test.js#mailer › greets`", "`transport.send.mock.calls of mailer.test.js`", "`process.env.LANGUAGE`",
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

// TestPatchLinesOfJest: what a patch adds, and what for.
func TestPatchLinesOfJest(t *testing.T) {
	for want, p := range map[string]job.Patch{
		"1 statement with 1 variable for the former value in afterEach around the polluter, to restore the working directory": {
			Statements: []string{"process.chdir(originalDirectory);"},
			Made:       &patch.Made{Resets: "directory cwd", Fields: []string{"originalDirectory = process.cwd()"}, Statements: []string{"process.chdir(originalDirectory)"}}},
		"2 statements with 1 variable for the former value in afterEach around the polluter, to restore process.env.A": {
			Statements: []string{"process.env.A = originalA;", "reset();"}, Made: &patch.Made{Resets: "env A", Fields: []string{"originalA = process.env.A"}, Statements: []string{"process.env.A = originalA", "reset()"}}},
		"1 statement in afterEach around the polluter, to close what is left open by server.test.js": {
			Statements: []string{"await stop(server);"}, Made: &patch.Made{Resets: state.LeftOpen + "test/server.test.js", Statements: []string{"await stop(server)"}}},
		"1 statement in afterEach around the polluter, to restore default.language of settings.js": {
			Statements: []string{"reset();"}, Made: &patch.Made{Resets: "var src/settings.js _default.language", Statements: []string{"reset()"}}},
	} {
		p.Location = patch.PolluterTeardown
		if got := jest.patchLine(p); got != want {
			t.Errorf("%s", got)
		}
	}
}

// TestWordsOfATestThatDoesNotWait: what a test begins is waited for, and not restored.
func TestWordsOfATestThatDoesNotWait(t *testing.T) {
	const place = "unfinished src/mailer.test.js:10:12"
	r := mailer()
	one := &r.Tests[0]
	one.State = []string{place}
	one.Changes = []job.StateChange{{Field: place, Path: "what line 10 of src/mailer.test.js begins (send('Ada');)",
		Before: "absent", After: "a promise that is not settled"}}
	p := &one.Patches[0]
	p.Location, p.Statements = patch.PolluterBody, []string{"await send('Ada');"}
	p.Made = &patch.Made{Resets: place, Await: []string{"src/mailer.test.js:10:12"}}
	text, comment := Fix(r, Options{}), CommentBody(Cause{Language: "jest", Tests: r.Tests, Patch: []*job.Patch{p}})
	one.StateMatters = false
	unprovedText := Fix(r, Options{})
	one.Patches, one.Unpatched = nil, job.NothingRestores
	if got := Fix(r, Options{}); !strings.Contains(got, "no way was found to make the polluter wait") {
		t.Error(got)
	}
	one.Patches, one.Unpatched = []job.Patch{*p}, ""
	unproved := CommentBody(Cause{Language: "jest", Tests: r.Tests, Patch: []*job.Patch{p}})
	for got, want := range map[string][]string{
		text: {"what line 10 of src/mailer.test.js begins (send('Ada');): absent → a promise that is not settled (with only that waited for, it passes)",
			"1 statement in the polluter itself, to wait for what line 10 of mailer.test.js begins"},
		comment: {"`src/mailer.test.js#mailer › greets` does not wait for `what line 10 of src/mailer.test.js begins (send('Ada');)`; with only that " +
			"waited for, the failing test passes. The change adds `await send('Ada');` in `src/mailer.test.js#mailer › greets` itself."},
		unprovedText: {"a promise that is not settled (not waited for; that it is what matters was not proved)"},
		unproved:     {"begins (send('Ada');)`; without that test, it passes. The change adds"},
	} {
		flat := strings.Join(strings.Fields(got), " ")
		for _, w := range want {
			if !strings.Contains(flat, w) {
				t.Errorf("lacks %q:\n%s", w, flat)
			}
		}
	}
}

// TestAlternative: a setting is named where it fixes all tests of a cause, in words that odfix knows.
func TestAlternative(t *testing.T) {
	const victim = "src/mailer.test.js#mailer › reminds"
	for name, c := range map[string]struct {
		setting string
		fixes   []suite.TestID
		proved  bool
		named   bool
	}{
		"proved":     {"clearMocks: true", []suite.TestID{victim}, true, true},
		"not proved": {"clearMocks: true", []suite.TestID{victim}, false, false},
		"others":     {"clearMocks: true", []suite.TestID{"src/mailer.test.js#mailer › greets"}, true, false},
		"unknown":    {"globalSetup: './x.js'", []suite.TestID{victim}, true, false},
	} {
		r := mailer()
		r.Alternative = &job.Alternative{Setting: c.setting, Fixes: c.fixes, Proof: job.Proof{Proved: c.proved}}
		text := Fix(r, Options{})
		comment := CommentBody(Cause{Language: "jest", Tests: r.Tests, Patch: []*job.Patch{&r.Tests[0].Patches[0]}, Setting: r.SettingFor(r.Tests)})
		for what, got := range map[string]string{"the terminal": text, "a comment": comment} {
			if named := strings.Contains(got, "Alternative"); named != c.named {
				t.Errorf("%s: %s names an alternative: %v\n%s", name, what, named, got)
			}
		}
		if c.named && (!strings.Contains(strings.Join(strings.Fields(text), " "), "clearMocks: true in Jest's configuration forgets the calls of all mocks") ||
			!strings.Contains(comment, "<summary>Alternative: one line of Jest's configuration</summary>\n\n`clearMocks: true` forgets the calls")) {
			t.Errorf("%s\n%s", text, comment)
		}
	}
	claimed := CommentBody(Cause{Language: "jest", Tests: mailer().Tests, Setting: "clearMocks: true", Claimed: true})
	if strings.Contains(claimed, "is proved") || !strings.Contains(claimed, "is checked in the same way") {
		t.Errorf("a setting that odfix has not proved itself:\n%s", claimed)
	}
	for _, s := range job.Settings {
		if alternative(s, 1, "proved") == "" {
			t.Errorf("no words for %s", s)
		}
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

// TestFailureInPlainWords: the message of an assertion needs no class, another error does.
func TestFailureInPlainWords(t *testing.T) {
	for _, c := range []struct{ kind, message, want string }{
		{"org.junit.ComparisonFailure", "expected:<1> but was:<2>", "expected:<1> but was:<2>"},
		{"org.opentest4j.AssertionFailedError", `expected: <1>\nmore`, "expected: <1>"},
		{"java.lang.AssertionError", `\nexpected: 1.0\n but was: 2.0`, "expected: 1.0 but was: 2.0"},
		{"java.lang.AssertionError", `Expecting:\n  <[1]>\nto be empty`, "Expecting: <[1]> to be empty"},
		{"java.lang.AssertionError", `Expecting actual:\n  [("Anna", 2),\n    ("Bob", 1)]\nto contain exactly:\n  [("Bob", 1)]`,
			`Expecting actual: [("Anna", 2), ("Bob", 1)] to contain exactly: [("Bob", 1)]`},
		{"java.lang.AssertionError", `Expecting actual:\n  ` + strings.Repeat("a", 250) + `\nto be empty`, "Expecting actual: " + strings.Repeat("a", 250) + " …"},
		{"org.junit.ComparisonFailure", `expected:<a[]> but was:<a[\n]>`, "expected:<a[]> but was:<a[ ]>"},
		{"org.opentest4j.AssertionFailedError", "Expected X to be thrown, but nothing was thrown.", "Expected X to be thrown, but nothing was thrown."},
		{"org.mockito.exceptions.verification.TooManyActualInvocations", `\nmailer.send();\nWanted 1 time:`, "TooManyActualInvocations: mailer.send();"},
		{"java.lang.AssertionError", "", "an assertion failed"},
		{"JestAssertionError", "", "an assertion failed"},
		{"AssertionError", "1 == 2", "1 == 2"},
		{"java.lang.NullPointerException", "", "NullPointerException"},
		{"java.lang.IllegalStateException", "closed", "IllegalStateException: closed"},
		{"", "closed", "closed"},
	} {
		if got := failure(&suite.Failure{Type: c.kind, Message: c.message}); got != c.want {
			t.Errorf("%s %q: %q", c.kind, c.message, got)
		}
	}
}

func TestStateOfJest(t *testing.T) {
	for place, want := range map[string]string{
		"var src/cart.js items": "items of cart.js", "env A_B": "process.env.A_B", "document body": "document.body",
		"mocked src/a.js": "the mock of src/a.js that jest.doMock has registered", "nock interceptors": "the interceptors of nock",
		"storage local cart": "localStorage.cart", "file out/a.txt": "the file out/a.txt", "global fetch": "the global fetch",
		"module src/cart.js": "the module src/cart.js", "core Array.prototype.last": "Array.prototype.last",
		"listeners process exit": "the listeners of process for exit", "all mocks": "all mocks", "the timers": "the timers", "x": "x",
		"env A, env B": "process.env.A and process.env.B", "env A, the timers": "process.env.A and the timers",
		"mock src/my api/client.js api[\"get, all\"]": "api[\"get, all\"] of client.js", "storage local cart, saved": "localStorage.cart, saved",
		"var a.test.js [adds, then removes] n, env B": "[adds, then removes] n of a.test.js and process.env.B",
	} {
		if got := jestState(place); got != want {
			t.Errorf("%s is %q, want %q", place, got, want)
		}
	}
	change := job.StateChange{Field: "var src/my api/client.js seen", Path: "seen.size"}
	if got := jestChange(change); got != "seen.size of client.js" {
		t.Errorf("a change in a file with a blank: %q", got)
	}
	if got := jestChange(job.StateChange{Field: "global Stripe", Path: "Stripe"}); got != "the global Stripe" {
		t.Errorf("a change of a global: %q", got)
	}
	got := jestMissing(job.TestReport{NoReset: []string{"var src/cart.js items"}})
	if !strings.Contains(got, "no function that a test could call resets items of cart.js; one that the module exports") {
		t.Error(got)
	}
}

// TestEveryPlaceHasWords: a patch of any language can be at any of the first places.
func TestEveryPlaceHasWords(t *testing.T) {
	for _, w := range []*wording{&java, &jest} {
		for _, at := range []patch.Location{patch.VictimStart, patch.VictimSetup, patch.PolluterTeardown, patch.PolluterClassTeardown, patch.PolluterEnd} {
			if w.places[at] == "" || w.state == nil || w.short == nil || w.listed == nil || w.changed == nil || w.missing == nil {
				t.Errorf("%s at %s", w.group, at)
			}
		}
	}
	for at, w := range map[patch.Location]*wording{patch.VictimSetupStart: &java, patch.VictimBlockSetup: &jest, patch.PolluterBody: &jest} {
		if w.places[at] == "" || w.spots[at] == "" {
			t.Errorf("%s at %s", w.group, at)
		}
	}
}

// TestStateOfJestByKind: each kind of state has words of its own.
func TestStateOfJestByKind(t *testing.T) {
	for place, want := range map[string]string{
		"mock global chrome.tabs.query": "chrome.tabs.query", "mock a.test.js send": "send of a.test.js", "spy axios.get": "axios.get",
		"builtin console.log": "console.log", "core fs.existsSync": "fs.existsSync", "storage local theme": "localStorage.theme",
		"unfinished src/a.test.js:7:12": "what line 7 of a.test.js begins", "unfinished odd": "what odd begins",
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
