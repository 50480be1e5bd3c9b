package java

import (
	"os"
	"testing"

	"github.com/odfix/odfix/internal/project/projecttest"
)

// TestConformance runs what every language must do on a small Maven project.
func TestConformance(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a project with Maven, which takes half a minute: make test-all")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../examples/two-victims")); err != nil {
		t.Fatal(err)
	}
	projecttest.Test(t, Language{}, projecttest.Example{
		Dir: dir, Polluter: "com.example.tenant.AcmeLoginTest#servesTheTenantOfTheLogin", Victim: "com.example.tenant.CacheKeyTest#beginsWithTheTenant", Cleaner: "com.example.tenant.VisitTest#afterLeavingEverythingIsPublic",
	})
}
