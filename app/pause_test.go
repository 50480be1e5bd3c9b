package main

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/keys"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/store/storetest"
)

// appCommandOn runs a command of `odfix app` on a database, and returns what it prints.
func appCommandOn(t *testing.T, place string, args ...string) (int, string) {
	t.Helper()
	var out bytes.Buffer
	w := world{stdin: &bytes.Buffer{}, stdout: &out, stderr: &out, now: time.Now, getenv: func(name string) string {
		if name == "ODFIX_DATABASE_URL" {
			return place
		}
		return ""
	}}
	code := run(t.Context(), append([]string{"app"}, args...), w)
	return code, out.String()
}

// TestPauseOfServe: odfix app pause works while odfix serve runs, on both databases. The state
// survives a restart; /healthz and the metrics show it; deliveries are stored meanwhile.
func TestPauseOfServe(t *testing.T) {
	storetest.Each(t, func(t *testing.T, place string) {
		c := serveChild(t, place)
		if code, text := appCommandOn(t, place, "pause", "--reason", "an incident"); code != exitOK {
			t.Fatalf("status %d: %s", code, text)
		}
		if err := c.terminate(); err != nil {
			t.Fatal(err)
		}
		c = serveChild(t, place)
		if code, err := c.send(t.Context(), http.DefaultClient, guidOf(1), jobBody(1)); err != nil || code != 202 {
			t.Errorf("a delivery while it is paused: %d, %v", code, err)
		}
		code, health := get(t, c.ops+"/healthz")
		_, metrics := get(t, c.ops+"/metrics")
		_, public := get(t, c.url+"/healthz")
		if code != 200 || public != "ok\n" {
			t.Errorf("%d, the internet sees %q", code, public)
		}
		wantIn(t, health, "ok\n", "paused since", "everything", "an incident")
		wantIn(t, metrics, `odfix_paused{scope="all"} 1`, `odfix_paused{scope="repository"} 0`)
		waitFor(t, func() bool { // jobBody's repository
			code, _ := appCommandOn(t, place, "pause", "--reason", "noise", "--repository", "acme/SHOP")
			return code == exitOK
		})
		code, text := appCommandOn(t, place, "resume")
		if code != exitOK {
			t.Errorf("status %d", code)
		}
		wantIn(t, text, "repository ", "noise")
		wantNotIn(t, text, "everything")
		if code, text = appCommandOn(t, place, "resume"); code != exitError {
			t.Errorf("a second time: %d %s", code, text)
		}
	})
}

// TestPauseNeedsADatabase: a wrong database is an error, and none is made.
func TestPauseNeedsADatabase(t *testing.T) {
	file := filepath.Join(t.TempDir(), "typo.db")
	code, text := appCommandOn(t, file, "pause", "--reason", "x")
	if _, err := os.Stat(file); code != exitError || err == nil {
		t.Errorf("status %d: %s; %v", code, text, err)
	}
	wantIn(t, text, "--database-url")
	db := storetest.SQLite(t)
	storetest.Open(t, db, store.Options{})
	for want, args := range map[string][]string{
		"--reason":                         {"pause"},
		"one line":                         {"pause", "--reason", "a\nb"},
		"cannot be given together":         {"resume", "--account", "a", "--repository", "b/c"},
		"odfix does not know nobody/there": {"pause", "--reason", "x", "--repository", "nobody/there"},
	} {
		if code, text := appCommandOn(t, db, args...); code == exitOK {
			t.Errorf("%v: %s", args, text)
		} else {
			wantIn(t, text, want)
		}
	}
}

// TestAccountsFile: the file is read again when it has changed. While it is wrong or empty, the one before
// counts.
func TestAccountsFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "accounts")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, bad := range []string{"", "# nobody\n", "acme/shop\n", "installation:x\n", "*\n"} {
		write(bad)
		if list, err := keys.Open(file, accountsIn); err == nil {
			t.Errorf("%q: %v", bad, list)
		}
	}
	write("# ours\n acme \r\n\ninstallation:4711\n")
	o := appOptions{accountsFile: file}
	var err error
	if o.allowed, err = keys.Open(file, accountsIn); err != nil {
		t.Fatal(err)
	}
	accounts := o.accounts(zap.NewNop())
	want := func(list ...string) {
		t.Helper()
		if got := accounts(); !slices.Equal(got, list) {
			t.Errorf("%v, want %v", got, list)
		}
	}
	want("acme", "installation:4711")
	write("other\n")
	want("other")
	write("")
	want("other")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	want("other")
	if (&appOptions{}).accounts(zap.NewNop()) != nil {
		t.Error("without a file, there is a list")
	}
}
