//go:build sandbox

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/sandbox"
)

const seasonTest = `package com.example.tickets;

import static org.junit.Assert.assertEquals;

import com.example.fares.Fares;
import org.junit.FixMethodOrder;
import org.junit.Test;
import org.junit.runners.MethodSorters;

@FixMethodOrder(MethodSorters.NAME_ASCENDING)
public class SeasonTest {
    @Test
    public void inWinterJourneysCostLess() {
        Fares.beginSeason(80);
        assertEquals("11.20 EUR", new Ticket(100).price());
    }

    @Test
    public void otherwiseTheyCostAsMuchAsEver() {
        assertEquals("14.00 EUR", new Ticket(100).price());
    }
}
`

// TestSandboxGradle runs a pull request of a project of Gradle: CI with its log and reports, the jobs
// of both runners, and the answer with a command of Gradle.
func TestSandboxGradle(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs a pull request with Gradle")
	}
	if _, err := exec.LookPath("gradle"); err != nil {
		t.Fatal("Gradle is not installed; .ci/gradle installs it")
	}
	dir := filepath.Join(t.TempDir(), "tickets")
	if err := os.CopyFS(dir, os.DirFS("../examples/gradle-projects")); err != nil {
		t.Fatal(err)
	}
	tests := filepath.Join(dir, "tickets", "src", "test", "java", "com", "example", "tickets")
	if err := os.Remove(filepath.Join(tests, "SummerTest.java")); err != nil { // its order is the file system's
		t.Fatal(err)
	}
	for _, words := range []string{"init -q", "add -A", "-c user.name=a -c user.email=a@example.com commit -q -m base"} {
		cmd := exec.CommandContext(t.Context(), "git", strings.Fields(words)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", words, err, out)
		}
	}
	if err := os.WriteFile(filepath.Join(tests, "SeasonTest.java"), []byte(seasonTest), 0o644); err != nil {
		t.Fatal(err)
	}
	code, b := playSandbox(t, &dispatch.Local{Runner: buildRunner(t)}, dir)
	var r sandbox.Result
	if err := json.Unmarshal(b, &r); err != nil || code != exitOK {
		t.Fatalf("status %d: %v", code, err)
	}
	text := posted(t, r)
	for _, want := range []string{
		"fails after SeasonTest#inWinterJourneysCostLess", "        Fares.resetSeason();\n",
		"gradle :tickets:cleanTest :tickets:test --tests com.example.tickets.SeasonTest.inWinterJourneysCostLess " +
			"--tests com.example.tickets.SeasonTest.otherwiseTheyCostAsMuchAsEver\n",
	} {
		wantIn(t, text, want)
	}
}
