package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEnvironmentFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "vars")
	for text, want := range map[string]string{
		"# for tests\n\nREGION=eu west\r\nEMPTY=\nEQUALS=a=b\n": "",
		"REGION\n":              "line 1",
		"A=1\n1B=2\n":           "line 2",
		"A=1\nA=2\n":            "a second time",
		"PATH=/tmp\n":           "PATH",
		"ODFIX_PRIVATE_KEY=x\n": "ODFIX_PRIVATE_KEY",
		"A=\x00\n":              "line 1",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := variables(file)
		switch {
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v, want %q", text, err, want)
		case want == "" && (err != nil || len(got) != 3 || got["REGION"] != "eu west" || got["EQUALS"] != "a=b"):
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	if _, err := variables(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that is not there")
	}
}
