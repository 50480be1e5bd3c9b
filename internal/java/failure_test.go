package java

import (
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/suite"
)

func TestExplainFailure(t *testing.T) {
	p := &Project{info: harness.Info{Java: "17.0.15"}}
	for stack, known := range map[string]bool{
		"java.lang.ExceptionInInitializerError\nCaused by: java.lang.reflect.InaccessibleObjectException: Unable to make": true,
		"java.lang.IllegalArgumentException: Unsupported class file major version 61\n\tat org.objectweb.asm":             true,
		"java.lang.AssertionError: expected:<1> but was:<2>":                                                              false,
		"java.lang.NoSuchMethodError: com.acme.Shop.open()V":                                                              false,
	} {
		got := p.ExplainFailure(&suite.Failure{Stack: stack})
		if (got != "") != known || known && !strings.Contains(got, "17.0.15") {
			t.Errorf("%q: %q", stack, got)
		}
	}
	if got := p.ExplainFailure(nil); got != "" {
		t.Error(got)
	}
}
