package accept

import (
	"errors"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

const (
	junit = "import org.junit.jupiter.api.Test;\n" + before
	jest  = "it('adds up', () => {});\n"
)

// baseOf is a base branch.
type baseOf struct {
	tree  map[string]string
	err   error
	asked []string
}

func (b *baseOf) Texts(file string) ([]string, error) {
	b.asked = append(b.asked, file)
	if text, exists := b.tree[file]; exists {
		return []string{text}, b.err
	}
	return nil, b.err
}

// testIn reports whether a patch may change a file with the text now, which the base branch has with
// the text then. "": it does not have it.
func testIn(t *testing.T, language, file, then, now string) bool {
	t.Helper()
	b := &baseOf{tree: map[string]string{}}
	if then != "" {
		b.tree[file] = then
	}
	s := newSources(Scope{Language: language, Sources: commit(t, map[string]string{file: now}), Base: b})
	return s.test(file)
}

// TestAttackJavaSources: a path and what the base branch has make a file a test source. What the pull
// request's poms and its own text say of it does not.
func TestAttackJavaSources(t *testing.T) {
	const shop = "// import org.junit.Test;\n/* import org.junit.Test; */\npublic class Shop {\n}\n"
	for name, c := range map[string]struct {
		file, then, now string
		is              bool
	}{
		"an escaped comment":        {"core/src/Test.java", "/\\u002a\n" + junit + "*/\n", "/\\u002a\n" + junit + "*/\n", false},
		"convention":                {testFile, before, before, true},
		"a module's":                {"core/src/test/java/a/ATest.java", before, before, true},
		"production code":           {"src/main/java/a/ShopTest.java", junit, junit, false},
		"in another case":           {"src/Main/java/a/ShopTest.java", junit, junit, false},
		"in it a module":            {"src/main/java/src/test/java/a/Shop.java", junit, junit, false},
		"not quite the convention":  {"src/test/Shop.java", shop, shop, false},
		"integration tests":         {"src/integrationTest/java/a/Base.java", before, before, true},
		"tests with a hyphen":       {"core/src/integration-test/java/a/Base.java", before, before, true},
		"for the latest Java":       {"src/latest/java/a/Shop.java", shop, shop, false},
		"own folder":                {"test/a/Cart.java", junit, junit, true},
		"added folder":              {"src/it/java/a/Cart.java", junit, junit, true},
		"beside production code":    {"src/a/CartTest.java", junit, junit, true},
		"JUnit 3":                   {"tests/a/Cart.java", "import junit.framework.TestCase;\n", "import junit.framework.TestCase;\n", true},
		"TestNG":                    {"javatests/a/Cart.java", "import static  org.testng.Assert.*;\n", "import static  org.testng.Assert.*;\n", true},
		"code in a folder of tests": {"test/a/Shop.java", shop, shop, false},
		"made a test":               {"test/a/Shop.java", shop, junit, false},
		"no test any more":          {"test/a/Cart.java", junit, shop, false},
		"the pull request's own":    {"test/a/Cart.java", "", junit, true},
		"its path does not say so":  {"src/a/Edit.java", junit, junit, false},
		"an import in a comment":    {"test/a/Shop.java", "/*\n" + junit + "*/\n", "/*\n" + junit + "*/\n", false},
		"an import in a text":       {"src/a/TestGenerator.java", "String s = \"\"\"\n" + junit + "\"\"\";\n", "String s = \"\"\"\n" + junit + "\"\"\";\n", false},
		"a pom":                     {"src/test/java/pom.xml", before, before, false},
		"hidden":                    {".mvn/src/test/java/A.java", junit, junit, false},
		"of a dependency":           {"node_modules/x/src/test/java/A.java", junit, junit, false},
	} {
		if is := testIn(t, Java, c.file, c.then, c.now); is != c.is {
			t.Errorf("%s: %v", name, is)
		}
	}
}

// TestAttackJestSources: the path must say that the file has tests, and it must have them, also on the
// base branch. Programs, configurations and commands have such paths, too.
func TestAttackJestSources(t *testing.T) {
	const config = "module.exports = {\n  test: /js$/,\n  ok: (s) => /a/.test(s) && fit(s),\n};\n"
	for _, c := range []struct {
		file, text string
		is         bool
	}{
		{"web/cart.test.js", jest, true},
		{"web/__tests__/list.tsx", jest, true},
		{"web/list.spec.mjs", jest, true},
		{"web/test/cart.js", jest, true},
		{"test/app.e2e-spec.ts", jest, true},
		{"src/cart_test.ts", jest, true},
		{"src/CartTest.js", jest, true},
		{"src/cart.unit.js", jest, true},
		{"test/each.js", "it.each([\n  [1],\n])('a %i', () => {});\n", true},
		{"test/table.js", "  test.only.each`a | b`('a', () => {});\n", true},
		{"test/loop.js", "for (const c of all) {\n  it(c.name, async () => {});\n}\n", true},
		{"test/chosen.js", "(process.env.CI ? describe.skip : describe)('a', () => {});\n", true},
		{"test/callback.js", "test(name, done => done());\n", true},
		{"test/named.js", "describe(name(), () => {});\n", true},
		{"test/types.ts", "test.each<[number]>([[1]])('a', () => {});\n", true},
		{"test/paths.js", "route('/api/*');\nit('a', () => {});\nroute('*/');\n", true},
		{"test/money.js", "it('costs $5, or 5$', function () {});\n", true},
		{"rules/__tests__/no-x.js", "const tester = new RuleTester();\n", true},
		{"config/test.js", config, false},
		{"config/webpack.test.js", config, false},
		{"scripts/test.js", "process.env.NODE_ENV = 'test';\njest.run(argv);\n", false},
		{"src/commands/test.ts", "export default class extends Command {\n  test(value) {}\n  describe = 'runs the tests';\n}\n", false},
		{"web/__tests__/setup.js", "global.fetch = require('node-fetch');\n", false},
		{"web/test/rule.js", "export class Rule {\n  test(value, other) { return value; }\n  it(value) {}\n}\n", false},
		{"e2e/jest.config.js", "module.exports = {}; // it('a', test('b'))\nconst s = `describe('`;\n", false},
		{"src/commands/test.js", "class Test extends Command {\n  describe() { return 'Runs the tests'; }\n}\n", false},
		{"src/api/test.ts", "/**\n * For example:\n   it('adds up', () => {});\n */\nexport function client() {}\n", false},
		{"config/env.test.js", "module.exports = {\n  // see describe() and expect(x)\n  url: 'db',\n};\n", false},
		{"generators/test/index.js", "module.exports = (n) => `\ntest('${n} works', () => {});\n`;\n", false},
		{"scripts/test/run.js", "test('unit');\ntest('e2e');\n", false},
		{"web/index.js", jest, false},
		{"web/testing.js", jest, false},
		{"web/cart.test.json", jest, false},
		{"node_modules/x/cart.test.js", jest, false},
		{".hidden/cart.test.js", jest, false},
		{"package.json", jest, false},
	} {
		if is := testIn(t, Jest, c.file, c.text, c.text); is != c.is {
			t.Errorf("%s: %v", c.file, is)
		}
		if c.is && testIn(t, Jest, c.file, config, c.text) {
			t.Errorf("%s: the pull request makes a test file of code", c.file)
		}
		if c.is && testIn(t, Jest, c.file, c.text, config) {
			t.Errorf("%s: it has no tests any more", c.file)
		}
		if c.is && !testIn(t, Jest, c.file, "", c.text) {
			t.Errorf("%s: a new file of the pull request is refused", c.file)
		}
	}
}

// TestAttackLinks: no link leads to a test source.
func TestAttackLinks(t *testing.T) {
	s := newSources(Scope{Language: Java, Sources: commit(t, map[string]string{"src/main/java/a/Shop.java": before,
		"src/test/java/a/Link.java": "-> ../../../main/java/a/Shop.java", "linked/src/test": "-> ../../src/main"})})
	for _, file := range []string{"src/test/java/a/Link.java", "linked/src/test/java/a/Shop.java", "src/test/java/a", "src/test/java/a/No.java"} {
		if s.test(file) {
			t.Errorf("%s is taken", file)
		}
	}
}

// TestBaseIsAskedOnce: the base branch is asked for a file once, and only if its answer decides.
func TestBaseIsAskedOnce(t *testing.T) {
	b := &baseOf{tree: map[string]string{"test/a/Cart.java": junit}}
	tree := map[string]string{"test/a/Cart.java": junit, testFile: before, "test/a/Shop.java": before}
	s := newSources(Scope{Language: Java, Sources: commit(t, tree), Base: b})
	for range 2 {
		if !s.test("test/a/Cart.java") || !s.test(testFile) || s.test("test/a/Shop.java") {
			t.Error("a wrong answer")
		}
	}
	if got := strings.Join(b.asked, " "); got != "test/a/Cart.java" {
		t.Errorf("asked for %s", got)
	}
}

// TestUnknownBase: an error of GitHub is not an answer, and nothing is asked after it.
func TestUnknownBase(t *testing.T) {
	unknown := errors.New("GitHub does not answer")
	b := &baseOf{err: unknown}
	r := honest()
	r.Tests[0].Patches = append(r.Tests[0].Patches, r.Tests[0].Patches[0])
	r.Tests[0].Patches[0].SetDiff(edit("test/a/Cart.java"))
	r.Tests[0].Patches[1].SetDiff(edit("test/a/Other.java"))
	s := Scope{Language: Java, Sources: commit(t, map[string]string{"test/a/Cart.java": junit, "test/a/Other.java": junit}), Dir: ".",
		Tests: []string{string(victim)}, Base: b}
	if _, err := Report(t.Context(), r, s); !errors.Is(err, unknown) || len(b.asked) != 1 {
		t.Errorf("%v, asked %d times", err, len(b.asked))
	}
}

// TestForgedChecks: only checks that odfix makes are named.
func TestForgedChecks(t *testing.T) {
	r := honest()
	proof := &r.Tests[0].Patches[0].Proof
	proof.Checks = append(proof.Checks, job.Check{Name: "was reviewed by the security team", OK: true, Repeats: 3})
	if got := accepted(t, r, scoped(t)).Tests[0].Patches[0].Proof.Checks; len(got) != 1 || got[0].Name != suite.CheckCompiles {
		t.Errorf("%+v", got)
	}
}

// TestAttackSlowSource: reading a source takes time that is linear in it. Before, a file of 128 KiB took more
// than a minute, and one of this size would take hours.
func TestAttackSlowSource(t *testing.T) {
	for _, part := range []string{"/*\"\"\"\"\"\"", "/*", "\"\"\"\\", "'\\", "//"} {
		text := "import org.junit.Test;\n" + strings.Repeat(part, 1000<<10/len(part))
		if !testIn(t, Java, "test/a/Cart.java", "", text) {
			t.Errorf("%q…: it imports JUnit", part)
		}
	}
}

// TestAttackTextOfSource: an import in a text block, or in a comment, is none.
func TestAttackTextOfSource(t *testing.T) {
	for _, text := range []string{
		"// fills a \"\"\" block\nclass TestGenerator {\n String s = \"\"\"\nimport org.junit.Test;\n\"\"\";\n}\n",
		"class TestGenerator {\n char c = '\"'; String s = \"\"\"\nimport org.junit.Test;\n\\\"\"\" \"\"\";\n}\n",
		"/* \"\"\" \nimport org.junit.Test;\n*/\nclass TestGenerator {}\n",
	} {
		if testIn(t, Java, "src/a/TestGenerator.java", text, text) {
			t.Errorf("a test:\n%s", text)
		}
	}
	if method := "class T {\n  test(url, async) {\n    return url;\n  }\n}\n"; testIn(t, Jest, "src/commands/test.js", method, method) {
		t.Error("a method is no test")
	}
}
