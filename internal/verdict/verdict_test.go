package verdict

import (
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/config"
)

const importerText = `package com.example.shop;

import java.util.Map;

import org.junit.Test;

public class CatalogueImportTest {

    @Test
    public void readsThePriceListOfAGermanSupplier() {
        Settings.set(Settings.DECIMAL_SEPARATOR, ",");
    }
}
`

// withTeardown is the text with a teardown, as a runner adds it.
func withTeardown(text string) string {
	return strings.NewReplacer(
		"import org.junit.Test;\n", "import org.junit.After;\nimport org.junit.Test;\n",
		"public class CatalogueImportTest {\n",
		"public class CatalogueImportTest {\n\n    @After\n    public void cleanUpSharedState() {\n        Settings.reset();\n    }\n",
	).Replace(text)
}

func newPolluter() *pullRequest {
	return &pullRequest{base: texts{"pom.xml": "<project/>\n"}, head: texts{"pom.xml": "<project/>\n", importerFile: importerText},
		patched: texts{importerFile: withTeardown(importerText)}}
}

func TestSuggestionOnNewFile(t *testing.T) {
	p := newPolluter().plan(t)
	if len(p.Comments) != 1 || p.Comments[0].Rung != config.Suggestion || len(p.Comments[0].Inline) != 1 {
		t.Fatalf("%+v", p.Comments)
	}
	var rungs []config.Rung
	for k := &p.Comments[0]; k != nil; k = k.Below {
		rungs = append(rungs, k.Rung)
	}
	if len(rungs) != 3 || rungs[1] != config.FileComment || rungs[2] != config.Comment {
		t.Errorf("the ladder is %v", rungs)
	}
	m, ok := FindMarker(p.Comments[0].Inline[0].Body)
	if !ok || m.Fingerprint() != p.Comments[0].Marker.Fingerprint() {
		t.Errorf("marker %+v, %v", m, ok)
	}
}
