package main

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/store/storetest"
)

// TestServe checks a whole run on both databases: a delivery is stored and handled once, and the
// metrics show it.
func TestServe(t *testing.T) {
	storetest.Each(t, func(t *testing.T, place string) {
		c := serveChild(t, place)
		for n, want := range []int{202, 200} {
			if code, err := c.send(t.Context(), http.DefaultClient, guidOf(1), jobBody(1)); err != nil || code != want {
				t.Errorf("time %d: %d, %v", n, code, err)
			}
		}
		for url, want := range map[string]string{c.url + "/healthz": "ok", c.url + "/readyz": "ready",
			c.ops + "/healthz": "ok", c.ops + "/readyz": "ready"} {
			if code, text := get(t, url); code != 200 || strings.TrimSpace(text) != want {
				t.Errorf("%s: %d %s", url, code, text)
			}
		}
		if code, text := get(t, c.url+"/"); code != 200 || !strings.Contains(text, "<h1>What odfix is</h1>") {
			t.Errorf("the homepage: %d %s", code, text)
		}
		if code, text := get(t, c.url+"/installations"); code != 404 || !strings.Contains(text, "--client-id") {
			t.Errorf("the overview without a client secret: %d %s", code, text)
		}
		if code, _ := get(t, c.url+"/metrics"); code != 404 {
			t.Errorf("the internet sees the metrics: %d", code)
		}
		waitFor(t, func() bool {
			_, text := get(t, c.ops+"/metrics")
			return strings.Contains(text, `odfix_queue_jobs{state="completed"} 1`)
		})
		_, text := get(t, c.ops+"/metrics")
		wantIn(t, text, `odfix_deliveries_total{event="workflow_job",outcome="stored"} 1`,
			`odfix_deliveries_total{event="workflow_job",outcome="duplicate"} 1`,
			`odfix_delivery_seconds_count{outcome="stored"} 1`, "odfix_queue_oldest_seconds 0", "odfix_database_up 1", "go_goroutines")
		if err := c.terminate(); err != nil {
			t.Errorf("%v\n%s", err, c.log)
		}
		wantIn(t, c.log.String(), `"msg":"serving"`, `"msg":"stopping"`, `"msg":"stopped"`)
		s := storetest.Open(t, place, store.Options{})
		err := s.View(t.Context(), func(tx *store.Tx) error {
			d, err := tx.Delivery(guidOf(1))
			if d.Handled.IsZero() {
				t.Error("it is not handled")
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// waitFor polls until the condition holds.
func waitFor(t *testing.T, f func() bool) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	end := time.After(quickLife)
	for !f() {
		select {
		case <-tick.C:
		case <-end:
			t.Fatal("it does not come to pass")
		}
	}
}

// TestServeKeepsSecrets checks that no secret is logged at any log level, for any sender.
func TestServeKeepsSecrets(t *testing.T) {
	c := serveChild(t, storetest.SQLite(t), "--log-level", "debug", "--log-format", "json")
	token := "ghs_" + strings.Repeat("aB3.", 130)
	r, err := c.delivery(t.Context(), "x", jobBody(1))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-GitHub-Delivery", token[:60])
	r.Header.Set("X-GitHub-Event", childSecret)
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	a.Body.Close()
	if err := c.terminate(); err != nil {
		t.Error(err)
	}
	for _, s := range []string{childSecret, token[:60]} {
		if strings.Contains(c.log.String(), s) {
			t.Errorf("the log has %s:\n%s", s, c.log)
		}
	}
	wantIn(t, c.log.String(), "delivery refused", "[redacted]")
}

// TestServeFinishesOpenRequests checks that a delivery that arrives while the server stops is
// stored and acknowledged, or refused. Acknowledged deliveries are in the database.
func TestServeFinishesOpenRequests(t *testing.T) {
	place := storetest.SQLite(t)
	c := serveChild(t, place)
	s := &sender{acked: map[string]int{}}
	var senders sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	for range 8 {
		senders.Go(func() { s.sendUntil(ctx, c) })
	}
	waitFor(t, func() bool { acked, _ := s.counts(); return acked > 20 })
	if err := c.terminate(); err != nil {
		t.Errorf("%v\n%s", err, c.log)
	}
	cancel()
	senders.Wait()
	verifyOnce(t, place, s)
}

func TestServeUsage(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, []byte("\n\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		env  map[string]string
		want string
	}{
		{"serve", nil, "no webhook secret in ODFIX_WEBHOOK_SECRET"},
		{"serve --webhook-secret-file " + empty, map[string]string{"ODFIX_WEBHOOK_SECRET": "x"}, "no webhook secret in " + empty},
		{"serve --webhook-secret-file /nothing/there", nil, "--webhook-secret-file"},
		{"serve --log-level loud", nil, "debug, info, warn or error"},
		{"serve --log-format xml", nil, "json or console"},
		{"serve --stop-after -1s", nil, "--stop-after is -1s"},
		{"serve --delivery-tasks 0", nil, "--delivery-tasks is 0"},
		{"serve --url odfix.example.com", nil, "--url is"},
		{"serve --url https://odfix.example.com/)", nil, "--url is"},
		{"serve x", nil, "x"},
		{"serve", map[string]string{"ODFIX_STOP_AFTER": "soon"}, `ODFIX_STOP_AFTER is "soon"`},
	} {
		var out, errs bytes.Buffer
		code := run(t.Context(), strings.Fields(c.args),
			world{stdin: strings.NewReader(""), stdout: &out, stderr: &errs,
				getenv: func(k string) string { return c.env[k] }, now: time.Now})
		if code != exitUsage || !strings.Contains(errs.String(), c.want) || !strings.Contains(errs.String(), "\n→ ") {
			t.Errorf("%s: status %d: %s", c.args, code, &errs)
		}
	}
}

// TestServeReadsAFile also checks that environment and flags take precedence over the file.
func TestServeReadsAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "serve.yml")
	complete := func(text string, args ...string) (serveOptions, error) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		env := map[string]string{"ODFIX_WEBHOOK_SECRET": "x", "ODFIX_CONFIG": file, "ODFIX_LOG_LEVEL": "warn"}
		var o serveOptions
		flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
		o.register(flags)
		if err := flags.Parse(args); err != nil {
			t.Fatal(err)
		}
		return o, o.complete(flags, func(k string) string { return env[k] })
	}
	o, err := complete("# ours\ndatabase-url: a.db\nlog-level: debug\nrunners: 3\nstop-after: 3s\n"+
		"allow-host: [a.example:1, b.example:2]\njob-cpus: 1.5\noffline: true\n", "--runners", "2")
	if err != nil || o.database != "a.db" || o.log.level != "warn" || o.app.runners != 2 ||
		o.stopAfter != 3*time.Second || len(o.app.isolation.allow) != 2 || o.app.isolation.cpus != 1.5 || !o.app.offline {
		t.Errorf("%v, %+v", err, o)
	}
	if _, err := complete("# nothing yet\n"); err != nil {
		t.Error(err)
	}
	for text, want := range map[string]string{
		"runners: 2\nrunnners: 3\n": "line 2", "runners: many\n": "runners cannot be", "- runners\n": "holds no settings",
		"runners: [1, 2]\n":   "line 1",
		"config: other.yml\n": "config", "webhook-secret: x\n": "webhook-secret", "a: [b\n": "serve.yml",
		"runners: {a: b}\n": "line 1", "log-level: &a x\nlisten: *a\n": "line 2",
		strings.Repeat("#", maxServeFile+1): "serve.yml is larger than 64 KiB",
	} {
		if _, err := complete(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
	}
}

// TestServeThatCannotStart checks that the error names the problem, its location and a solution,
// and that nothing hangs.
func TestServeThatCannotStart(t *testing.T) {
	place := storetest.SQLite(t)
	c := serveChild(t, place)
	busy := strings.TrimPrefix(c.url, "http://")
	for args, want := range map[string]string{
		"--listen 127.0.0.1:0 --ops-listen= --database-url " + place:                                        "another odfix uses",
		"--listen " + busy + " --database-url " + place + "2":                                               "--listen: ",
		"--listen 127.0.0.1:0 --ops-listen " + busy + " --database-url " + place + "2":                      "--ops-listen: ",
		"--listen 127.0.0.1:0 --database-url postgres://odfix:hunter2@127.0.0.1:1/x?connect_timeout=2":      "does not answer",
		"--listen 127.0.0.1:0 --ops-listen= --database-url " + filepath.Join(t.TempDir(), "a", "b", "c.db"): "cannot be used",
	} {
		var out, errs bytes.Buffer
		code := run(t.Context(), append([]string{"serve"}, strings.Fields(args)...),
			world{stdin: strings.NewReader(""), stdout: &out, stderr: &errs,
				getenv: func(k string) string { return map[string]string{"ODFIX_WEBHOOK_SECRET": "x"}[k] }, now: time.Now})
		if code != exitError || !strings.Contains(errs.String(), want) || strings.Contains(errs.String(), "hunter2") {
			t.Errorf("%s: status %d: %s", args, code, &errs)
		}
	}
}

// TestServeReadsTheEnvironment also checks that a flag takes precedence.
func TestServeReadsTheEnvironment(t *testing.T) {
	env := map[string]string{"ODFIX_DATABASE_URL": "a.db", "ODFIX_LOG_LEVEL": "warn", "ODFIX_STOP_AFTER": "3s",
		"ODFIX_WEBHOOK_SECRET": "new\nold\n"}
	var o serveOptions
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	o.register(flags)
	if err := flags.Parse([]string{"--log-level", "debug"}); err != nil {
		t.Fatal(err)
	}
	if err := o.complete(flags, func(k string) string { return env[k] }); err != nil {
		t.Fatal(err)
	}
	if o.database != "a.db" || o.log.level != "debug" || o.stopAfter != 3*time.Second || !slices.Equal(o.secrets.Get(), []string{"new", "old"}) {
		t.Errorf("%+v", o)
	}
}

// TestOperationsPage checks that the page names exactly the flags of serve, with their defaults and
// variables.
func TestOperationsPage(t *testing.T) {
	page, err := os.ReadFile("../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	var o serveOptions
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	o.register(flags)
	n := 0
	flags.VisitAll(func(f *pflag.Flag) {
		n++
		value := f.DefValue
		if value != "" {
			value = " " + value
		}
		wantIn(t, string(page), "| `--"+f.Name+"` | `"+variable(f.Name)+"` |"+value+" |")
	})
	if rows := strings.Count(string(page), "| `--"); rows != n {
		t.Errorf("%d flags, %d rows", n, rows)
	}
}
