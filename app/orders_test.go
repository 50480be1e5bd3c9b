package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/suite"
)

func TestOrdersOfSizes(t *testing.T) {
	d := newWorkspace(t)
	for _, c := range []struct {
		args []string
		out  string
	}{
		{[]string{"--sizes", "2,1", "--technique", "class-only"}, "g1.t1\tg1.t2\tg2.t1\ng2.t1\tg1.t1\tg1.t2\n"},
		{[]string{"--sizes", "2,1"}, "g1.t1\tg1.t2\tg2.t1\ng2.t1\tg1.t2\tg1.t1\n"},
		{[]string{"--sizes", "2,1", "--limit", "1"}, "g1.t1\tg1.t2\tg2.t1\n"},
		{[]string{"--sizes", "2,1", "--technique", "reverse"}, "g2.t1\tg1.t2\tg1.t1\n"},
		{[]string{"--sizes", "2,1", "--technique", "reverse", "--keep-level", "0"}, "g1.t2\tg1.t1\tg2.t1\n"},
		{[]string{"--sizes", "2,1", "--technique", "alone"}, "g1.t1\ng1.t2\ng2.t1\n"},
		{[]string{"--sizes", "1"}, "g1.t1\n"},
		{[]string{"--sizes", "3, 2, 5", "--technique", "inter-class", "--count"}, "62\n"},
		{[]string{"--sizes", strings.Repeat("10,", 999) + "10", "--technique", "inter-class", "--count"}, "99900000\n"},
		{[]string{"--sizes", "4,2", "--technique", "pair-cover", "--count"}, "16\n"},
		{[]string{"--sizes", "9", "--technique", "random", "--count"}, "10\n"},
	} {
		if code := d.run(t.Context(), append([]string{"orders"}, c.args...)...); code != exitOK || d.stdout.String() != c.out {
			t.Errorf("%v: status %d, printed\n%swant\n%s%s", c.args, code, d.stdout.String(), c.out, d.stderr.String())
		}
	}
	if d.asked != nil {
		t.Error("a runner was started for sizes")
	}
}

func TestOrdersChecked(t *testing.T) {
	d := newWorkspace(t)
	if code := d.run(t.Context(), "orders", "--sizes", "3,2,5", "--technique", "pair-cover", "--every-first",
		"--in-class", "--check"); code != exitOK {
		t.Errorf("status %d", code)
	}
	wantIn(t, d.stderr.String(), "62 of 62 pairs of tests of different classes", "28 of 28 pairs of tests of one class",
		"10 of 10 tests as the very first")
	if code := d.run(t.Context(), "orders", "--sizes", "3,2,5", "--technique", "inter-class", "--check", "--limit", "2"); code != exitOK {
		t.Errorf("cut short: status %d", code)
	}
	wantIn(t, d.stderr.String(), "Checked 2 orders", " of 62 pairs of tests of different classes")
}

// TestOrdersCheckedOfOneClass checks that kinds without pairs in the suite are not counted as
// covered.
func TestOrdersCheckedOfOneClass(t *testing.T) {
	d := newWorkspace(t)
	if code := d.run(t.Context(), "orders", "--sizes", "5", "--technique", "inter-class", "--check"); code != exitOK {
		t.Errorf("status %d", code)
	}
	wantIn(t, d.stderr.String(), "Checked 6 orders", "there are no pairs of classes\n",
		"there are no pairs of tests of different classes", "20 of 20 pairs of tests of one class", "5 of 5 tests as the very first")
	d.run(t.Context(), "orders", "--sizes", "1", "--technique", "class-only", "--check")
	wantIn(t, d.stderr.String(), "Checked 1 order: it holds", "there are no pairs of classes")
}

// TestOrdersWithoutDisabledTests checks that disabled tests of a suite file are in no order.
func TestOrdersWithoutDisabledTests(t *testing.T) {
	d := newWorkspace(t)
	file := d.write(t, "suite.json", `{"version":1,"root":{"children":[{"name":"A","children":[{"test":"A#a"},{"test":"A#off","disabled":true}]},{"test":"B#c"},{"name":"C","children":[{"test":"C#off","disabled":true}]}]}}`)
	if code := d.run(t.Context(), "orders", "--suite", file, "--technique", "reverse", "--check"); code != exitOK ||
		d.stdout.String() != "B#c\tA#a\n" {
		t.Errorf("status %d: %s", code, d.stdout.String())
	}
	wantIn(t, d.stderr.String(), "disabled tests run in no order", ": 2\n")
	off := d.write(t, "off.json", `{"version":1,"root":{"children":[{"test":"A#off","disabled":true}]}}`)
	if code := d.run(t.Context(), "orders", "--suite", off); code != exitUsage || d.stdout.Len() > 0 {
		t.Errorf("nothing runs: status %d", code)
	}
	wantIn(t, d.stderr.String(), "every test is disabled")
}

// TestOrdersOfAProject checks that a runner lists the module's tests, and that its answer is
// validated.
func TestOrdersOfAProject(t *testing.T) {
	d := newWorkspace(t)
	off := &suite.Node{Name: "off", Test: "a.A#off", Disabled: true}
	text, err := order.SuiteFile(&suite.Suite{Root: &suite.Node{Children: []*suite.Node{
		{Name: "a.A", Children: []*suite.Node{{Test: "a.A#x"}, {Test: "a.A#y"}, off}},
		{Name: "a.B", Children: []*suite.Node{{Test: "a.B#z"}}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	d.report.Suite = text
	if code := d.run(t.Context(), "orders", d.dir, "--offline", "--", "-Pfast"); code != exitOK ||
		d.stdout.String() != "a.A#x\ta.A#y\ta.B#z\na.B#z\ta.A#y\ta.A#x\n" {
		t.Errorf("status %d:\n%s%s", code, d.stdout.String(), d.stderr.String())
	}
	if j := d.asked; j == nil || j.Kind != job.KindList || !j.Offline || j.BuildArgs[0] != "-Pfast" || j.Dir != d.dir {
		t.Errorf("asked %+v", j)
	}
	if code := d.run(t.Context(), "orders", d.dir, "--module", "core lib", "--as", "surefire", "--technique",
		"reverse", "--build-arg", "-Pa b", "--", "-Dc"); code != exitOK {
		t.Errorf("status %d: %s", code, d.stderr.String())
	}
	if j := d.asked; j == nil || !slices.Equal(j.BuildArgs, []string{"-Pa b", "-Dc"}) {
		t.Errorf("asked %+v", j)
	}
	wantIn(t, d.stdout.String(), "cd "+d.dir+"\n")
	if runtime.GOOS != "windows" {
		wantIn(t, shellOutput(t, d.stdout.String()),
			"<-pl> <:core lib> <-am> <-DfailIfNoTests=false> <-Dsurefire.failIfNoSpecifiedTests=false> <-Pa b> <-Dc>",
			"odfix <run> <--module> <core lib> <--build-arg=-Pa b> <--build-arg=-Dc> <--order> <odfix-order.txt>")
	}
	for module, want := range map[string]string{"core": "-pl core -am", "parts/web": "-pl parts/web -am",
		"g:web": "-pl g:web -am", "web": "-pl :web -am"} {
		d.write(t, "core/pom.xml", "<project/>")
		d.run(t.Context(), "orders", d.dir, "--module", module, "--as", "surefire", "--technique", "original")
		wantIn(t, d.stdout.String(), want)
	}
	if left, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "*")); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
	for name, report := range map[string]*job.Report{
		"no suite": {Version: job.Version}, "a lie": {Version: job.Version,
			Suite: []byte(`{"version":1,"root":{"children":[{"test":"a"},{"test":"a"}]}}`)},
		"an error": {Version: job.Version, Error: &job.Error{Code: "build-broken", Message: "the build is broken"}},
	} {
		d.report = report
		if code := d.run(t.Context(), "orders", d.dir); code != exitError || d.stderr.Len() == 0 || d.stdout.Len() > 0 {
			t.Errorf("%s: status %d, %s%s", name, code, d.stdout.String(), d.stderr.String())
		}
	}
}

// TestOrdersObserved checks that the module's tests are observed if there is no file of pairs.
func TestOrdersObserved(t *testing.T) {
	d := newWorkspace(t)
	text, err := order.SuiteFile(&suite.Suite{Root: &suite.Node{Children: []*suite.Node{
		{Name: "a.A", Children: []*suite.Node{{Test: "a.A#x"}, {Test: "a.A#y"}}}, {Name: "a.B", Children: []*suite.Node{{Test: "a.B#z"}}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	d.report.Suite = text
	// x changes what z reads. y and z read what y writes.
	d.report.Relation = []byte(`{"version":1,"tests":["a.A#x","a.A#y","a.B#z"],"notes":["a.Big is too large to be observed"],"spans":[0,1,0,2,1,2,0,2,2,3,2,3],"places":[` +
		`{"name":"a.S.f","tests":{"read":"BA==","changed":"AQ=="},"segments":[-1,1,2],"held":[1,2,1]},{"name":"a.S.g","tests":{"read":"BA=="},"around":{"written":"Ag=="}}]}`)
	kept := filepath.Join(t.TempDir(), "relation.json")
	if code := d.run(t.Context(), "orders", d.dir, "--technique", "target-pairs", "--check", "--relation", kept); code != exitOK {
		t.Fatalf("status %d: %s", code, d.stderr.String())
	}
	if got := d.stdout.String(); !strings.HasPrefix(got, "a.A#y\ta.A#x\ta.B#z\n") {
		t.Errorf("the strongest pair is not in the first order:\n%s", got)
	}
	wantIn(t, d.stderr.String(), "4 of 4 given pairs", "a.Big is too large")
	if !d.asked.Observe {
		t.Error("the job does not ask for an observed run")
	}
	schema, err := jsonschema.NewCompiler().Compile("../docs/relation.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(kept); err != nil || validates(schema, text) != nil {
		t.Errorf("the relation that was kept: %v, %s", err, text)
	}
	if code := d.run(t.Context(), "orders", d.dir, "--technique", "reach", "--check"); code != exitOK ||
		d.stdout.String() != "a.A#y\ta.A#x\ta.B#z\na.B#z\ta.A#y\ta.A#x\n" {
		t.Errorf("reach: status %d\n%s%s", code, d.stdout.String(), d.stderr.String())
	}
	d.report.Relation = []byte(`{"version":1,"tests":["a","a"]}`)
	if code := d.run(t.Context(), "orders", d.dir, "--observe"); code != exitError || d.stdout.Len() > 0 {
		t.Errorf("a lie: status %d, %s", code, d.stdout.String())
	}
}

func TestOrdersFiles(t *testing.T) {
	d := newWorkspace(t)
	file := d.write(t, "suite.json", `{"version":1,"root":{"children":[{"name":"A","children":[{"test":"A#a"},{"test":"A#b"}]},{"test":"B#c"}]}}`)
	pairs := d.write(t, "pairs.txt", "A#b\tB#c\r\n\nB#c\tA#b\nC#d\tA#a\n")
	if code := d.run(t.Context(), "orders", "--suite", file, "--technique", "target-pairs", "--pairs",
		pairs, "--check"); code != exitOK || strings.Count(d.stdout.String(), "\n") != 2 {
		t.Errorf("status %d:\n%s%s", code, d.stdout.String(), d.stderr.String())
	}
	wantIn(t, d.stdout.String(), "A#b\tB#c", "B#c\tA#b")
	wantIn(t, d.stderr.String(), "2 of 2 given pairs", "1 of the 3 pairs", "the first is C#d and A#a")
	d.run(t.Context(), "orders", "--suite", file, "--technique", "inter-class", "--promising", pairs, "--near", "B", "--limit", "1")
	wantIn(t, d.stdout.String(), "A#b\tB#c")
}

func TestOrdersUsageErrors(t *testing.T) {
	d := newWorkspace(t)
	twice := d.write(t, "twice.json", `{"version":1,"root":{"children":[{"test":"a"},{"test":"a"}]}}`)
	blank := d.write(t, "blank.txt", "a\n")
	foreign := d.write(t, "foreign.txt", "x\ty\n")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--sizes", ""}, "--sizes"},
		{[]string{"--sizes", "3,x"}, `"x" is not a number`},
		{[]string{"--sizes", "3,0"}, "class 2 has 0 tests"},
		{[]string{"--sizes", "99999999999"}, "more than"},
		{[]string{"--sizes", "3", "--suite", twice}, "one of DIR"},
		{[]string{"--sizes", "3", d.dir}, "one of DIR"},
		{[]string{"--suite", twice}, `"a" is at root.children[0] already`},
		{[]string{"--suite", "nowhere.json"}, "nowhere.json"},
		{[]string{"--sizes", "3", "--technique", "magic"}, "pair-cover"},
		{[]string{"--sizes", "3", "--format", "xml"}, "lines or json"},
		{[]string{"--sizes", "3", "--limit", "-1"}, "--limit is -1"},
		{[]string{"--sizes", "3", "--technique", "target-pairs"}, "--pairs"},
		{[]string{"--sizes", "3", "--observe"}, "only the tests of DIR"},
		{[]string{"--sizes", "3", "--technique", "reach"}, "only the tests of DIR"},
		{[]string{d.dir, "--relation", "x.json"}, "--relation needs --observe"},
		{[]string{"--sizes", "3", "--technique", "target-pairs", "--pairs", blank}, "line 1 is not two ids"},
		{[]string{"--sizes", "3", "--technique", "target-pairs", "--pairs", foreign}, "no pair in"},
		{[]string{"--sizes", "3", "--in-class"}, "for pair-cover"},
		{[]string{"--sizes", "3", "--near", "nobody"}, "nobody"},
		{[]string{"--sizes", "3", "--as", "ant"}, "surefire, gradle or jest"},
		{[]string{"--sizes", "3", "--order", blank}, "--as"},
		{[]string{"--sizes", "3", "--keep-level", "-1"}, "0 is the order of classes"},
		{[]string{"--sizes", "100000,1", "--technique", "pair-cover"}, "use intra-class"},
	} {
		if code := d.run(t.Context(), append([]string{"orders"}, c.args...)...); code != exitUsage || d.stdout.Len() > 0 {
			t.Errorf("%v: status %d, printed %q", c.args, code, d.stdout.String())
		}
		wantIn(t, strings.Join(strings.Fields(d.stderr.String()), " "), c.want)
	}
}

func TestOrdersStop(t *testing.T) {
	d := newWorkspace(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if code := d.run(ctx, "orders", "--sizes", "200,200", "--technique", "inter-class"); code != exitError || d.stdout.Len() > 0 {
		t.Errorf("status %d", code)
	}
}

func TestOrdersFitTheirSchema(t *testing.T) {
	c := jsonschema.NewCompiler()
	s, err := c.Compile("../docs/orders.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	d := newWorkspace(t)
	pairs := d.write(t, "pairs.txt", "g1.t1\tg2.t1\n")
	for _, technique := range order.Techniques() {
		for _, more := range [][]string{nil, {"--check"}, {"--count"}, {"--limit", "1"}} {
			args := append([]string{"orders", "--sizes", "3,2,5", "--format", "json", "--technique", string(technique)}, more...)
			if technique == order.TechniqueTarget {
				args = append(args, "--pairs", pairs)
			}
			if technique == order.TechniqueReach {
				continue // of a project only
			}
			if technique == order.TechniqueAlone && len(more) > 0 && more[0] == "--check" {
				continue
			}
			if code := d.run(t.Context(), args...); code != exitOK {
				t.Fatalf("%v: status %d: %s", args, code, d.stderr.String())
			}
			if err := validates(s, d.stdout.Bytes()); err != nil {
				t.Errorf("%v: %v", args, err)
			}
		}
	}
	if validates(s, []byte(`{"version":1,"technique":"magic","tests":1,"groups":1}`)) == nil {
		t.Error("the schema takes anything")
	}
}

// TestSuiteSchemaAgrees checks that the schema and the parser accept the same files.
func TestSuiteSchemaAgrees(t *testing.T) {
	s, err := jsonschema.NewCompiler().Compile("../docs/suite.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for text, good := range map[string]bool{
		`{"version":1,"root":{"children":[{"test":"a"}]}}`:                                          true,
		`{"version":1,"root":{"name":"r","fixed":true,"children":[{"children":[{"test":"é x"}]}]}}`: true,
		`{"version":1,"root":{"children":[{"test":"a","dynamic":true,"disabled":true}]}}`:           true,
		`{"version":2,"root":{"children":[{"test":"a"}]}}`:                                          false,
		`{"root":{"children":[{"test":"a"}]}}`:                                                      false,
		`{"version":1}`:                                                                             false,
		`{"version":1,"root":{"children":[]}}`:                                                      false,
		`{"version":1,"root":{"children":[{}]}}`:                                                    false,
		`{"version":1,"root":{"children":[null]}}`:                                                  false,
		`{"version":1,"root":{"children":[{"test":" "}]}}`:                                          false,
		`{"version":1,"root":{"children":[{"test":"a\tb"}]}}`:                                       false,
		`{"version":1,"root":{"children":[{"test":"a","children":[]}]}}`:                            false,
		`{"version":1,"root":{"children":[{"test":"a","fixed":true}]}}`:                             false,
		`{"version":1,"root":{"children":[{"test":"a","size":3}]}}`:                                 false,
		`{"version":1,"root":{"disabled":true,"children":[{"test":"a"}]}}`:                          false,
		`[]`: false,
	} {
		_, parsed := order.ParseSuite([]byte(text))
		if valid := validates(s, []byte(text)); (parsed == nil) != good || (valid == nil) != good {
			t.Errorf("%s: parser %v, schema %v", text, parsed, valid)
		}
	}
}

// TestOrdersAsCommands executes the printed commands. Scripts replace the tools.
func TestOrdersAsCommands(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are for a POSIX shell")
	}
	d := newWorkspace(t)
	for _, c := range []struct {
		as, order string
		want      []string
	}{
		{"surefire", "a.A#x\na.B#y\na.B#it's\n", []string{"<-Dtest=a.A#x,a.B#y+it's>", "<-Dsurefire.runOrder=alphabetical>"}},
		{"surefire", "a.B#y\na.A#x[1]\n", []string{"<-Dtest=a.B#y,a.A#x*>", "<-Dsurefire.runOrder=reversealphabetical>"}},
		{"surefire", "a.B#y\na.A#x\na.C#z\n", []string{"<-Dtest=a.B#y,a.A#x,a.C#z>", "odfix <run> <--order> <odfix-order.txt>"}},
		{"gradle", "a.B#y\na.A#x\n", []string{"<--tests> <a.B.y> <--tests> <a.A.x>", "odfix <run>"}},
		{"jest", "src/b.test.js#adds (1)\nsrc/a.test.js#it's $ok\n",
			[]string{"<--runTestsByPath> <src/b.test.js> <src/a.test.js> <-t>", `<^(adds \(1\)|it's \$ok)$>`}},
	} {
		file := d.write(t, "order.txt", c.order)
		if code := d.run(t.Context(), "orders", "--order", file, "--as", c.as); code != exitOK {
			t.Fatalf("%s: status %d: %s", c.as, code, d.stderr.String())
		}
		wantIn(t, shellOutput(t, d.stdout.String()), c.want...)
		if doubted := strings.Contains(d.stdout.String(),
			"only if the tests of each class"); doubted != strings.Contains(c.order, "a.B#it's") {
			t.Errorf("%s: %q: with a note: %v", c.as, c.order, doubted)
		}
	}
}

// shellOutput runs a script in which every tool prints its arguments.
func shellOutput(t *testing.T, script string) string {
	t.Helper()
	dir := t.TempDir()
	for _, tool := range []string{"mvn", "npx", "odfix", "gradlew"} {
		text := "#!/bin/sh\nprintf '%s' " + tool + "\nprintf ' <%s>' \"$@\"\necho\n"
		if err := os.WriteFile(filepath.Join(dir, tool), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-eu", "-c", script)
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + dir + ":/usr/bin:/bin"}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Errorf("%v:\n%s\n%s", err, script, out.String())
	}
	return out.String()
}
