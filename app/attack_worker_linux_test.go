package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/isolate"
	"github.com/odfix/odfix/internal/store/storetest"
)

// TestAttackWorkerWithoutSecrets: the process that unpacks and builds has neither the App's key, nor
// the webhook secret, nor the address of the database. It ends with the server, also a killed one.
func TestAttackWorkerWithoutSecrets(t *testing.T) {
	hub := investigatetest.New(t, githubtest.Config{})
	t.Setenv("ODFIX_PRIVATE_KEY", string(hub.App.PEM()))
	t.Setenv("PGPASSWORD", "the password of the database")
	database := storetest.SQLite(t)
	c := serveChild(t, database, "--app-id", strconv.FormatInt(hub.App.ID, 10), "--github-api", hub.URL, "--isolation", "none",
		"--work-dir", t.TempDir())
	workers := childrenOf(t, c.cmd.Process.Pid)
	if len(workers) != 1 {
		t.Fatalf("%d workers", len(workers))
	}
	seen := workers[0]
	for _, secret := range []string{"PRIVATE KEY", childSecret, "the password of the database", database} {
		if strings.Contains(seen.text, secret) {
			t.Errorf("the worker has %q in its environment or its arguments", secret)
		}
	}
	if !strings.Contains(seen.text, workerToken) {
		t.Error("the environment was not seen")
	}
	c.kill()
	for i := 0; ; i++ {
		stat, err := os.ReadFile(filepath.Join("/proc", seen.pid, "stat"))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		if i == 1_000_000 {
			t.Fatal("the worker goes on without its server")
		}
	}
}

// TestAttackServersMemory: other processes of the same user cannot read the server's memory.
func TestAttackServersMemory(t *testing.T) {
	if err := isolate.Hide(); err != nil {
		t.Fatal(err)
	}
	defer unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0) //nolint:errcheck // for later tests
	if is, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0); is != 0 || err != nil {
		t.Errorf("%d, %v", is, err)
	}
}

type seen struct{ pid, text string }

// childrenOf are the direct children of a process, with their arguments and environment.
func childrenOf(t *testing.T, parent int) []seen {
	t.Helper()
	var out []seen
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		stat, err := os.ReadFile(file)
		_, rest, _ := strings.Cut(string(stat), ") ")
		if err != nil || !strings.HasPrefix(rest[min(2, len(rest)):], fmt.Sprint(parent, " ")) {
			continue
		}
		dir := filepath.Dir(file)
		args, err1 := os.ReadFile(filepath.Join(dir, "cmdline"))
		env, err2 := os.ReadFile(filepath.Join(dir, "environ"))
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		out = append(out, seen{filepath.Base(dir), string(args) + string(env)})
	}
	return out
}
