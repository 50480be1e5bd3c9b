package java

import (
	"os"
	"path/filepath"
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
	const notes = `package com.example.tenant;

import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.File;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class NotesTest {
    @Test
    void writes() throws IOException {
        new File("notes.txt").createNewFile();
    }

    @Test
    void findsNone() {
        assertFalse(new File("notes.txt").exists());
    }
}
`
	if err := os.WriteFile(filepath.Join(dir, "src/test/java/com/example/tenant/NotesTest.java"), []byte(notes), 0o600); err != nil {
		t.Fatal(err)
	}
	projecttest.Test(t, Language{}, projecttest.Example{
		Writer: "com.example.tenant.NotesTest#writes", Finder: "com.example.tenant.NotesTest#findsNone", File: "notes.txt",
		Dir: dir, Polluter: "com.example.tenant.AcmeLoginTest#servesTheTenantOfTheLogin",
		Victim:  "com.example.tenant.CacheKeyTest#beginsWithTheTenant",
		Cleaner: "com.example.tenant.VisitTest#afterLeavingEverythingIsPublic",
	})
}
