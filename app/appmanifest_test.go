package main

import (
	"encoding/json"
	"html"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/dashboard"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/githubtest/testserver"
)

// TestManifest creates an App as a person in a browser does, without GitHub's own pages.
func TestManifest(t *testing.T) {
	s := testserver.Start(t, githubtest.Config{})
	d := newWorkspace(t)
	out := t.TempDir()
	said, words := io.Pipe()
	done := make(chan int, 1)
	w := d.world()
	w.stderr = words
	go func() {
		done <- run(t.Context(), []string{"app", "manifest", "--url", "https://odfix.example.com/",
			"--organization", "acme", "--github-api", s.URL, "--out", out, "--wait", "1m"}, w)
		words.Close()
	}()
	line := make([]byte, 200)
	n, err := said.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, said) //nolint:errcheck // the rest of the output does not matter
	page := regexp.MustCompile(`http://\S+`).FindString(string(line[:n]))
	form := browse(t, page, http.StatusOK)
	action := html.UnescapeString(regexp.MustCompile(`action="([^"]+)"`).FindStringSubmatch(form)[1])
	var m github.Manifest
	manifest := regexp.MustCompile(`name="manifest" value="([^"]+)"`).FindStringSubmatch(form)[1]
	if err := json.Unmarshal([]byte(html.UnescapeString(manifest)), &m); err != nil {
		t.Fatal(err)
	}
	state, ok := strings.CutPrefix(action, "https://github.com/organizations/acme/settings/apps/new?state=")
	if !ok || m.HookAttributes.URL != "https://odfix.example.com/webhook" || len(m.CallbackURLs) != 1 ||
		m.CallbackURLs[0] != "https://odfix.example.com"+dashboard.CallbackPath || len(m.DefaultPermissions) != len(github.Needs()) {
		t.Fatalf("%s %+v", action, m)
	}
	code := s.ManifestCode(githubtest.AppSpec{Name: m.Name, WebhookURL: m.HookAttributes.URL,
		Permissions: m.DefaultPermissions, Events: m.DefaultEvents})
	browse(t, m.RedirectURL+"?state=guessed&code="+code, http.StatusBadRequest)
	browse(t, m.RedirectURL+"?state="+state+"&code=unknown", http.StatusBadRequest)
	wantIn(t, browse(t, m.RedirectURL+"?state="+state+"&code="+code, http.StatusOK), "odfix is made")
	if status := <-done; status != exitOK {
		t.Fatalf("status %d", status)
	}
	wantIn(t, d.stdout.String(), "/installations/new")
	settings, err := os.ReadFile(filepath.Join(out, settingsName))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"ODFIX_APP_ID=", "ODFIX_PRIVATE_KEY_FILE=", "ODFIX_WEBHOOK_SECRET=", "ODFIX_URL=", "ODFIX_GITHUB_API="} {
		wantIn(t, string(settings), want)
	}
	for _, name := range []string{keyName, settingsName} {
		if info, err := os.Stat(filepath.Join(out, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if status := d.run(t.Context(), "app", "manifest", "--url", "https://odfix.example.com", "--out", out); status != exitError {
		t.Errorf("a second one: status %d", status)
	}
	wantIn(t, d.stderr.String(), "is there already")
}

// browse is get for a known status.
func browse(t *testing.T, address string, want int) string {
	t.Helper()
	status, text := get(t, address)
	if status != want {
		t.Fatalf("%s: %d\n%s", address, status, text)
	}
	return text
}

func TestManifestOfOddAddresses(t *testing.T) {
	d := newWorkspace(t)
	for _, args := range [][]string{{}, {"--url", "odfix.example.com"}, {"--url", "https://x.example?y"},
		{"--url", "https://x.example", "--name", strings.Repeat("n", 35)}, {"--url", "https://x.example", "--github", "here"}} {
		if status := d.run(t.Context(), append([]string{"app", "manifest"}, args...)...); status != exitUsage {
			t.Errorf("%v: status %d", args, status)
		}
	}
	if status := d.run(t.Context(), "app", "manifest", "--url", "https://x.example/odfix/", "--print",
		"--allow-commits"); status != exitOK {
		t.Errorf("status %d", status)
	}
	wantIn(t, d.stdout.String(), `"url": "https://x.example/odfix/webhook"`)
	wantIn(t, d.stdout.String(), `"contents": "write"`)
}

// TestPermissionsOnThePage checks that the page about the App names exactly the permissions that it
// requests.
func TestPermissionsOnThePage(t *testing.T) {
	page, err := os.ReadFile("../docs/app.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range github.Needs() {
		wantIn(t, string(page), "| "+n.Title+": "+n.Level+" | "+n.Why+" |")
	}
	wantIn(t, string(page), "Events: `"+strings.Join(github.Subscriptions(), "`, `")+"`.")
}
