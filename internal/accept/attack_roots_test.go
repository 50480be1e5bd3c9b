package accept

import (
	"errors"
	"fmt"
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

// TestAttackChangedPoms: the pull request's own poms do not make test sources of what the base branch has as
// production code.
func TestAttackChangedPoms(t *testing.T) {
	own := build("<testSourceDirectory>test</testSourceDirectory>")
	unknown := errors.New("GitHub does not answer")
	for name, c := range map[string]struct {
		pom, file string
		changes   []Change
		err       error
		is        bool
	}{
		"unchanged":              {own, "test/ATest.java", []Change{{Path: "test/ATest.java", Lines: "+x\n"}}, nil, true},
		"changed":                {own, "test/Shop.java", []Change{{Path: "pom.xml", Lines: "-<sourceDirectory>test</sourceDirectory>\n"}}, nil, false},
		"elsewhere":              {own, "test/Shop.java", []Change{{Path: "core/pom.xml", Lines: "+<project/>\n", New: true}}, nil, false},
		"a dependency, src/test": {"<project/>", testFile, []Change{{Path: "pom.xml", Lines: "+<dependency/>\n"}}, nil, true},
		"folders, src/test":      {"<project/>", testFile, []Change{{Path: "pom.xml", Lines: "-<sourceDirectory>src</sourceDirectory>\n"}}, nil, false},
		"no lines, src/test":     {"<project/>", testFile, []Change{{Path: "pom.xml"}}, nil, false},
		"renamed, src/test":      {"<project/>", testFile, []Change{{Path: "pom.xml", Before: "build.xml", Lines: "+x\n"}}, nil, false},
		"Maven's options":        {own, "test/Shop.java", []Change{{Path: ".mvn/maven.config", Lines: "+-f\n", New: true}}, nil, false},
		"not known":              {"<project/>", testFile, nil, unknown, false},
	} {
		r := honest()
		r.Tests[0].Patches[0].SetDiff(edit(c.file))
		s := Scope{Language: Java, Sources: commit(t, map[string]string{"pom.xml": c.pom, c.file: before}), Dir: ".", Tests: []string{string(victim)},
			Changes: func() ([]Change, error) { return c.changes, c.err }}
		if got := accepted(t, r, s); len(got.Tests[0].Patches) == 1 != c.is {
			t.Errorf("%s: %+v", name, got.Notes)
		}
	}
}

// TestAttackAddedTests: what a pull request adds to a file makes no test file of it, unless it is a new one.
func TestAttackAddedTests(t *testing.T) {
	const own, file = "test('a', () => {});\n", "src/integration/pay.js"
	for name, c := range map[string]struct {
		text    string
		changes []Change
		is      bool
	}{
		"unchanged": {own, nil, true},
		"added":     {"/*\n" + own + "*/\n", []Change{{Path: file, Lines: "@@ -0,0 +1,3 @@\n+/*\n+" + own + "+*/\n"}}, false},
		"new":       {own, []Change{{Path: file, New: true}}, true},
		"not known": {own, []Change{{Path: file}}, false},
		"another":   {own + "test('b', () => {});\n", []Change{{Path: file, Lines: "+test('b', () => {});\n"}}, true},
	} {
		s := newSources(Scope{Language: Jest, Sources: commit(t, map[string]string{file: c.text}), Seen: []string{file + "#a"},
			Changes: func() ([]Change, error) { return c.changes, nil }})
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
