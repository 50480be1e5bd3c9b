package templates

import "github.com/odfix/odfix/internal/suite"

// A verdict in words. Each verdict of package suite has its words here.

// sentences state each verdict. The reason follows.
var sentences = map[suite.Verdict]string{
	suite.Victim:        "%s is a victim of the order of tests: it %s.",
	suite.Brittle:       "%s is brittle, it needs another test to run before it: it %s.",
	suite.VictimBrittle: "%s is brittle and a victim of the order of tests: it %s.",
	suite.FlakyOther:    "%s is flaky whatever the order of tests: it %s.",
	suite.Genuine:       "%s fails for a reason of its own, not because of the order of tests: it %s.",
	suite.Regression:    "%s fails because of the change, although only some orders show it: it %s.",
	suite.NotReproduced: "%s did not fail here: it %s.",
	suite.Undecided:     "Nothing certain can be said of %s: it %s.",
}

// adjectives say a verdict of several tests.
var adjectives = []struct {
	verdict suite.Verdict
	words   string
}{
	{suite.Victim, "fail only after other tests (victims)"}, {suite.Brittle, "pass only after other tests (brittle)"},
	{suite.VictimBrittle, "need one test and are broken by another"}, {suite.Genuine, "fail whatever the order"},
	{suite.Regression, "fail because of the change"},
	{suite.FlakyOther, "are flaky whatever the order"}, {suite.NotReproduced, "did not fail here"},
	{suite.Undecided, "without a certain answer"},
}

// consequences say what follows from a verdict.
var consequences = map[suite.Verdict]string{
	suite.Genuine:       "The order of tests is not the reason, so odfix says nothing on the pull request.",
	suite.FlakyOther:    "The order of tests is not the reason, and odfix does not look for other reasons.",
	suite.Regression:    "The change is the reason, so odfix says nothing on the pull request.",
	suite.NotReproduced: "So nothing is concluded.",
}

// verdictTitles are the headings of tests that are not order-dependent.
var verdictTitles = map[suite.Verdict]string{
	suite.Genuine: "not order-dependent", suite.FlakyOther: "flaky, not because of the order",
	suite.Regression: "a regression", suite.NotReproduced: "not reproduced", suite.Undecided: "no certain answer",
}
