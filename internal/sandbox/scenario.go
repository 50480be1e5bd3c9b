package sandbox

import (
	"fmt"
	"strings"
)

// Scenario describes a pull request and the expected result.
type Scenario struct {
	Name  string
	About string // a line for people

	example string            // a folder of examples/; empty: dir is the project
	adds    string            // the file that the pull request adds
	edits   []edit            // of files that both branches have
	base    map[string]string // further files of the base branch
	dir     string            // the given project
	ref     string            // its base commit

	branch, title, body string

	fork      bool // the branch is in a fork
	untilRed  bool // CI runs again until it is red
	interrupt bool // another push comes while a runner works

	expect expectation
}

// edit replaces text in a file.
type edit struct{ path, from, to string }

// expectation is the expected result.
type expectation struct {
	title       string // the beginning of the check's title
	suggestions int    // review comments with a suggestion
	comments    int    // without a suggestion
	annotations bool   // the check has annotations
	cancelled   bool   // an older head's check ended as cancelled
	free        bool   // any answer is accepted
}

const (
	importTests = "src/test/java/com/example/shop/CatalogueImportTest.java"
	orderVictim = "Order-dependent: ReceiptTest#printsTheTotal fails after CatalogueImportTest#readsThePriceListOfAGermanSupplier"
)

var victim = Scenario{
	Name: "victim", About: "the new tests leave shared state changed, and an old test fails",
	example: "demo", adds: importTests, branch: "feature/import-tests", title: "Test the catalogue import",
	body: "German suppliers write prices with a comma. This adds tests of that.\n\n" +
		"I did not touch the receipts, so I do not know why `ReceiptTest` is red.",
	expect: expectation{title: orderVictim, suggestions: 1},
}

// Scenarios are all scenarios. The first is the default.
var Scenarios = []Scenario{
	victim,
	{
		Name: "brittle", About: "the new test passes only after another one has run",
		example: "brittle-junit5", adds: "src/test/java/com/example/units/ConversionTest.java",
		edits:  []edit{{"pom.xml", "<runOrder>alphabetical</runOrder>", "<runOrder>reversealphabetical</runOrder>"}},
		branch: "feature/conversions", title: "Test conversions", body: "It is green on my machine.",
		expect: expectation{title: "Order-dependent: ConversionTest#milesToKilometres", suggestions: 1},
	},
	{
		Name: "genuine", About: "the new test finds a real defect; odfix posts no comment",
		example: "genuine-failure", adds: "src/test/java/com/example/parcels/SmallParcelTest.java",
		branch: "feature/small-parcels", title: "Test small parcels", body: "Two kilograms exactly are still a small parcel.",
		expect: expectation{title: "Not order-dependent"},
	},
	{
		Name: "flaky", About: "the new test fails sometimes, in any order",
		example: "flaky", adds: "src/test/java/com/example/retry/BackoffTest.java",
		branch: "feature/backoff", title: "Test the first retry", body: "CI does not like it every time.", untilRed: true,
		expect: expectation{title: "Flaky"},
	},
	with(victim, Scenario{Name: "fork", About: "like victim, from a fork", fork: true, expect: victim.expect}),
	with(victim, Scenario{
		Name: "no-diff-lines", About: "the patch is for a file that the pull request does not change",
		adds: "src/test/java/com/example/shop/ReceiptTest.java", branch: "feature/receipt-tests", title: "Test receipts",
		body: "The first tests of receipts.", expect: expectation{title: orderVictim, comments: 1},
	}),
	{
		Name: "two-victims-one-cause", About: "two tests fail for the same reason, and get one suggestion",
		example: "two-victims", adds: "src/test/java/com/example/tenant/AcmeLoginTest.java",
		branch: "feature/login-test", title: "Test logins of a tenant", body: "One test, and two others are red.",
		expect: expectation{title: "2 order-dependent tests, 1 cause; a proved change for all", suggestions: 1},
	},
	with(victim, Scenario{
		Name: "config-error", About: "the configuration has mistakes, and a check names them",
		base:   map[string]string{".odfix.yml": "version: 1\nbudgets:\n  job-minutes: soon\ncomments:\n  tone: rude\n"},
		expect: expectation{title: "The configuration has to be fixed first"},
	}),
	with(victim, Scenario{
		Name: "new-polluter", About: "CI is green, and the new tests leave state changed that an old test reads",
		base:   map[string]string{".odfix.yml": "pollution:\n  annotate: true\n"},
		edits:  []edit{{"pom.xml", "<runOrder>alphabetical</runOrder>", "<runOrder>reversealphabetical</runOrder>"}},
		expect: expectation{title: "1 test newly leaves shared state changed; 1 breaks others by it", annotations: true},
	}),
	with(victim, Scenario{
		Name: "superseded", About: "a second push arrives during the investigation", interrupt: true,
		expect: expectation{title: orderVictim, suggestions: 1, cancelled: true},
	}),
	{
		Name: "jest-victim", About: "as victim, with Jest: a new test leaves a mock's calls behind, and the next one fails",
		example: "jest-mock-calls", adds: "mailer.test.js", branch: "feature/mailer-tests", title: "Test the mailer",
		body:   "The first tests of the mailer. One of them is red, but it passes with `-t reminds`.",
		expect: expectation{title: "Order-dependent: “mailer.test.js#mailer › reminds every user once” fails after", suggestions: 1},
	},
}

// with changes a scenario: the fields that d sets replace those of s.
func with(s, d Scenario) Scenario {
	if d.adds != "" {
		s.adds, s.branch, s.title, s.body = d.adds, d.branch, d.title, d.body
	}
	s.Name, s.About, s.base, s.edits, s.fork, s.interrupt, s.expect = d.Name, d.About, d.base, d.edits, d.fork, d.interrupt, d.expect
	return s
}

// Find finds a scenario by its name.
func Find(name string) (Scenario, error) {
	var names []string
	for _, s := range Scenarios {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Scenario{}, fmt.Errorf("there is no scenario %q; the scenarios are %s", name, strings.Join(names, ", "))
}

// Project is the scenario of a given project: a pull request of the folder as it is now, against a
// commit or branch of its repository (HEAD if ref is empty).
func Project(dir, ref string) Scenario {
	return Scenario{
		Name: "project", dir: dir, ref: ref, branch: "working-tree", title: "The working tree, as it is now",
		body: "Everything that differs from the base, committed or not.", expect: expectation{free: true},
	}
}
