package java

import (
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/java/workbench"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/state"
)

func said(made []patch.Made) []string {
	var out []string
	for _, m := range made {
		out = append(out, strings.Join(slices.Concat(m.Fields, m.Statements), " "))
	}
	return out
}

func TestSeveralEntriesAreUndoneOneByOne(t *testing.T) {
	found := []workbench.Reset{
		{Statement: `R.remove("a");`, Price: 2}, {Statement: `R.remove("b");`, Price: 2}, {Statement: "R.reset();", Price: 4},
		{Statement: `R.other("a");`, Price: 3}, {Fields: []string{"A x = R.x()"}, Statement: "R.x(x);", Price: 9},
	}
	changes := []workbench.Change{{Path: `R.all["a"]`}, {Path: `R.all["b"]`}, {Path: "R.n"}, {Path: "R.all[3]"}, {Path: `R.all["a"]`}}
	got := said(likeliest(madeFor("R.all", found, changes, 0)))
	want := []string{`R.remove("a"); R.remove("b");`, `R.remove("a");`, `R.remove("b");`, `R.other("a");`,
		"R.reset();", "A x = R.x() R.x(x);"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got = said(likeliest(madeFor("R.all", found, changes[:1], 0))); len(got) != len(found) {
		t.Errorf("of one entry: %q", got)
	}
}

// An annotation of an extension is proposed only for the state that it restores.
func TestAnnotationRestoresProperties(t *testing.T) {
	if got := annotated(propertyPlace + "a.b"); len(got) != 1 || !strings.HasSuffix(got[0].Annotate[0], ".RestoreSystemProperties") {
		t.Errorf("of a property: %+v", got)
	}
	if got := annotated("java.util.Locale.defaultLocale"); got != nil {
		t.Errorf("of the locale: %+v", got)
	}
}

// Each statement with a saved field needs a compilation to be tried, so only the likeliest are
// proposed.
func TestProposalsWithSavedFieldsAreBounded(t *testing.T) {
	var found []workbench.Reset
	for _, s := range []string{"a", "b", "c", "d"} {
		found = append(found, workbench.Reset{Fields: []string{"int " + s + " = 0"}, Statement: "R.set(" + s + ");"})
	}
	if got := said(likeliest(madeFor("R.n", found, nil, 0))); len(got) != madeUntried {
		t.Errorf("%q", got)
	}
}

func TestMissingPropertyOfABrittleTestIsSet(t *testing.T) {
	none := func(string) bool { return false }
	change := func(after string) []state.Change {
		return []state.Change{{Field: "system property a.b", Path: "system property a.b", Before: "absent", After: after}}
	}
	for after, want := range map[string]string{
		`"C:\\x \"y\""`: `System.setProperty("a.b", "C:\\x \"y\"");`,
		"absent":        "", "\"cut…\"": "", `"x"); evil("`: "", `evil()`: "", "`raw`": "",
	} {
		m, is := ofProcess("system property a.b", none, true, change(after))
		if !is || (m == nil) != (want == "") || m != nil && m.Statements[0] != want {
			t.Errorf("%s: %+v", after, m)
		}
	}
	if m, is := ofProcess("java.util.Locale.defaultLocale", none, true, nil); m != nil || !is {
		t.Errorf("a locale is proposed that a brittle test is not known to need: %+v", m)
	}
	if m, is := ofProcess("java.util.Locale.defaultLocale", none, false, nil); m == nil || !is {
		t.Errorf("the locale is not restored: %+v", m)
	}
	if m, is := ofProcess("a.B.c", none, false, nil); m != nil || is {
		t.Errorf("a field of the project is taken for the process's: %+v", m)
	}
}
