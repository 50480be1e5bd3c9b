package github

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestAttackLinkAtHead: what a patch changes may be a symbolic link at the head. Nothing is
// committed there.
func TestAttackLinkAtHead(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.Method {
		case http.MethodGet:
			_, _ = fmt.Fprint(w, `{"tree": [{"path": "a", "mode": "120000", "type": "blob"}, {"path": "b", "mode": "100755", "type": "blob"},
				{"path": "m", "mode": "160000", "type": "commit"}, {"path": "d", "mode": "040000", "type": "tree"}]}`)
		default:
			_, _ = fmt.Fprint(w, `{"sha": "new"}`)
		}
	}))
	defer s.Close()
	c, err := NewWorkflowClient(WorkflowOptions{API: s.URL, Token: "t"})
	if err != nil {
		t.Fatal(err)
	}
	for path, refused := range map[string]bool{"a": true, "b": false, "new": false, "m": true, "d": true, "a/x": true, "d/x": false, "d/e/x": false} {
		sha, err := c.Commit(t.Context(), Repo{ID: 1, Owner: "acme", Name: "shop"}, Change{Parent: "p", Message: "m", Files: map[string]string{path: "x"}})
		if errors.Is(err, ErrNotFile) != refused || (sha == "new") == refused {
			t.Errorf("%s: %q, %v", path, sha, err)
		}
	}
}
