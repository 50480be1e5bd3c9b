package pull

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
	"github.com/odfix/odfix/internal/verdict"
)

// TestAttackTextsWhilePosting: what a plan is made from is read where there is room for it. The room is
// free again while the comments are posted, which can take minutes.
func TestAttackTextsWhilePosting(t *testing.T) {
	const file = "src/test/java/a/XTest.java"
	head := strings.Repeat("a", 40)
	var reading atomic.Bool
	var read, posted atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		say := func(v any, n *atomic.Int64, within bool) {
			if n.Add(1); reading.Load() != within {
				t.Errorf("%s %s: there is room for texts: %v", r.Method, r.URL.Path, !within)
			}
			_ = json.NewEncoder(w).Encode(v)
		}
		switch p := r.URL.Path; {
		case strings.Contains(p, "/contents/"):
			say(map[string]any{"type": "file", "encoding": "base64", "content": base64.StdEncoding.EncodeToString([]byte("a\n"))}, &read, true)
		case strings.HasSuffix(p, "/files"):
			say([]any{map[string]any{"filename": file, "status": "added", "patch": "@@ -0,0 +1 @@\n+a"}}, &read, true)
		case r.Method == http.MethodPost:
			say(map[string]any{"id": 1}, &posted, false)
		case strings.HasSuffix(p, "/comments"):
			say([]any{}, &posted, false)
		default:
			say(map[string]any{"number": 7, "state": "open", "head": map[string]any{"sha": head}}, &posted, false)
		}
	}))
	defer s.Close()
	c, err := github.NewWorkflowClient(github.WorkflowOptions{API: s.URL, Token: "t"})
	if err != nil {
		t.Fatal(err)
	}
	change := job.Patch{Kind: job.FromHelper, Fixes: []suite.TestID{"a.XTest#reads"}, Proof: job.Proof{Proved: true}}
	change.SetDiff(patch.Unified(patch.Edit{Path: file, Before: "a\n", After: "b\n"}))
	p := &Publication{Place: Place{Client: c, Repo: github.Repo{ID: 1, Owner: "acme", Name: "shop"}}, Pull: &github.Pull{Number: 7},
		HeadSHA: head, Tested: head, Config: config.Defaults(), Log: zap.NewNop(),
		Report: &job.Report{Tests: []job.TestReport{{Test: "a.XTest#reads", Verdict: suite.Victim, Polluters: []suite.Order{{"a.P#p"}},
			MinimalOrder: suite.Order{"a.P#p", "a.XTest#reads"}, Patches: []job.Patch{change}}}},
		Once: func(_ context.Context, _ verdict.Marker, _, write func() (int64, error)) (int64, error) {
			return write()
		},
		Reading: func(_ context.Context, do func() error) error {
			reading.Store(true)
			defer reading.Store(false)
			return do()
		}}
	if _, err := p.Post(t.Context()); err != nil {
		t.Fatal(err)
	}
	if read.Load() < 2 || posted.Load() < 2 {
		t.Errorf("%d reads, and %d requests to post", read.Load(), posted.Load())
	}
}
