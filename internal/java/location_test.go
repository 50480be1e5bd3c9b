package java

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/java/workbench"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// TestSourceOf finds a test in its class's outline, whatever follows its method's name.
func TestSourceOf(t *testing.T) {
	top := t.TempDir()
	o := &workbench.Outline{File: filepath.Join(top, "core", "src", "T.java"), Types: []workbench.OutlineType{
		{Name: "a.T", Line: 3, Methods: []workbench.OutlineMethod{{Name: "t", Line: 5, EndLine: 8}}},
		{Name: "a.T$I", Line: 10, Methods: []workbench.OutlineMethod{{Name: "t", Line: 12, EndLine: 13}}},
	}}
	for id, want := range map[suite.TestID]*state.Source{
		"a.T#t":           {File: "core/src/T.java", Line: 5, EndLine: 8},
		"a.T#t(int)[2]":   {File: "core/src/T.java", Line: 5, EndLine: 8},
		"a.T$I#t":         {File: "core/src/T.java", Line: 12, EndLine: 13},
		"a.All>a.T$I#t":   {File: "core/src/T.java", Line: 12, EndLine: 13},
		"a.T#inherited":   {File: "core/src/T.java", Line: 3, EndLine: 3},
		"a.T$Generated#t": nil,
	} {
		if diff := cmp.Diff(want, sourceOf(o, top, classOf(id), methodOf(id))); diff != "" {
			t.Errorf("%s: %s", id, diff)
		}
	}
	if s := sourceOf(o, filepath.Join(top, "elsewhere"), "a.T", "t"); s != nil {
		t.Errorf("a source outside of the checkout: %v", s)
	}
}
