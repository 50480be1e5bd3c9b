// Package testserver starts the stand-in GitHub for a test. A message that does not fit GitHub's
// own descriptions fails the test.
package testserver

import (
	"context"
	"testing"

	"github.com/odfix/odfix/internal/githubtest"
)

// Start runs a server until the test ends.
func Start(t testing.TB, config githubtest.Config) *githubtest.Server {
	t.Helper()
	if config.Dir == "" {
		config.Dir = t.TempDir()
	}
	s, err := githubtest.New(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, m := range s.Mismatches() {
			t.Errorf("%.2000s", m.String())
		}
		if err := s.Close(); err != nil {
			t.Errorf("closing the stand-in GitHub: %v", err)
		}
	})
	return s
}
