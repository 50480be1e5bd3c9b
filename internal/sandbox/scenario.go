package sandbox

import (
	"fmt"
	"strings"
)

// Scenario is a pull request's story and how it should end.
type Scenario struct {
	Name  string
	About string // a line for people

	example string            // of ours; empty: dir is somebody's project
	adds    string            // the file that the pull request adds, with what it needs to be red
	edits   []edit            // of files that both branches have
	base    map[string]string // further files of the base branch
	dir     string            // somebody's project
	ref     string            // what its base branch is

	branch, title, body string

	fork      bool // the branch is in a fork
	untilRed  bool // CI runs again until it is red
	interrupt bool // a further push comes while a runner is at work

	expect expectation
}

// edit replaces words of a file, which must be there.
type edit struct{ path, from, to string }

// expectation is how a pull request should have settled; see Result.judge.
type expectation struct {
	title       string // of the check's beginning
	suggestions int    // review comments that hold one
	comments    int    // in the conversation
	annotations bool   // the check has some
	cancelled   bool   // an older head's check ended as cancelled
	free        bool   // any answer will do
}

const (
	importTests = "src/test/java/com/example/shop/CatalogueImportTest.java"
	orderVictim = "Order-dependent: ReceiptTest#printsTheTotal fails after CatalogueImportTest#readsThePriceListOfAGermanSupplier"
)

var victim = Scenario{
	Name: "victim", About: "the new tests leave something behind, and an old test fails",
	example: "demo", adds: importTests, branch: "feature/import-tests", title: "Test the catalogue import",
	body:   "German suppliers write prices with a comma. This adds tests of that.\n\nI did not touch the receipts, so I do not know why `ReceiptTest` is red.",
	expect: expectation{title: orderVictim, suggestions: 1},
}

// Scenarios are those there are; the first is the default.
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
		Name: "genuine", About: "the new tests found a real mistake; odfix stays out of the way",
		example: "genuine-failure", adds: "src/test/java/com/example/parcels/SmallParcelTest.java",
		branch: "feature/small-parcels", title: "Test small parcels", body: "Two kilograms exactly are still a small parcel.",
		expect: expectation{title: "Not order-dependent"},
	},
	{
		Name: "flaky", About: "the new test fails now and then, in whatever order",
		example: "flaky", adds: "src/test/java/com/example/retry/BackoffTest.java",
		branch: "feature/backoff", title: "Test the first retry", body: "CI does not like it every time.", untilRed: true,
		expect: expectation{title: "Flaky"},
	},
	with(victim, Scenario{Name: "fork", About: "the same from a fork", fork: true, expect: victim.expect}),
	with(victim, Scenario{
		Name: "no-diff-lines", About: "the mend belongs into a file that the pull request does not touch",
		adds: "src/test/java/com/example/shop/ReceiptTest.java", branch: "feature/receipt-tests", title: "Test receipts",
		body: "The first tests of receipts.", expect: expectation{title: orderVictim, comments: 1},
	}),
	{
		Name: "two-victims-one-cause", About: "two tests fail for one reason, and hear of it once",
		example: "two-victims", adds: "src/test/java/com/example/tenant/AcmeLoginTest.java",
		branch: "feature/login-test", title: "Test logins of a tenant", body: "One test, and two others are red.",
		expect: expectation{title: "2 order-dependent tests, 1 cause; a proved change for all", suggestions: 1},
	},
	with(victim, Scenario{
		Name: "config-error", About: "the configuration has a mistake, and a check says where",
		base:   map[string]string{".odfix.yml": "version: 1\nbudgets:\n  job-minutes: soon\ncomments:\n  tone: rude\n"},
		expect: expectation{title: "The configuration has to be fixed first", annotations: true},
	}),
	with(victim, Scenario{
		Name: "new-polluter", About: "CI is green, and the new tests leave something behind that an old one reads",
		base:   map[string]string{".odfix.yml": "pollution:\n  annotate: true\n"},
		edits:  []edit{{"pom.xml", "<runOrder>alphabetical</runOrder>", "<runOrder>reversealphabetical</runOrder>"}},
		expect: expectation{title: "1 test newly leaves shared state changed; 1 breaks others by it", annotations: true},
	}),
	with(victim, Scenario{
		Name: "superseded", About: "a further push comes while odfix is at work", interrupt: true,
		expect: expectation{title: orderVictim, suggestions: 1, cancelled: true},
	}),
}

// with is a scenario that differs from another in what is set.
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
	return Scenario{}, fmt.Errorf("there is no scenario %q; there are %s", name, strings.Join(names, ", "))
}

// Project is the scenario of somebody's own project: a pull request of the
// folder as it is now, into what it was at a commit (or branch) of its
// repository, HEAD where none is named.
func Project(dir, ref string) Scenario {
	return Scenario{
		Name: "project", dir: dir, ref: ref, branch: "working-tree", title: "The working tree, as it is now",
		body: "Everything that differs from the base, committed or not.", expect: expectation{free: true},
	}
}
