package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestClientOptions: an id and a secret are there together, and the secret is not a flag.
func TestClientOptions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("from the file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ id, file, variable, secret, problem string }{
		{},
		{id: "Iv1", variable: "s", secret: "s"},
		{id: "Iv1", file: file, variable: "s", secret: "from the file"},
		{id: "Iv1", problem: "no client secret"},
		{variable: "s", secret: "s", problem: "no --client-id"},
		{id: "Iv1", file: file + "x", problem: "--client-secret-file"},
	} {
		o := clientOptions{id: c.id, secretFile: c.file}
		err := o.complete(func(string) string { return c.variable })
		if c.problem == "" && (err != nil || o.secret != c.secret) || c.problem != "" && (err == nil || !strings.Contains(err.Error(), c.problem)) {
			t.Errorf("%+v: %q, %v", c, o.secret, err)
		}
	}
	for api, want := range map[string]string{"https://api.github.com": "https://github.com",
		"https://git.example.com/api/v3": "https://git.example.com", "http://127.0.0.1:8000": "http://127.0.0.1:8000"} {
		if got := webOf(api); got != want {
			t.Errorf("%s: %s", api, got)
		}
	}
}
