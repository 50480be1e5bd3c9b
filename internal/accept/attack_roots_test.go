package accept

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// TestForgedRoots: a pom can name a folder for tests, and never one with production code.
func TestForgedRoots(t *testing.T) {
	const named = "<project><build><sourceDirectory>%s</sourceDirectory><testSourceDirectory>%s</testSourceDirectory></build></project>"
	const added = "<project><build><plugins><plugin><artifactId>build-helper-maven-plugin</artifactId><executions><execution>" +
		"<goals><goal>add-test-source</goal></goals><configuration><sources><source>%s</source></sources></configuration>" +
		"</execution></executions></plugin></plugins></build></project>"
	for name, c := range map[string]struct {
		pom, file string
		is        bool
	}{
		"convention":            {"<project/>", testFile, true},
		"by a property":         {fmt.Sprintf(named, "${code}", "app-test"), "app-test/a/Shop.java", false},
		"no folder of tests":    {fmt.Sprintf(added, "app"), "app/a/Shop.java", false},
		"own folder":            {fmt.Sprintf(named, "java", "${project.basedir}/test"), "test/a/ATest.java", true},
		"added folder":          {fmt.Sprintf(added, "${basedir}/src/it/java"), "src/it/java/a/AIT.java", true},
		"everything":            {fmt.Sprintf(named, "", "."), "src/main/java/a/Shop.java", false},
		"production code":       {fmt.Sprintf(named, "elsewhere", "src/main/java"), "src/main/java/a/Shop.java", false},
		"own production code":   {fmt.Sprintf(named, "java", "java"), "java/a/Shop.java", false},
		"above production code": {fmt.Sprintf(named, "", "src"), "src/main/java/a/Shop.java", false},
		"in production code":    {fmt.Sprintf(added, "src/main/java/a"), "src/main/java/a/Shop.java", false},
		"outside":               {fmt.Sprintf(named, "", "../other"), "other/a/Shop.java", false},
		"property":              {fmt.Sprintf(named, "", "${where}/java"), "${where}/java/A.java", false},
		"broken":                {"<project><build><testSourceDirectory>java", "java/a/Shop.java", false},
		"entity":                {"<!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><project>&e;</project>", "java/A.java", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := honest()
			r.Tests[0].Patches[0].SetDiff(edit(c.file))
			tree := map[string]string{"pom.xml": c.pom}
			if !strings.HasPrefix(c.file, "..") {
				tree[c.file] = before
			}
			s := Scope{Language: Java, Sources: commit(t, tree), Dir: ".", Tests: []string{string(victim)}}
			if got := accepted(t, r, s); len(got.Tests[0].Patches) == 1 != c.is {
				t.Errorf("%+v", got)
			}
		})
	}
}

// build is a pom with folders, executes an execution that adds one, and helper a pom with that.
func build(folders string) string { return "<project><build>" + folders + "</build></project>" }

func executes(goal, source string) string {
	return "<execution><goals><goal>" + goal + "</goal></goals><configuration><sources><source>" + source + "</source></sources></configuration></execution>"
}

func helper(goal, source string) string {
	return build("<plugins><plugin><artifactId>build-helper-maven-plugin</artifactId><executions>" + executes(goal, source) + "</executions></plugin></plugins>")
}

// TestAttackNestedPom: a commit adds a pom below production code, so that this seems to be a module of its
// own. The folders of all modules above it count, too.
func TestAttackNestedPom(t *testing.T) {
	for name, c := range map[string]struct {
		poms map[string]string
		file string
		is   bool
	}{
		"a module":              {map[string]string{"pom.xml": "<project/>", "core/pom.xml": "<project/>"}, "core/src/test/java/a/ATest.java", true},
		"below production code": {map[string]string{"pom.xml": "<project/>", "src/main/java/a/pom.xml": "<project/>"}, "src/main/java/a/src/test/Shop.java", false},
		"with a folder": {map[string]string{"pom.xml": "<project/>",
			"src/main/java/a/pom.xml": "<project><build><testSourceDirectory>shop-test</testSourceDirectory></build></project>"}, "src/main/java/a/shop-test/Shop.java", false},
		"below a module": {map[string]string{"pom.xml": "<project/>", "core/pom.xml": "<project/>", "core/src/main/pom.xml": "<project/>"},
			"core/src/main/src/test/Shop.java", false},
		"below a named folder": {map[string]string{"pom.xml": "<project><build><sourceDirectory>app</sourceDirectory></build></project>",
			"app/pom.xml": "<project><build><sourceDirectory>none</sourceDirectory></build></project>"}, "app/src/test/Shop.java", false},
		"without a module below tests": {map[string]string{"pom.xml": "<project/>", "lib/pom.xml": "<project/>"}, "lib/a/Shop.java", false},
		"the outer one is a link":      {map[string]string{"pom.xml": "-> build.xml", "build.xml": "<project/>", "app/a/pom.xml": "<project/>"}, "app/a/src/test/Shop.java", false},
		"the outer one is too large": {map[string]string{"pom.xml": build("<sourceDirectory>app</sourceDirectory>") + strings.Repeat(" ", maxSource),
			"app/a/pom.xml": "<project/>"}, "app/a/src/test/Shop.java", false},
		"another charset": {map[string]string{"pom.xml": `<?xml version="1.0" encoding="ISO-8859-1"?>` + build("<sourceDirectory>app</sourceDirectory>"),
			"app/a/pom.xml": "<project/>"}, "app/a/src/test/Shop.java", false},
		"another charset, of tests": {map[string]string{"pom.xml": `<?xml version="1.0" encoding="ISO-8859-1"?><project><name>caf\xe9</name></project>`}, testFile, true},
		"the outer one has a property": {map[string]string{"pom.xml": build("<sourceDirectory>${code}</sourceDirectory>"),
			"app/a/pom.xml": build("<sourceDirectory>none</sourceDirectory>")}, "app/a/src/test/Shop.java", false},
		"a parent elsewhere": {map[string]string{"pom.xml": "<project/>", "parent/pom.xml": build("<sourceDirectory>app</sourceDirectory>"),
			"core/pom.xml": "<project><parent><relativePath>../parent</relativePath></parent></project>", "core/app/a/pom.xml": "<project/>"}, "core/app/a/src/test/Shop.java", false},
		"src/main without a pom":  {map[string]string{"src/main/java/a/pom.xml": build("<testSourceDirectory>it</testSourceDirectory>")}, "src/main/java/a/it/Shop.java", false},
		"src/main of another one": {map[string]string{"pom.xml": helper("add-test-source", "core/src/main/java/it")}, "core/src/main/java/it/Shop.java", false},
		"a package called so":     {map[string]string{"pom.xml": helper("add-test-source", "app/java/it")}, "app/java/it/Shop.java", false},
		"both goals":              {map[string]string{"pom.xml": helper("add-test-source</goal><goal>add-source", "it")}, "it/Shop.java", false},
		"in a profile": {map[string]string{"pom.xml": strings.Replace(helper("add-test-source", "it/java"), "<project>", "<project><profiles><profile>"+
			strings.TrimSuffix(strings.TrimPrefix(helper(" add-source ", "it"), "<project>"), "</project>")+"</profile></profiles>", 1)}, "it/java/Shop.java", false},
		"by a property":    {map[string]string{"pom.xml": strings.Replace(helper("add-test-source", "it"), "<executions>", "<executions>"+executes("add-source", "${code}"), 1)}, "it/Shop.java", false},
		"generated code":   {map[string]string{"pom.xml": strings.Replace(helper("add-test-source", "it"), "<executions>", "<executions>"+executes("add-source", "${project.build.directory}/made"), 1)}, "it/AIT.java", true},
		"a parent's tests": {map[string]string{"pom.xml": build("<testSourceDirectory>test</testSourceDirectory>"), "core/pom.xml": "<project/>"}, "core/test/ATest.java", true},
	} {
		r := honest()
		r.Tests[0].Patches[0].SetDiff(edit(c.file))
		tree := map[string]string{c.file: before}
		maps.Copy(tree, c.poms)
		s := Scope{Language: Java, Sources: commit(t, tree), Dir: ".", Tests: []string{string(victim)}}
		if got := accepted(t, r, s); len(got.Tests[0].Patches) == 1 != c.is {
			t.Errorf("%s: %+v", name, got.Notes)
		}
	}
}

// baseOf is a base branch.
type baseOf struct {
	tree map[string]string
	err  error
	t    *testing.T
}

func (b baseOf) Sources() (fs.FS, error) { return commit(b.t, b.tree), b.err }

// TestAttackChangedPoms: the pull request's own poms do not make test sources of what the base branch has as
// production code.
func TestAttackChangedPoms(t *testing.T) {
	own, src := build("<testSourceDirectory>test</testSourceDirectory>"), build("<sourceDirectory>src</sourceDirectory>")
	const parent = "<project><parent><relativePath>../base.xml</relativePath></parent></project>"
	type tree = map[string]string
	for name, c := range map[string]struct {
		base, now tree
		file      string
		is        bool
	}{
		"unchanged":        {tree{"pom.xml": own}, tree{"pom.xml": own}, "test/ATest.java", true},
		"a dependency":     {tree{"pom.xml": "<project/>"}, tree{"pom.xml": "<project><dependencies/></project>"}, testFile, true},
		"production code":  {tree{"pom.xml": build("<sourceDirectory>test</sourceDirectory>")}, tree{"pom.xml": own}, "test/Shop.java", false},
		"below src":        {tree{"pom.xml": src}, tree{"pom.xml": "<project/>"}, "src/test/Shop.java", false},
		"commented":        {tree{"pom.xml": src}, tree{"pom.xml": "<project><!--" + src + "--></project>"}, "src/test/Shop.java", false},
		"no pom any more":  {tree{"pom.xml": src, "core/pom.xml": "<project/>"}, tree{"core/pom.xml": "<project/>"}, "core/src/test/Shop.java", false},
		"a parent's name":  {tree{"pom.xml": "<project/>", "core/pom.xml": parent, "base.xml": src}, tree{"pom.xml": "<project/>", "core/pom.xml": parent}, "core/src/test/Shop.java", false},
		"a new module":     {tree{"pom.xml": "<project/>"}, tree{"pom.xml": "<project/>", "common/pom.xml": "<project/>"}, "common/src/test/java/Shop.java", false},
		"a new file":       {tree{"pom.xml": "<project/>"}, tree{"pom.xml": "<project/>", "new/pom.xml": "<project/>"}, "new/src/test/java/ATest.java", true},
		"a new file below": {tree{"pom.xml": src}, tree{"pom.xml": "<project/>"}, "src/test/Shop.java", false},
	} {
		r := honest()
		r.Tests[0].Patches[0].SetDiff(edit(c.file))
		c.now[c.file] = before
		if !strings.HasPrefix(name, "a new file") {
			c.base[c.file] = before
		}
		s := Scope{Language: Java, Sources: commit(t, c.now), Dir: ".", Tests: []string{string(victim)}, Base: baseOf{tree: c.base, t: t}}
		if got := accepted(t, r, s); len(got.Tests[0].Patches) == 1 != c.is {
			t.Errorf("%s: %+v", name, got.Notes)
		}
	}
}

// TestUnknownBase: an error of GitHub is not an answer.
func TestUnknownBase(t *testing.T) {
	unknown := errors.New("GitHub does not answer")
	s := Scope{Language: Java, Sources: commit(t, shop), Dir: ".", Tests: []string{string(victim)}, Base: baseOf{err: unknown, t: t}}
	if _, err := Report(t.Context(), honest(), s); !errors.Is(err, unknown) {
		t.Errorf("%v", err)
	}
}

// TestAttackAddedTests: what a pull request adds to a file makes no test file of it, unless it is a new one.
func TestAttackAddedTests(t *testing.T) {
	const own, file = "test('a', () => {});\n", "src/integration/pay.js"
	for name, c := range map[string]struct {
		base, now string
		is        bool
	}{
		"unchanged": {own, own, true},
		"added":     {"pay();\n", "/*\n" + own + "*/\npay();\n", false},
		"new":       {"", own, true},
		"removed":   {own, "pay();\n", false},
	} {
		b := baseOf{tree: map[string]string{"package.json": "{}"}, t: t}
		if c.base != "" {
			b.tree[file] = c.base
		}
		s := newSources(Scope{Language: Jest, Sources: commit(t, map[string]string{file: c.now}), Seen: []string{file + "#a"}, Base: b})
		if s.test(file) != c.is {
			t.Errorf("%s: %v", name, !c.is)
		}
	}
}

// TestForgedJestPatch: Jest's own choice of test files decides, or the names of CI, and not
// which tests were asked about. A file that CI names must make tests: the log can name any file.
func TestForgedJestPatch(t *testing.T) {
	const asked = "web/cart.test.js#cart › adds up"
	files := map[string]bool{
		"web/cart.test.js": true, "web/__tests__/list.tsx": true, "web/list.spec.mjs": true, "web/test/named.js": true,
		"web/index.js": false, "web/test/helper.js": false, "jest.config.js": false, "package.json": false,
		"web/integration/pay.js": false, "web/test/rule.js": false, "e2e/jest.config.js": false, "web/cart.test.json": false, "node_modules/x/cart.test.js": false, ".hidden/cart.test.js": false, "web/testing.js": false,
	}
	tree := map[string]string{}
	for f := range files {
		tree[f] = before
	}
	tree["web/test/named.js"] = "  it.each([1])('a', () => {});\n" + before
	tree["web/test/rule.js"] = "export class Rule {\n  test(value) { return value; }\n}\n" + before
	tree["e2e/jest.config.js"] = "module.exports = {}; // it('a', test('b'))\nconst s = `describe('`;\n" + before
	tree["web/integration/pay.js"] = "export const ok = (s) => /a/.test(s) && fit(s);\n" + before
	for f, is := range files {
		t.Run(f, func(t *testing.T) {
			t.Parallel()
			id := suite.TestID(asked)
			r := honest()
			r.Tests[0].Test, r.Tests[0].MinimalOrder, r.Tests[0].Polluters = id, nil, nil
			r.Tests[0].Patches[0].Fixes = []suite.TestID{id}
			r.Tests[0].Patches[0].SetDiff(patch.Unified(patch.Edit{Path: f, Before: tree[f], After: tree[f] + "// patched\n"}))
			s := Scope{Language: Jest, Sources: commit(t, tree), Dir: ".", Tests: []string{asked, "web/test/helper.js#asked"},
				Seen: []string{"web/test/named.js#named", "web/index.js#index", "web/integration/pay.js#a", "web/test/rule.js#a", "e2e/jest.config.js#a"}}
			got := accepted(t, r, s)
			if len(got.Tests) != 1 || len(got.Tests[0].Patches) == 1 != is {
				t.Errorf("%+v", got)
			}
		})
	}
}
