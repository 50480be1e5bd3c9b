package accept

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

const (
	victim   = suite.TestID("a.VictimTest#reads")
	polluter = suite.TestID("a.PolluterTest#writes")
	testFile = "src/test/java/a/PolluterTest.java"
	before   = "class PolluterTest {\n}\n"
	plainMvn = "mvn '-Dtest=a.PolluterTest#writes,a.VictimTest#reads' -Dsurefire.runOrder=alphabetical test"
)

// commit is the sources of a commit: files, and links as "-> target".
func commit(t *testing.T, files map[string]string) fs.FS {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(file), 0o755)
		if target, link := strings.CutPrefix(text, "-> "); err == nil && link {
			err = os.Symlink(target, file)
		} else if err == nil {
			err = os.WriteFile(file, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return os.DirFS(dir)
}

// shop is a commit of Maven.
var shop = map[string]string{
	"pom.xml": "<project/>", testFile: before, "src/main/java/a/Shop.java": before, "mvnw": "", "core/pom.xml": "<project/>",
	"core/src/test/java/a/CoreTest.java": before, "core/src/main/java/a/Core.java": before, ".github/workflows/ci.yml": before,
}

// edit is a patch of a file with the text before.
func edit(files ...string) string {
	var all []patch.Edit
	for _, f := range files {
		all = append(all, patch.Edit{Path: f, Before: before, After: "class PolluterTest {\n    // patched\n}\n"})
	}
	return patch.Unified(all...)
}

// honest is the report of a runner that nobody forged.
func honest() *job.Report {
	p := job.Patch{Kind: job.FromHelper, Location: patch.PolluterTeardown, Style: patch.Inline, Statements: []string{"// patched"},
		Files: []string{testFile}, Fixes: []suite.TestID{victim},
		Proof: job.Proof{Proved: true, Checks: []job.Check{{Name: suite.CheckCompiles, OK: true, Repeats: 1}}}}
	p.SetDiff(edit(testFile))
	return &job.Report{Version: job.Version, Finished: true, Tests: []job.TestReport{{
		Test: victim, Verdict: suite.Victim, Reason: "passes alone", MinimalOrder: suite.Order{polluter, victim},
		Polluters: []suite.Order{{polluter}}, Patches: []job.Patch{p},
		Reproduce: []job.Command{{What: "fails", Dir: ".", Line: plainMvn, Exit: 1}},
	}}, Cost: job.Cost{Seconds: map[string]float64{job.PhaseBuild: 3}, Total: 3}}
}

func scoped(t *testing.T) Scope {
	return Scope{Language: Java, Sources: commit(t, shop), Dir: ".", Tests: []string{string(victim)}}
}

func accepted(t *testing.T, r *job.Report, s Scope) *job.Report {
	t.Helper()
	got, err := Report(context.Background(), r, s)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestHonestReport: what the server can check is taken as it is.
func TestHonestReport(t *testing.T) {
	got := accepted(t, honest(), scoped(t))
	if len(got.Tests) != 1 || len(got.Tests[0].Patches) != 1 || len(got.Tests[0].Reproduce) != 1 || len(got.Notes) != 0 {
		t.Fatalf("%+v", got)
	}
	x := got.Tests[0]
	if p := x.Patches[0]; p.RawDiff() != edit(testFile) || !p.Proof.Proved || p.Statements[0] != "// patched" {
		t.Errorf("%+v", p)
	}
	if c := x.Reproduce[0]; c.Line != plainMvn || c.Dir != "." {
		t.Errorf("%+v", c)
	}
	if got.Names[victim].Short != "VictimTest#reads" || got.Cost.Seconds[job.PhaseBuild] != 3 || len(x.MinimalOrder) != 2 {
		t.Errorf("%+v", got)
	}
}

// TestForgedPatch: a patch that touches anything but test sources is left out.
func TestForgedPatch(t *testing.T) {
	tree := map[string]string{
		"src/test/java/a/Link.java": "-> ../../../../pom.xml", "linked/pom.xml": "<project/>", "linked/src/test": "-> ../src/main",
		"src/main/java/src/test/java/a/Inner.java": before, "nopom.java": before, "node_modules/x/src/test/java/A.java": before,
	}
	for name, text := range shop {
		tree[name] = text
	}
	tree["pom.xml"] = before
	const header = "diff --git a/" + testFile + " b/" + testFile + "\n"
	for name, diff := range map[string]string{
		"pom":                   edit("pom.xml"),
		"production code":       edit("src/main/java/a/Shop.java"),
		"code of a module":      edit("core/src/main/java/a/Core.java"),
		"workflow":              edit(".github/workflows/ci.yml"),
		"test and pom":          edit(testFile, "pom.xml"),
		"wrapper":               strings.ReplaceAll(edit(testFile), testFile, "mvnw"),
		"resource of a test":    strings.ReplaceAll(edit(testFile), testFile, "src/test/resources/junit-platform.properties"),
		"folder named src/test": edit("src/main/java/src/test/java/a/Inner.java"),
		"no path of tests":      edit("nopom.java"),
		"link to the pom":       edit("src/test/java/a/Link.java"),
		"through a link":        edit("linked/src/test/java/a/Shop.java"),
		"dependencies":          edit("node_modules/x/src/test/java/A.java"),
		"outside":               strings.ReplaceAll(edit(testFile), testFile, "src/test/java/../../../pom.xml"),
		"absolute":              strings.ReplaceAll(edit(testFile), testFile, "/etc/passwd.java"),
		"removal of a test": header + "deleted file mode 100644\n--- a/" + testFile +
			"\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-class PolluterTest {\n-}\n",
		"same file twice":       edit(testFile) + edit(testFile),
		"other text":            strings.ReplaceAll(edit(testFile), " class PolluterTest {", " class OtherTest {"),
		"makes a file":          header + "new file mode 100644\n--- /dev/null\n+++ b/" + testFile + "\n@@ -0,0 +1,1 @@\n+x\n",
		"name that no disk has": strings.ReplaceAll(edit(testFile), testFile, "src/test/java/"+strings.Repeat("a", 251)+".java"),
		"mode":                  header + "old mode 100644\nnew mode 100755\n",
		"no patch":              "rm -rf /",
		"nothing":               "",
		"too long":              edit(testFile) + strings.Repeat("# nothing\n", maxDiff/10),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := honest()
			r.Tests[0].Patches[0].SetDiff(diff)
			r.Combined = &job.Combined{Diff: diff, Proof: job.Proof{Proved: true}, Fixes: []suite.TestID{victim}}
			s := Scope{Language: Java, Sources: commit(t, tree), Dir: ".", Tests: []string{string(victim)}}
			got := accepted(t, r, s)
			if len(got.Tests) != 1 || len(got.Tests[0].Patches) != 0 || got.Combined != nil || len(got.Notes) != 1 {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestForgedBytes: the text of a patch for people cannot differ from its bytes.
func TestForgedBytes(t *testing.T) {
	r := honest()
	r.Tests[0].Patches[0].Diff = edit(testFile)
	r.Tests[0].Patches[0].DiffBytes = []byte(edit("pom.xml"))
	if got := accepted(t, r, scoped(t)); len(got.Tests[0].Patches) != 0 {
		t.Errorf("%+v", got.Tests[0].Patches)
	}
}

// TestForgedAlternative: a setting is one of odfix's own, of a Jest project, and for accepted tests.
func TestForgedAlternative(t *testing.T) {
	const asked = suite.TestID("web/cart.test.js#cart › adds up")
	for name, c := range map[string]struct {
		language, setting string
		taken             bool
	}{
		"known":         {Jest, "clearMocks: true", true},
		"unknown":       {Jest, "globalSetup: './steal.js'", false},
		"more":          {Jest, "clearMocks: true, globalSetup: './steal.js'", false},
		"of no project": {Java, "clearMocks: true", false},
	} {
		r := honest()
		r.Tests[0].Patches = nil
		r.Alternative = &job.Alternative{Setting: c.setting, Fixes: []suite.TestID{asked, victim, "a.Other#x"},
			Proof: job.Proof{Proved: true, Commands: []job.Command{{Line: "rm -rf /"}}}}
		s := Scope{Language: c.language, Sources: commit(t, shop), Dir: ".", Tests: []string{string(victim)}}
		if c.language == Jest {
			r.Tests[0].Test, r.Tests[0].MinimalOrder, r.Tests[0].Polluters, s.Tests = asked, nil, nil, []string{string(asked)}
			s.Sources = commit(t, map[string]string{"web/cart.test.js": before})
		}
		got := accepted(t, r, s).Alternative
		switch {
		case !c.taken && got != nil:
			t.Errorf("%s: %+v", name, got)
		case c.taken && (got == nil || len(got.Fixes) != 1 || got.Fixes[0] != asked || len(got.Proof.Commands) > 0):
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestForgedTests: only tests that were asked about are in the result, and only known words.
func TestForgedTests(t *testing.T) {
	for name, change := range map[string]func(*job.TestReport){
		"another test":    func(t *job.TestReport) { t.Test = "a.OtherTest#works" },
		"another class":   func(t *job.TestReport) { t.Test = "b.VictimTest#reads" },
		"no class":        func(t *job.TestReport) { t.Test = "![x](https://example.com)#reads" },
		"control":         func(t *job.TestReport) { t.Test = "a.VictimTest#reads\n@acme/team" },
		"too long":        func(t *job.TestReport) { t.Test = "a.VictimTest#" + suite.TestID(strings.Repeat("x", 5000)) },
		"another verdict": func(t *job.TestReport) { t.Verdict = "![x](https://example.com)" },
		"no verdict":      func(t *job.TestReport) { t.Verdict = "" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := honest()
			change(&r.Tests[0])
			if got := accepted(t, r, scoped(t)); len(got.Tests) != 0 {
				t.Errorf("%+v", got.Tests)
			}
		})
	}
}

// TestForgedWords: kinds, places, styles, outcomes, phases and names are odfix's own.
func TestForgedWords(t *testing.T) {
	const evil = "![EV1L](https://example.com)"
	r := honest()
	x := &r.Tests[0]
	x.Evidence = []suite.Answer{{Order: suite.Order{victim}, Outcome: evil, Repeats: 1}}
	x.FailingOrder = &suite.Seen{Provenance: evil, Order: suite.Order{victim}}
	x.Polluters = append(x.Polluters, suite.Order{evil})
	x.StateSetters = []suite.Order{{"a.B\x00#c"}}
	x.Cleaners = []suite.Cleaner{{Polluter: suite.Order{polluter}, Cleaner: suite.Order{evil}}}
	other := x.Patches[0]
	other.Kind = evil
	place := x.Patches[0]
	place.Location = evil
	style := x.Patches[0]
	style.Style = evil
	id := x.Patches[0]
	id.At, id.StatementIDs = evil, []string{evil}
	x.Patches = []job.Patch{other, place, style, id}
	r.Names = job.Names{victim: {Short: "reads", Source: evil}}
	r.Cost = job.Cost{Seconds: map[string]float64{evil: 1, job.PhaseProve: -1}, Total: -5, FirstPatch: -1,
		Questions: map[suite.Price]int{evil: 1, suite.Fresh: -1}}
	r.Error = &job.Error{Code: evil}
	r.Project = job.Project{Language: evil, Module: evil, Dir: evil, BuildArgs: []string{evil}}
	r.Cohorts = []job.Cohort{{Tests: []suite.TestID{evil, "a.Other#x"}}}
	r.LeftOut, r.Crashes = []suite.TestID{evil}, []job.Ended{{Crash: suite.Crash{Kind: evil}, Output: evil}}
	r.Detection, r.Suite, r.Runs = &job.Detection{Technique: evil}, []byte(evil), []suite.Run{{Order: suite.Order{evil}}}
	got := accepted(t, r, scoped(t))
	text, err := json.Marshal(got)
	if err != nil || strings.Contains(string(text), "EV1L") {
		t.Errorf("%v: %s", err, text)
	}
	if len(got.Tests) != 1 || len(got.Tests[0].Patches) != 1 || len(got.Tests[0].Polluters) != 1 || got.Cost.Total != 0 || got.Cost.FirstPatch != 0 {
		t.Errorf("%+v", got)
	}
}

// TestForgedFixes: a patch repairs tests of the report, and order-dependent ones only.
func TestForgedFixes(t *testing.T) {
	r := honest()
	r.Tests[0].Patches[0].Fixes = []suite.TestID{"a.Other#x", polluter}
	if got := accepted(t, r, scoped(t)); len(got.Tests[0].Patches) != 0 {
		t.Errorf("%+v", got.Tests[0].Patches)
	}
	r = honest()
	r.Tests[0].Verdict = suite.Genuine
	if got := accepted(t, r, scoped(t)); len(got.Tests[0].Patches) != 0 {
		t.Errorf("a patch of a genuine failure: %+v", got.Tests[0].Patches)
	}
}

// TestAskedNames: a test is recognised by the names that CI's sources give it.
func TestAskedNames(t *testing.T) {
	for _, c := range []struct {
		language, id, name string
		is                 bool
	}{
		{Java, "a.B#m(int)", "a.B#m", true}, {Java, "a.B#m", "B.m", true}, {Java, "a.B$C#m", "a.B$C#m", true}, {Java, "a.B#m", "a.B", true},
		{Java, "a.All>a.B#m", "a.B#m", true}, {Java, "a.B#m", "a.B#n", false}, {Java, "a.B#m", "", false},
		{Jest, "web/c.test.js#c › adds", "c.test.js#c › adds", true}, {Jest, "c.test.js#c › adds", "web/c.test.js#c › adds", true},
		{Jest, "c.test.js#c › adds", "c adds", true}, {Jest, "c.test.js#c › adds", "c.test.js", true},
		{Jest, "c.test.js#c › adds", "d.test.js", false},
		{Jest, "c.test.js#c › adds", "/home/runner/web/c.test.js#c > adds", true}, {Jest, "c.test.js#c › adds~2", "c.test.js#c adds", true},
		{Jest, "c.test.js#c › adds", "d.test.js#c › adds", false}, {Jest, "c.test.js#c › adds", "c", false},
		{Jest, "c.test.js#c › adds", "", false},
	} {
		r := &job.Report{Tests: []job.TestReport{{Test: suite.TestID(c.id), Verdict: suite.Genuine}}}
		got := accepted(t, r, Scope{Language: c.language, Sources: os.DirFS(t.TempDir()), Dir: ".", Tests: []string{c.name}})
		if len(got.Tests) == 1 != c.is {
			t.Errorf("%s for %q: %+v", c.id, c.name, got.Tests)
		}
	}
}

// TestManyForgedParts: the result is bounded, whatever the report's size.
func TestManyForgedParts(t *testing.T) {
	r := honest()
	x := r.Tests[0]
	x.Notes, x.Reason = make([]string, 10000), strings.Repeat("x", 1<<20)
	for range 1000 {
		x.Patches = append(x.Patches, x.Patches[0])
		x.Polluters = append(x.Polluters, x.Polluters[0])
	}
	x.MinimalOrder = append(make(suite.Order, 100000), victim)
	r.Tests = make([]job.TestReport, 5000)
	for i := range r.Tests {
		r.Tests[i] = x
		r.Tests[i].Test = suite.TestID(fmt.Sprintf("a.VictimTest#reads[%d]", i))
	}
	got := accepted(t, r, Scope{Language: Java, Sources: commit(t, shop), Dir: ".", Tests: []string{"a.VictimTest"}})
	patches := 0
	for _, x := range got.Tests {
		patches += len(x.Patches)
		if len(x.Notes) > maxNotes || len(x.Reason) > maxSentence+10 || len(x.Polluters) > maxGroups || x.MinimalOrder != nil {
			t.Fatalf("%d notes, %d bytes, %d polluters", len(x.Notes), len(x.Reason), len(x.Polluters))
		}
	}
	if len(got.Tests) != maxTests || patches > maxAll {
		t.Errorf("%d tests, %d patches", len(got.Tests), patches)
	}
}

// TestStoppedInTime: the work ends with its context.
func TestStoppedInTime(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Report(ctx, honest(), scoped(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestAttackHiddenStatement: a line that a patch adds has no code that a reviewer does not see.
func TestAttackHiddenStatement(t *testing.T) {
	const run = `Runtime.getRuntime().exec("id");`
	for name, c := range map[string]struct {
		line string
		is   bool
	}{
		"plain":                   {`Cache.reset(); // "a" in a text`, true},
		"in columns":              {`Cache.reset();           // it stays`, true},
		"a letter":                {`Cache.put("größe", '\\', "\n");`, true},
		"an escaped letter":       {`Cache.put("\u00fc", '\u0001', "\\u002a");`, true},
		"an indented line":        {"\t\t\tCache.reset();\t// it stays", true},
		"behind an empty line":    {strings.Repeat(" ", 900) + run, false},
		"behind many tabs":        {strings.Repeat("\t", 400) + run, false},
		"behind small comments":   {"Cache.reset();" + strings.Repeat(strings.Repeat("\t", 2)+"/**/", 20) + run, false},
		"after an escaped end":    {`// reset, see \u000a` + run, false},
		"after several letters u": {`// reset, see \uuu000A` + run, false},
		"after an escaped sign":   {`/* see \u002a\u002f ` + run + ` /* */`, false},
		"far to the right":        {`Cache.reset();` + strings.Repeat(" ", 400) + run, false},
		"behind other blanks":     {`Cache.reset();` + strings.Repeat("\u2003", 60) + run, false},
		"after long text":         {`f("` + strings.Repeat("x", 1200) + `"); ` + run, false},
		"a gap":                   {"Cache.reset();" + strings.Repeat(" ", 39) + "// it stays", true},
		"a wider gap":             {"Cache.reset();" + strings.Repeat(" ", 40) + "// it stays", false},
		"several gaps":            {"Cache.reset();" + strings.Repeat(strings.Repeat(" ", 39)+";", 5) + run, false},
		"a column":                {`f("` + strings.Repeat("x", 300-4-3-3) + `");`, true},
		"a column more":           {`f("` + strings.Repeat("x", 300-4-3-2) + `");`, false},
		"deeper":                  {strings.Repeat(" ", 36) + run, true},
		"too deep":                {strings.Repeat(" ", 37) + run, false},
		"few empty lines":         {"Cache.reset();" + strings.Repeat("\n", 7) + run, true},
		"an empty line more":      {"Cache.reset();" + strings.Repeat("\n", 8) + run, false},
		"empty lines in parts":    {strings.Repeat("f();"+strings.Repeat("\n", 6), 3) + run, false},
		"lines of accents":        {"/*\n" + strings.Repeat("\u0300\n", 60) + "*/ " + run, false},
		"wide blanks":             {strings.Repeat("\u3000", 30) + run, false},
		"an emoji of several":     {"f(\"\U0001f44d\U0001f3fd \u2194\ufe0f \u2139\ufe0f\");", true},
		"joined to a sign":        {"f(\"^\u200d\");", false},
		"many variations":         {"f(\"\u2764" + strings.Repeat("\ufe0f", 9) + "\");", false},
		"behind empty lines":      {"Cache.reset();" + strings.Repeat("\n", 60) + run, false},
		"behind a joined sign":    {"Cache.reset\u034f();", false},
		"an emoji":                {`Cache.put("` + "\u2764\ufe0f" + `");`, true},
		"behind three tabs":       {"Cache.reset();\t\t\t// it stays", true},
		"in another direction":    {"// \u202e reset", false},
		"after a carriage return": {"// reset\r" + run, false},
		"after another line end":  {"// reset\u2028" + run, false},
	} {
		r := honest()
		r.Tests[0].Patches[0].SetDiff(patch.Unified(patch.Edit{Path: testFile, Before: before,
			After: "class PolluterTest {\n    " + c.line + "\n}\n"}))
		got := accepted(t, r, scoped(t))
		if is := len(got.Tests[0].Patches) == 1; is != c.is {
			t.Errorf("%s: %v, notes %q", name, is, got.Notes)
		}
	}
}

// TestMovedLines: what a file has already may stay as it is, wherever it stands.
func TestMovedLines(t *testing.T) {
	tail := strings.Repeat(" ", 30) + "// \u2764\ufe0f " + strings.Repeat("x", 300)
	deep, far := strings.Repeat("\t", 16), "/* "+strings.Repeat(" ", 400)+"*/ run();"
	for name, c := range map[string]struct {
		before, after string
		is            bool
	}{
		"a word less":              {"static int a;" + tail, "int a;" + tail, true},
		"in a block":               {"int a;" + tail, "{ \n  int a;" + tail + "\n }", true},
		"beside":                   {deep + ".a()", deep + ".a()\n    b();", true},
		"code behind what is gone": {"static int a;" + tail, "int a;" + strings.Repeat(" ", 40) + "run();" + tail, false},
		"moved out of sight":       {"int a;", deep + "int a;", false},
		"code behind blanks":       {"int a;", "int a;" + strings.Repeat(" ", 200) + "run();", false},
		"code behind a long line":  {"int a;" + tail, "int a;" + tail + "run();", false},
		"code before blanks":       {"int a; /*" + tail + "*/", "int a;" + strings.Repeat(" ", 200) + "run(); /*" + tail + "*/", false},
		"an escaped end of a text": {`f("\u0000", g());`, `f("\u0022+run()+"", g());`, false},
		"an escaped end of a line": {`// null \u000b is shown`, `// null \u000a run(); // is shown`, false},
		"code behind a comment":    {"int a;" + strings.Repeat(" ", 240) + "/* c */", "int a;" + strings.Repeat(" ", 240) + "/**/run();/* c */", false},
		"a hidden line again":      {far, far + "\n" + far, false},
		"a hidden line elsewhere":  {far, "int a;\n" + far, true},
	} {
		text := func(s string) string { return "class PolluterTest {\n    " + s + "\n}\n" }
		tree := maps.Clone(shop)
		tree[testFile] = text(c.before)
		r, s := honest(), scoped(t)
		s.Sources = commit(t, tree)
		r.Tests[0].Patches[0].SetDiff(patch.Unified(patch.Edit{Path: testFile, Before: text(c.before), After: text(c.after)}))
		got := accepted(t, r, s)
		if is := len(got.Tests[0].Patches) == 1; is != c.is {
			t.Errorf("%s: %v, notes %q", name, is, got.Notes)
		}
	}
}
