package page_test

import (
	"testing"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/githubtest/page"
)

func FuzzMarkdown(f *testing.F) {
	f.Add(suggested)
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		harmless(t, page.Markdown(body, githubtest.SuggestedChange("@@ -0,0 +1,2 @@\n+a\n+b", 1, 2, body)))
	})
}
