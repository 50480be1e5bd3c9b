package templates

import (
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// A patch that no test holds does not claim to be learned from one.
func TestResetIsLearnedFromNoTest(t *testing.T) {
	p := fixed()[0]
	p.Kind, p.Helper = job.FromReset, nil
	for place, want := range map[string]string{
		"com.example.shop.Settings.VALUES":            "to restore Settings.VALUES",
		"java.util.Locale.defaultLocale":              "to restore the default locale",
		"a.b.C.d, a.b.E.f":                            "to restore C.d and E.f",
		"system property a.b":                         "to restore the system property a.b",
		"the file target/b.txt":                       "to remove the file target/b.txt",
		"the file a, b.txt, the file c":               "to remove the file a, b.txt, the file c",
		"what CTest changes in classes that it calls": "to restore what CTest changes in classes that it calls",
		"what is left open by a.b.CTest":              "to close what is left open by CTest",
	} {
		p.Made = &patch.Made{Resets: place, Statements: p.Statements}
		if got := java.patchLine(p); !strings.HasSuffix(got, want) {
			t.Errorf("%q", got)
		}
	}
	body := CommentBody(Cause{Tests: victim().Tests, Patch: []*job.Patch{&p}})
	if strings.Contains(body, ", as `") || !strings.Contains(body, "The change adds `Settings.reset();`") {
		t.Errorf("the comment says that the change does what a cleaner does:\n%s", body)
	}
}

// The fields that keep values are no statements.
func TestKeptValuesAreNamed(t *testing.T) {
	p := fixed()[0]
	p.Kind, p.Helper, p.Location, p.Fixes = job.FromReset, nil, patch.PolluterTeardown, p.Fixes[:1]
	p.Made = &patch.Made{Resets: "the level of the logger com.acme.jobs", Fields: []string{"L a = x()"}, Statements: []string{"set(a);"}}
	p.Statements = []string{"private final L a = x();", "set(a);"}
	want := "1 statement with 1 field for the former value in the teardown of the polluter's class, to restore the level of the logger com.acme.jobs"
	if got := java.patchLine(p); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A patch that makes fields of each instance adds no statement, and says what follows them.
func TestUnsharingIsNamed(t *testing.T) {
	p := fixed()[0]
	p.Kind, p.Helper, p.Location, p.Fixes = job.FromReset, nil, patch.Declaration, p.Fixes[:1]
	for _, c := range []struct {
		fields, statements []string
		want               string
	}{
		{[]string{"a.b.C.@BeforeAll"}, []string{"@BeforeEach void setUp()"}, "what C sets up for all its tests is set up for each"},
		{[]string{"src/cart.test.js:5,9.beforeAll"}, []string{"beforeEach(() => {", "afterEach(() => {"},
			"what line 5 of cart.test.js sets up for all tests is set up for each"},
		{[]string{"src/cart.test.js:5.declaration"}, []string{"app = createApp();"}, "what line 5 of cart.test.js makes once is made for each test"},
		{[]string{"src/cart.test.js:5.declaration", "src/cart.test.js:6.declaration"}, []string{"repo = new Repo();", "service = new Service(repo);"},
			"what 2 declarations of cart.test.js make once is made for each test"},
		{[]string{"a.b.C.f"}, []string{"final X f = new X();"}, "C.f made a field of each test"},
		{[]string{"a.b.C.f", "a.b.C.g"}, []string{"X f;", "X g;"}, "C.f and C.g made fields of each test"},
		{[]string{"a.b.C.f"}, []string{"X f;", "@Before public void setUp()"},
			"C.f made a field of each test, with 1 declaration that uses what was shared"},
	} {
		p.Made, p.Statements = &patch.Made{Resets: strings.Join(c.fields, ", "), Unshare: c.fields}, c.statements
		if got := java.patchLine(p); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	body := CommentBody(Cause{Tests: victim().Tests, Patch: []*job.Patch{&p}})
	if !strings.Contains(body, "The change gives every test its own: `X f;` and `@Before public void setUp()`.") {
		t.Errorf("the comment does not say what the change does:\n%s", body)
	}
}

// A setup that becomes each test's is no declaration.
func TestSetUpForEachIsNamed(t *testing.T) {
	p := fixed()[0]
	p.Kind, p.Helper, p.Location, p.Fixes = job.FromReset, nil, patch.Declaration, p.Fixes[:1]
	p.Made, p.Statements = &patch.Made{Unshare: []string{"a.b.C.@BeforeAll"}}, []string{"@BeforeEach void setUp()"}
	body := CommentBody(Cause{Tests: victim().Tests, Patch: []*job.Patch{&p}})
	if !strings.Contains(body, "The change sets up for each test what was set up once for all of them.") {
		t.Errorf("the comment does not say what the change does:\n%s", body)
	}
}

// Two polluters each get their own statements.
func TestStatementsOfEachPolluter(t *testing.T) {
	p := fixed()[0]
	p.Kind, p.Helper, p.Location, p.At, p.Also = job.FromReset, nil, patch.PolluterTeardown, "a.P#p", suite.Order{"a.Q#q"}
	p.Made, p.Statements = &patch.Made{Statements: []string{"A.reset();", "B.reset();"}}, []string{"A.reset();", "B.reset();"}
	p.Except = map[suite.TestID][]string{"a.P#p": {"0.1"}, "a.Q#q": {"0.0"}}
	body := CommentBody(Cause{Tests: victim().Tests, Patch: []*job.Patch{&p}})
	if want := "after each of 2 tests, which gets only what restores the state that it changes"; !strings.Contains(body, want) || strings.Contains(body, "same way") {
		t.Errorf("the comment does not say where the statements stand:\n%s", body)
	}
}

func TestMissingResetMethodIsNamed(t *testing.T) {
	r := victim().Tests[0]
	r.Patches, r.Cleaners, r.NoReset = nil, nil, []string{"com.example.shop.Settings.VALUES"}
	want := `no call that was tried resets Settings.VALUES; a method in Settings like static void reset() would let a test clean up`
	if got := java.noPatch(r, nil, true); got != "none: "+want {
		t.Errorf("%q", got)
	}
	if got := java.withoutPatch(r); got != want {
		t.Errorf("%q", got)
	}
	r.OtherLoader = true
	want = `no call that was tried resets Settings.VALUES where another class loader than that of the class path has loaded Settings: only code that comes from that class loader can`
	if got := java.withoutPatch(r); got != want {
		t.Errorf("%q", got)
	}
}

// Each reason has a text of its own. Only one speaks of other orders.
func TestEachReasonHasItsText(t *testing.T) {
	r := victim().Tests[0]
	r.Patches, r.State = nil, nil
	seen := map[string]job.Unpatched{}
	for _, why := range job.AllUnpatched {
		r.Unpatched = why
		got := java.noPatch(r, nil, true)
		if other := seen[got]; unpatched[why] == "" || got != "none: "+unpatched[why] || other != "" {
			t.Errorf("%s: %q, as for %q", why, got, other)
		}
		if seen[got] = why; strings.Contains(got, "other orders") != (why == job.ProofFailed) {
			t.Errorf("%s: %q", why, got)
		}
	}
}

// What the missing method would do is shown where one class needs one, and all that it would do is
// known.
func TestMissingResetMethodHasABody(t *testing.T) {
	r := victim().Tests[0]
	r.Patches, r.Cleaners, r.State = nil, nil, nil
	for _, c := range []struct {
		fields []string
		bodies map[string]string
		want   string
	}{
		{[]string{"a.b.C.f"}, map[string]string{"a.b.C.f": "f = null;"}, "a method in C like static void reset() { f = null; } would"},
		{[]string{"a.b.C.f", "a.b.C.G"}, map[string]string{"a.b.C.f": "f = null;", "a.b.C.G": "G.clear();"},
			"static void reset() { f = null; G.clear(); } would"},
		{[]string{"a.b.C.f", "a.b.C.G"}, map[string]string{"a.b.C.f": "f = null;"}, "a method in C like static void reset() would"},
		{[]string{"a.b.C.f", "a.b.D.g"}, map[string]string{"a.b.C.f": "f = null;", "a.b.D.g": "g = 0;"},
			"a method in C and D like static void reset() would"},
		{[]string{"a.b.C.f"}, map[string]string{"a.b.C.f": "f = \"" + strings.Repeat("x", 200) + "\";"}, "like static void reset() would"},
	} {
		r.NoReset, r.ResetBodies = c.fields, c.bodies
		if got := java.noPatch(r, nil, true); !strings.Contains(got, c.want) {
			t.Errorf("%q does not say %q", got, c.want)
		}
	}
}

// A test class's own field needs no reset method.
func TestStaticFieldOfATestClassIsNamed(t *testing.T) {
	r := victim().Tests[0]
	class := junitid.Class(r.Test)
	r.Patches, r.Cleaners, r.State, r.NoReset = nil, nil, nil, []string{class + ".context"}
	r.NoResetOfTests = r.NoReset
	want := "no call that was tried resets " + class[strings.LastIndexByte(class, '.')+1:] +
		".context, which is static in a test class; made anew for each test (@Before, or @BeforeEach), in a field that is not static, it would reach no other test"
	if got := java.noPatch(r, nil, true); got != "none: "+want {
		t.Errorf("%q", got)
	}
	r.NoReset = append(r.NoReset, "com.example.shop.Settings.VALUES")
	if got := java.noPatch(r, nil, true); !strings.Contains(got, "static void reset()") {
		t.Errorf("%q", got)
	}
}
