package java

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/java/build"
	"github.com/odfix/odfix/internal/patch"
)

func TestProcessStateIsRestored(t *testing.T) {
	p := &Project{launch: build.Launch{Properties: map[string]string{"basedir": "/x"}, JVMArgs: []string{"-Dmode=fast"}}}
	for place, want := range map[string]*patch.Made{
		"system property app.proxy": {Statements: []string{`System.clearProperty("app.proxy");`}},
		"system property mode": {Fields: []string{`String savedMode = System.getProperty("mode")`},
			Statements: []string{`System.setProperty("mode", savedMode);`}},
		"system property basedir": {Fields: []string{`String savedBasedir = System.getProperty("basedir")`},
			Statements: []string{`System.setProperty("basedir", savedBasedir);`}},
		"system property user.dir": {Fields: []string{`String savedUserDir = System.getProperty("user.dir")`},
			Statements: []string{`System.setProperty("user.dir", savedUserDir);`}},
		`system property "ü\`: {Statements: []string{`System.clearProperty("\"\u00fc\\");`}},
		"java.util.TimeZone.defaultTimeZone": {
			Fields:     []string{"java.util.TimeZone savedTimeZone = java.util.TimeZone.getDefault()"},
			Statements: []string{"java.util.TimeZone.setDefault(savedTimeZone);"}},
		"java.net.CookieHandler.cookieHandler": {Statements: []string{"java.net.CookieHandler.setDefault(null);"}},
		"java.net.URL.factory":                 nil, // can be set once only
		"com.acme.Settings.VALUES":             nil,
	} {
		if want != nil {
			want.Resets = place
		}
		if d := cmp.Diff(want, restoring(place, p.preset)); d != "" {
			t.Errorf("%s: %s", place, d)
		}
	}
}

func TestNamesOfSavedProperties(t *testing.T) {
	for key, want := range map[string]string{"a": "A", "a.b.c": "BC", "x-y_z": "YZ", "..": "Property", "été": "T", "9.to.5": "To5"} {
		if got := camel(key); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
}
