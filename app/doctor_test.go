package main

import (
	"encoding/json"
	"os"
	"path/filepath"
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
			secret := d.write(t, "secret", childSecret+"\n")
			args := []string{"doctor", "--format", "json", "--app-id", strconv.FormatInt(app.ID, 10), "--private-key-file", key,
				"--github-api", s.URL, "--webhook-secret-file", secret, "--database-url", database}
			d.at = s.Now()
			d.run(t.Context(), args...)
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
