package jestid

import (
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

func TestSyntax(t *testing.T) {
	id := suite.TestID("src/cart.test.js#cart › with items › adds up~2")
	var s Syntax
	for _, c := range []struct{ what, got, want string }{
		{"group", s.Group(id), "src/cart.test.js"},
		{"unit", s.Unit(id), "src/cart.test.js#cart › with items"},
		{"unit of a test without describe", s.Unit("a.test.js#adds"), "a.test.js"},
		{"name", s.Name(id), "adds up~2"},
		{"short", s.Short(id), "cart.test.js#cart › with items › adds up~2"},
		{"full name", FullName(id), "cart with items adds up"},
		{"full name with a tilde", FullName("a.test.js#costs ~"), "costs ~"},
		{"last", s.Last("cart > adds up"), "adds up"},
		{"file of a project", File("a.test.js [node]#adds"), "a.test.js"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.what, c.got, c.want)
		}
	}
}

// TestSpellings: people, reporters and JUnit reports name a test in several ways.
func TestSpellings(t *testing.T) {
	leaf := func(id suite.TestID) *suite.Node { return &suite.Node{Name: string(id), Test: id} }
	a, b := suite.TestID("src/cart.test.js#cart › adds up"), suite.TestID("src/list.test.js#list › adds up")
	spaced := suite.TestID("src/list.test.js#list › ends with a space ")
	r := suite.NewResolver(&suite.Suite{Root: &suite.Node{Children: []*suite.Node{leaf(a), leaf(b), leaf(spaced)}}}, Syntax{})
	if got, err := r.Resolve(string(spaced)); err != nil || len(got) != 1 || got[0] != spaced {
		t.Errorf("a title that ends with a space: %v, %v", got, err)
	}
	for _, name := range []string{
		"src/cart.test.js#cart › adds up", "cart › adds up", "cart > adds up", "cart adds up", "cart.test.js#cart adds up",
		"cart adds up#cart adds up", "src/cart.test.js > cart > adds up", "./src/cart.test.js#cart > adds up", "cart.test.js",
		"/builds/acme/shop/src/cart.test.js#cart › adds up", "/builds/acme/shop/src/cart.test.js", `C:\shop\src\cart.test.js#cart adds up`,
	} {
		if got, err := r.Resolve(name); err != nil || len(got) != 1 || got[0] != a {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if got, err := r.Resolve("cart.spec.js#cart adds up"); err == nil {
		t.Errorf("a file that is not there: %v", got)
	}
	if got, err := r.Resolve("adds up"); err != nil || len(got) != 2 {
		t.Errorf("a title that two files have: %v, %v", got, err)
	}
}
