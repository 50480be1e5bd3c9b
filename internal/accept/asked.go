package accept

import (
	"slices"

	"github.com/odfix/odfix/internal/ci"
	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/jest/jestid"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// maxAsked bounds the names of tests that were asked about.
const maxAsked = 5000

// asked are the report's results for tests that were asked about, each once.
func (a *acceptor) asked(all []job.TestReport) []job.TestReport {
	var out []job.TestReport
	var ids suite.Order
	for _, t := range head(all, maxTests) {
		if _, twice := a.tests[t.Test]; !twice && verdicts[t.Verdict] && a.valid(t.Test) {
			a.tests[t.Test] = t.Verdict
			out, ids = append(out, t), append(ids, t.Test)
		}
	}
	wanted := wantedJava
	if a.scope.Language == Jest {
		wanted = wantedJest
	}
	is := wanted(ids, head(a.scope.Tests, maxAsked))
	return suite.Filter(out, func(t job.TestReport) bool {
		if !is[t.Test] {
			delete(a.tests, t.Test)
		}
		return is[t.Test]
	})
}

// wantedJava are the tests that the names stand for.
func wantedJava(ids suite.Order, names []string) map[suite.TestID]bool {
	root := &suite.Node{}
	for _, t := range ids {
		root.Children = append(root.Children, &suite.Node{Name: string(t), Test: t})
	}
	known, out := suite.NewResolver(&suite.Suite{Root: root}, junitid.Syntax{}), map[suite.TestID]bool{}
	for _, n := range names {
		for _, t := range known.Find(n) {
			out[t] = true
		}
	}
	return out
}

// wantedJest are the tests that the names stand for. A source of CI names the file or not, from any
// folder, and joins the titles in several ways. Spelling all of this out for a hostile id would be
// long, so the ids are compared with the names.
func wantedJest(ids suite.Order, names []string) map[suite.TestID]bool {
	files := map[string][]string{} // by titles; "" for a name without a file
	for _, n := range names {
		file, titles := ci.JestNames(n)
		for _, t := range titles {
			files[t] = append(files[t], file)
		}
	}
	out := map[suite.TestID]bool{}
	for _, t := range ids {
		own := jestid.File(t)
		for _, titles := range slices.Compact([]string{ci.JestPlain(jestid.FullName(t)), ci.JestPlain(jestid.Syntax{}.Name(t)), ""}) {
			for _, f := range head(files[titles], maxTests) {
				out[t] = out[t] || f == "" && titles != "" || f != "" && (ci.EndsInPath(own, f) || ci.EndsInPath(f, own))
			}
		}
	}
	return out
}
