package pull

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/github"
)

// TestAttackLargeTexts: the files that a publication reads, at both commits, are bounded together.
func TestAttackLargeTexts(t *testing.T) {
	text := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("y", 900<<10)))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]string{"type": "file", "encoding": "base64", "content": text})
	}))
	defer s.Close()
	c, err := github.NewWorkflowClient(github.WorkflowOptions{API: s.URL, Token: "t"})
	if err != nil {
		t.Fatal(err)
	}
	p := &Publication{Place: Place{Client: c, Repo: github.Repo{ID: 1, Owner: "acme", Name: "shop"}}}
	head, tested, left := map[string]string{}, map[string]string{}, maxTexts
	for i := range 60 {
		path := strings.Repeat("a", i+1) + ".java"
		if _, err := p.text(t.Context(), head, path, "head", &left); err != nil {
			t.Fatal(err)
		}
		if _, err := p.text(t.Context(), tested, path, "tested", &left); err != nil {
			t.Fatal(err)
		}
	}
	if n := (len(head) + len(tested)) * 900 << 10; n > maxTexts || n < maxTexts-(1<<20) {
		t.Errorf("%d and %d files, %d bytes", len(head), len(tested), n)
	}
}
