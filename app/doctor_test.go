package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/doctor"
	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/githubtest/testserver"
)

var appPermissions = map[string]string{"checks": "write", "actions": "read", "statuses": "read",
	"pull_requests": "write", "contents": "read", "issues": "read"}

var appEvents = []string{"workflow_run", "workflow_job", "check_run", "check_suite", "status", "pull_request", "issue_comment", "push"}

// TestDoctor checks a correct App and an incorrect one. Checking changes nothing.
func TestDoctor(t *testing.T) {
	for _, c := range []struct {
		name string
		spec githubtest.AppSpec
		want map[string]doctor.Grade
	}{
		{"whole", githubtest.AppSpec{WebhookURL: "https://odfix.example.com/webhook", Permissions: appPermissions, Events: appEvents},
			map[string]doctor.Grade{"App": doctor.Good, "permissions": doctor.Good, "events": doctor.Good,
				"webhook": doctor.Good, "clock": doctor.Good, "deliveries": doctor.Warning,
				"installation on acme": doctor.Good, "database": doctor.Good, "private key": doctor.Good}},
		{"signer", githubtest.AppSpec{WebhookURL: "https://odfix.example.com/webhook", Permissions: appPermissions, Events: appEvents},
			map[string]doctor.Grade{"signer": doctor.Good, "App": doctor.Good}},
		{"half", githubtest.AppSpec{WebhookURL: "http://odfix.example.com/",
			Permissions: map[string]string{"checks": "read"}, Events: appEvents[:1]},
			map[string]doctor.Grade{"permissions": doctor.Bad, "events": doctor.Bad, "webhook": doctor.Warning,
				"installation on acme": doctor.Bad}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := testserver.Start(t, githubtest.Config{})
			c.spec.Name, c.spec.Secret = "odfix", childSecret
			app, err := s.AddApp(c.spec)
			if err != nil {
				t.Fatal(err)
			}
			app.Hold()
			app.Install(s.AddOrganization("acme", s.AddUser("dev")))
			d := newWorkspace(t)
			key, database := filepath.Join(t.TempDir(), "key.pem"), filepath.Join(t.TempDir(), "odfix.db")
			if err := os.WriteFile(key, app.PEM(), 0o600); err != nil {
				t.Fatal(err)
			}
			signs := []string{"--private-key-file", key}
			if c.name == "signer" {
				t.Setenv("ODFIX_SECRET_OF_THE_TEST", "x") // which the signer refuses to see
				t.Setenv(signerMark, key)
				signs = []string{"--signer-command", os.Args[0] + " --key odfix", "--signer-environment", signerMark}
			}
			secret := d.write(t, "secret", childSecret+"\n")
			args := []string{"doctor", "--format", "json", "--app-id", strconv.FormatInt(app.ID, 10),
				"--github-api", s.URL, "--webhook-secret-file", secret, "--database-url", database}
			d.clock = s.Now
			d.run(t.Context(), append(args, signs...)...)
			var got struct {
				Grade    doctor.Grade
				Findings []doctor.Finding
			}
			if err := json.Unmarshal(d.stdout.Bytes(), &got); err != nil {
				t.Fatalf("%v\n%s%s", err, d.stdout.String(), d.stderr.String())
			}
			for _, f := range got.Findings {
				if want, ok := c.want[f.What]; ok && f.Grade != want {
					t.Errorf("%+v, not %s", f, want)
				}
				delete(c.want, f.What)
			}
			if len(c.want) > 0 {
				t.Errorf("%v is not reported", c.want)
			}
			if _, err := os.Stat(database); err == nil {
				t.Error("it made the database")
			}
			if strings.Contains(d.stdout.String(), childSecret) {
				t.Error("the secret is printed")
			}
		})
	}
}

// TestDoctorWithNothing checks that everything that is missing is reported at once.
func TestDoctorWithNothing(t *testing.T) {
	d := newWorkspace(t)
	status := d.run(t.Context(), "doctor", "--database-url", filepath.Join(t.TempDir(), "no", "odfix.db"))
	for _, want := range []string{"✗ settings", "✗ App", "odfix app manifest", "✗ database", "→ "} {
		wantIn(t, d.stdout.String(), want)
	}
	if status != exitError {
		t.Errorf("status %d", status)
	}
}

// TestDoctorWithoutApp checks that a machine without a GitHub App is not asked about one.
func TestDoctorWithoutApp(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the tools are shell scripts")
	}
	bin, project := t.TempDir(), t.TempDir()
	for _, name := range []string{"mvn", "git"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\necho "+name+" 1.2.3\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Chdir(project)
	d := newWorkspace(t)
	d.run(t.Context(), "doctor")
	out := d.stdout.String()
	wantIn(t, out, "This machine", "JDK", "Maven", "mvn 1.2.3", "git 1.2.3", "cache", "0 B in ")
	wantNotIn(t, out, "GitHub App", "webhook")

	// A project of Jest needs Node.
	if err := os.WriteFile(filepath.Join(project, "package.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	d.stdout.Reset()
	if status := d.run(t.Context(), "doctor"); status != exitError {
		t.Errorf("without Node: status %d", status)
	}
	wantIn(t, d.stdout.String(), "✗ Node", "Install Node, 18 or later.")
	if err := os.WriteFile(filepath.Join(bin, "node"), []byte("#!/bin/sh\necho v20.1.0\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	d.stdout.Reset()
	if status := d.run(t.Context(), "doctor"); status != exitOK {
		t.Errorf("with all that is needed: status %d\n%s", status, &d.stdout)
	}
	wantIn(t, d.stdout.String(), "✓ Node", "v20.1.0")
}
